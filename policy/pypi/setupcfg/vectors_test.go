package setupcfg

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

// TestVectors reads what Python's configparser and setuptools read.
func TestVectors(t *testing.T) {
	t.Parallel()
	var v struct {
		Cases []struct {
			Text string
			OK   bool
			Out  [][]string
		}
	}
	if err := oracle.Read("testdata/setupcfg-vectors.json.gz", &v); err != nil {
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
