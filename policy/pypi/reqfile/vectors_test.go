package reqfile

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

// vectors are requirements files as pip 23.2.1 reads them.
type vectors struct {
	Env   map[string]string
	Cases []vector
}

type vector struct {
	Files map[string]string
	// OK is nil where pip was not asked: an include by URL.
	OK    *bool
	Error string
	Out   []vectorLine
}

type vectorLine struct {
	Req        string
	Editable   bool
	Constraint bool
	Hashes     map[string][]string
	Line       int
	File       string
}

func loadVectors(t testing.TB) vectors {
	t.Helper()
	var v vectors
	load(t, "testdata/reqfile-vectors.json.gz", &v)
	return v
}

func load(t testing.TB, path string, into any) {
	t.Helper()
	if err := oracle.Read(path, into); err != nil {
		t.Fatal(err)
	}
}

// contents encodes the files as whoever made the vectors did: Latin-1 where a
// comment says so.
func (v vector) contents() map[string][]byte {
	out := map[string][]byte{}
	for name, text := range v.Files {
		out[name] = []byte(text)
		if coding([]byte(text)) == "latin-1" {
			var b []byte
			for _, r := range text {
				b = append(b, byte(r))
			}
			out[name] = b
		}
	}
	return out
}

// opener reads from a map.
func opener(files map[string][]byte) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		data, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return data, nil
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	kinds := map[string]ErrorKind{
		"RequirementsFileParseError": Syntax,
		"InstallationError":          Unreadable,
		"RecursionError":             Cycle,
	}
	v := loadVectors(t)
	if len(v.Cases) < 100 {
		t.Fatalf("only %d cases", len(v.Cases))
	}
	for i, c := range v.Cases {
		set, err := Read("requirements.txt", Options{Open: opener(c.contents()), Env: v.Env})
		switch {
		case c.OK == nil:
			if err != nil || len(set.Entries) != 1 || set.Entries[0].Kind != NotRead {
				t.Errorf("case %d: %+v, %v; want one entry that was not read", i, set.Entries, err)
			}
		case !*c.OK:
			var e *Error
			if !errors.As(err, &e) || e.Kind != kinds[c.Error] {
				t.Errorf("case %d %q: error %v, want one as %s", i, c.Files, err, c.Error)
			}
		case err != nil:
			t.Errorf("case %d %q: %v", i, c.Files, err)
		default:
			if diff := cmp.Diff(c.Out, asVector(set)); diff != "" {
				t.Errorf("case %d %q (-pip +ours):\n%s", i, c.Files, diff)
			}
		}
	}
}

func asVector(set Set) []vectorLine {
	out := []vectorLine{}
	for _, e := range set.Entries {
		if e.Kind == Option {
			continue
		}
		hashes := map[string][]string{}
		for _, h := range e.Hashes {
			hashes[h.Algorithm] = append(hashes[h.Algorithm], h.Digest)
		}
		out = append(out, vectorLine{e.Text, e.Kind == Editable, e.Constraint, hashes, e.Line, e.File})
	}
	return out
}

// TestRandom reads files put together at random from what is hard: joins,
// comments, odd line breaks and white space, variables, options cut short,
// quotes, encodings.
func TestRandom(t *testing.T) {
	t.Parallel()
	var v struct {
		Env   map[string]string
		Cases []struct {
			Files map[string][]byte
			OK    bool
			Out   []vectorLine
			Pre   bool
		}
	}
	load(t, "testdata/pip-vectors.json.gz", &v)
	if len(v.Cases) < 1000 {
		t.Fatalf("only %d cases", len(v.Cases))
	}
	for i, c := range v.Cases {
		set, err := Read("requirements.txt", Options{Open: opener(c.Files), Env: v.Env})
		if c.OK != (err == nil) {
			t.Errorf("case %d %q: %v, want ok %t", i, c.Files, err, c.OK)
			continue
		}
		if !c.OK {
			continue
		}
		if diff := cmp.Diff(c.Out, asVector(set)); diff != "" || set.Pre != c.Pre {
			t.Errorf("case %d %q: pre %t, want %t (-pip +ours):\n%s", i, c.Files, set.Pre, c.Pre, diff)
		}
	}
}
