package poetry

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// TestVectors admits the final releases that poetry-core admits.
func TestVectors(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/poetry-vectors.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Versions []string
		Cases    []struct {
			Text string
			OK   bool
			In   string
		}
	}
	if err := json.NewDecoder(z).Decode(&v); err != nil {
		t.Fatal(err)
	}
	if len(v.Cases) < 1400 {
		t.Fatalf("only %d cases", len(v.Cases))
	}
	versions := make([]pep440.Version, len(v.Versions))
	for i, text := range v.Versions {
		versions[i] = version(t, text)
	}
	for i, c := range v.Cases {
		got, err := Parse(c.Text)
		if c.OK != (err == nil) {
			t.Errorf("case %d %q: %v, want ok %t", i, c.Text, err, c.OK)
			continue
		}
		if !c.OK {
			continue
		}
		if in := members(got.Set(), versions); in != c.In {
			t.Errorf("case %d %q: %s, admits\n%s, want\n%s", i, c.Text, got.Set(), in, c.In)
		}
	}
}

func members(s pep440.Set, versions []pep440.Version) string {
	out := make([]byte, len(versions))
	for i, v := range versions {
		out[i] = '0'
		if s.Contains(v) {
			out[i] = '1'
		}
	}
	return string(out)
}
