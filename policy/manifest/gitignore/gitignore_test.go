package gitignore

import (
	"flag"
	"strings"
	"testing"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// ignored asks for a path and, as Ignored demands, for the folders above it
// first. A path that ends in a slash is a folder.
func ignored(s Stack, name string) bool {
	name, folder := strings.CutSuffix(name, "/")
	parts := strings.Split(name, "/")
	for i := range parts {
		last := i == len(parts)-1
		if s.Ignored(strings.Join(parts[:i+1], "/"), folder || !last) {
			return true
		}
	}
	return false
}

// TestIgnored has the answers of "git check-ignore" 2.39.
func TestIgnored(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, yes, no string }{
		{"a", "a x/a a/b x/a/b", "b ab x/ab"},
		{"a/", "a/ x/a/b", "a x/a"},
		{"/a", "a a/b", "x/a"},
		{"x/a", "x/a x/a/b", "a y/x/a"},
		{"*.txt", "a.txt x/b.txt .txt", "a.txtx txt"},
		{"a*c?e", "abcde ac1e aXXcYe", "ace abcdef"},
		{"*.txt\n!keep.txt", "a.txt x/a.txt", "keep.txt x/keep.txt"},
		{"x/\n!x/keep.txt", "x/keep.txt", "keep.txt"},
		{"x/*\n!x/keep.txt", "x/a x/a/keep.txt", "x/keep.txt"},
		{"!a\na", "a", "b"},
		{"**/a", "a x/a x/y/a", "b"},
		{"a/**", "a/b a/b/c", "a a/ x/a/b"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "b x/a/b a/xb"},
		{"**", "a x/b", ""},
		{"**/x/**/b", "x/b y/x/z/b", "b x"},
		{"a**b", "ab aXb", "a/b"},
		{"[ab]c", "ac bc", "cc abc"},
		{"[!a]c", "bc cc", "ac"},
		{"[^a]c", "bc", "ac"},
		{"[a-c]1", "a1 b1 c1", "d1 -1"},
		{"[]a]1", "]1 a1", "b1"},
		{"[a-]1", "a1 -1", "b1"},
		{"[[:digit:][:space:]]x", "1x", "ax"},
		{"[[:upper:]]x", "Ax", "ax"},
		{"[[:alnum:]_]x", "ax 1x _x", "-x"},
		{"[[:nonsense:]]x", "", "ax :x"},
		{"[a", "", "a [a"},
		{"a\\", "", "a a\\"},
		{"\\*", "*", "a"},
		{"\\!a\n\\#b", "!a #b", "a b"},
		{"# a\n\n  \nb  ", "b", "a #"},
		{"/", "", "a"},
		{"a\r\nb\r", "a b", "c"},
		{"\uFEFFa", "a", "b"},
		{"a//b", "", "a/b"},
	} {
		s := Stack{Parse(".", tc.text)}
		for name := range strings.FieldsSeq(tc.yes) {
			if !ignored(s, name) {
				t.Errorf("%q doesn't ignore %q", tc.text, name)
			}
		}
		for name := range strings.FieldsSeq(tc.no) {
			if ignored(s, name) {
				t.Errorf("%q ignores %q", tc.text, name)
			}
		}
	}
	if s := (Stack{Parse(".", "b\\ ")}); !s.Ignored("b ", false) {
		t.Error("a protected blank is dropped")
	}
}

// TestNested holds that the file deeper down wins, and reaches no further than
// its folder.
func TestNested(t *testing.T) {
	t.Parallel()
	s := Stack{Parse(".", "*.txt\nx/log"), Parse("x", "!keep.txt\n/only\ny/z")}
	for name, want := range map[string]bool{
		"a.txt": true, "x/a.txt": true, "x/keep.txt": false, "keep.txt": true, "x/only": true, "x/y/only": false, "only": false,
		"x/log": true, "x/y/z": true, "y/z": false, "xx/only": false,
	} {
		if got := ignored(s, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// FuzzIgnored holds that every pattern ends, and that a path itself, with its
// special bytes protected, is a pattern for it.
func FuzzIgnored(f *testing.F) {
	f.Add("a/**/b*c[!d]", "a/x/bcce")
	f.Add("!*\\", "a b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		Stack{Parse(".", pattern)}.Ignored(name, false)
		if name == "" || strings.ContainsAny(name, "\n\r\x00") || strings.Trim(name, "/") != name || strings.Contains(name, "//") {
			return
		}
		var escaped strings.Builder
		for i := range len(name) {
			if strings.IndexByte(`*?[\ !#`, name[i]) >= 0 {
				escaped.WriteByte('\\')
			}
			escaped.WriteByte(name[i])
		}
		if !(Stack{Parse(".", "/"+escaped.String())}).Ignored(name, false) {
			t.Errorf("%q doesn't ignore itself", name)
		}
	})
}
