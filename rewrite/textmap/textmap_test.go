package textmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// unescape decodes `\x` to x, and drops a backslash before a newline with it.
func unescape(src string) textmap.Text {
	id := textmap.Identity(src)
	var b textmap.Builder
	b.Init(src)
	for k := 0; k < len(src); k++ {
		switch {
		case src[k] == '\\' && k+1 < len(src) && src[k+1] == '\n':
			k++
		case src[k] == '\\' && k+1 < len(src):
			b.Decoded(src[k+1:k+2], id.Slice(k, k+2))
			k++
		default:
			b.Append(id.Slice(k, k+1))
		}
	}
	return b.Text()
}

func ExampleText_Replace() {
	src := `s/x/http:\/\/old.example\/a/`
	t := unescape(src)
	i := strings.Index(t.String(), "http:")
	edits, _ := t.Replace(i, i+len("http://old.example/a"), "https://new.example/b/a")
	out, _ := textmap.Apply(src, edits)
	fmt.Println(out)
	// Output: s/x/https:\/\/new.example\/b\/a/
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		name, src, old, repl, want string
	}{
		{"insertion only", "curl http://h/x", "http://h/x", "https://h/x", "curl https://h/x"},
		{"same", "a b", "b", "b", "a b"},
		{"shorter", "abcdef", "abcdef", "af", "af"},
		{"to nothing", "abc", "b", "", "ac"},
		{"at the start", "abc", "abc", "xabc", "xabc"},
		{"newline inside stays", "ab\\\ncd", "abcd", "aXYd", "aXY\\\nd"},
		{"escaped byte", `a\/b`, "a/b", "a/c/b", `a\/c\/b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := unescape(c.src)
			i := strings.Index(text.String(), c.old)
			edits, ok := text.Replace(i, i+len(c.old), c.repl)
			if !ok {
				t.Fatal("can't be edited")
			}
			got, ok := textmap.Apply(c.src, edits)
			if !ok || got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReplaceRefuses(t *testing.T) {
	syn := textmap.Synthetic("http://h")
	if _, ok := syn.Replace(0, 4, "https"); ok {
		t.Error("text without a source was edited")
	}
	if _, ok := textmap.Identity("ab").Replace(0, 2, "a\nb"); ok {
		t.Error("a newline was put in")
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		edits []textmap.Edit
		want  string
		ok    bool
	}{
		{nil, "abc", true},
		{[]textmap.Edit{{2, 3, "C"}, {0, 1, "A"}}, "AbC", true},
		{[]textmap.Edit{{1, 1, "x"}, {1, 1, "x"}}, "axbc", true},
		{[]textmap.Edit{{0, 2, "x"}, {1, 3, "y"}}, "abc", false},
		{[]textmap.Edit{{2, 9, "x"}}, "abc", false},
		{[]textmap.Edit{{2, 1, "x"}}, "abc", false},
	} {
		got, ok := textmap.Apply("abc", c.edits)
		if got != c.want || ok != c.ok {
			t.Errorf("%v: got %q %v, want %q %v", c.edits, got, ok, c.want, c.ok)
		}
	}
}

// FuzzReplace: after the edits the source decodes to the text with the bytes
// replaced, and holds as many newlines as before.
func FuzzReplace(f *testing.F) {
	f.Add(`curl http:\/\/h/x`, uint8(5), uint8(9), "https://m/x")
	f.Add("ab\\\ncd", uint8(0), uint8(4), "xyz")
	f.Fuzz(func(t *testing.T, src string, i, n uint8, repl string) {
		if strings.Contains(repl, `\`) || strings.HasSuffix(src, `\`) {
			return // repl is what is decoded to: it has its own escapes
		}
		text := unescape(src)
		from := min(int(i), text.Len())
		to := min(from+int(n), text.Len())
		edits, ok := text.Replace(from, to, repl)
		if !ok {
			return
		}
		got, ok := textmap.Apply(src, edits)
		if !ok {
			t.Fatalf("edits don't apply: %v", edits)
		}
		want := text.String()[:from] + repl + text.String()[to:]
		if diff := cmp.Diff(want, unescape(got).String()); diff != "" {
			t.Errorf("%q[%d:%d] -> %q gave %q: (-want +got)\n%s", src, from, to, repl, got, diff)
		}
		if strings.Count(got, "\n") != strings.Count(src, "\n") {
			t.Errorf("newlines changed: %q -> %q", src, got)
		}
	})
}
