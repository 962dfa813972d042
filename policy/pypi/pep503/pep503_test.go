package pep503

import (
	"flag"
	"testing"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// vectorFile holds answers of Python's packaging; the README beside it says
// how they were made.
const vectorFile = "../pep508/testdata/pep508-vectors.json.gz"

func TestVectors(t *testing.T) {
	t.Parallel()
	var vectors struct {
		Names []struct{ In, Canonical string }
	}
	if err := oracle.Read(vectorFile, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Names) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors.Names {
		if got := Normalize(v.In); got != v.Canonical {
			t.Errorf("Normalize(%q) = %q, want %q", v.In, got, v.Canonical)
		}
		if !Valid(v.In) {
			t.Errorf("Valid(%q) = false", v.In)
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{"a-b", "a-b"},
		{"a--b", "a-b"},
		{"_a_", "-a-"},
		{"-._-", "-"},
		{"A b", "a b"},
		{"Ä", "ä"},
		{"a\xffB", "a\ufffdb"},
	} {
		if got := Normalize(tc.in); got != tc.want {
			t.Errorf("Normalize(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": true, "0": true, "A1.b_c-d": true, "a--b": true,
		"": false, "-a": false, "a-": false, "a_": false, ".": false,
		"a b": false, "a/b": false, "ä": false, "ſ": false, "a\n": false,
	} {
		if got := Valid(name); got != want {
			t.Errorf("Valid(%q) = %t", name, got)
		}
	}
}

// FuzzNormalize holds that a normal form is its own, and that a name stays
// one.
func FuzzNormalize(f *testing.F) {
	for _, name := range []string{"", "a", "Foo..Bar", "_x-", "İ", "K"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		normal := Normalize(name)
		if again := Normalize(normal); again != normal {
			t.Errorf("Normalize(%q) = %q, then %q", name, normal, again)
		}
		if Valid(name) && !Valid(normal) {
			t.Errorf("%q is a name, %q is not", name, normal)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	for _, name := range []string{"setuptools", "backports.ssl_match_hostname"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Normalize(name)
			}
		})
	}
}
