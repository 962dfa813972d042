package setupcfg

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVectors reads what Python's configparser and setuptools read.
func TestVectors(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/setupcfg-vectors.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Cases []struct {
			Text string
			OK   bool
			Out  [][]string
		}
	}
	if err := json.NewDecoder(z).Decode(&v); err != nil {
		t.Fatal(err)
	}
	if len(v.Cases) < 900 {
		t.Fatalf("only %d cases", len(v.Cases))
	}
	for i, c := range v.Cases {
		got, err := Parse([]byte(c.Text))
		if c.OK != (err == nil) {
			t.Errorf("case %d %q: %v, want ok %t", i, c.Text, err, c.OK)
			continue
		}
		if diff := cmp.Diff(c.Out, rows(got, c.OK)); diff != "" {
			t.Errorf("case %d %q (-setuptools +ours):\n%s", i, c.Text, diff)
		}
		checkSpans(t, got.Items, c.Text)
	}
}

func rows(c Config, ok bool) [][]string {
	if !ok {
		return nil
	}
	out := [][]string{}
	for _, it := range c.Items {
		out = append(out, []string{it.Key, it.Extra, it.Text})
	}
	for _, f := range c.Files {
		out = append(out, []string{"file", f.Key, f.Extra, f.Path})
	}
	return out
}
