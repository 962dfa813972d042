package poetry

import (
	"testing"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

// TestVectors admits the final releases that poetry-core admits.
func TestVectors(t *testing.T) {
	t.Parallel()
	var v struct {
		Versions []string
		Cases    []struct {
			Text string
			OK   bool
			In   string
		}
	}
	if err := oracle.Read("testdata/poetry-vectors.json.gz", &v); err != nil {
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
