package tomltree

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// shown is a value with the place of every key and scalar.
func shown(v *Value) string {
	switch v.Kind {
	case Table:
		var parts []string
		for _, e := range v.Entries() {
			parts = append(parts, fmt.Sprintf("%s@%d-%d=%s", e.Key, e.Start, e.End, shown(e.Value)))
		}
		return fmt.Sprintf("{%s}@%d-%d", strings.Join(parts, " "), v.Start, v.End)
	case Array:
		var parts []string
		for _, item := range v.Items() {
			parts = append(parts, shown(item))
		}
		return fmt.Sprintf("[%s]@%d-%d", strings.Join(parts, " "), v.Start, v.End)
	}
	return fmt.Sprintf("%s@%d-%d", v.Text, v.Start, v.End)
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"", "{}@0-0"},
		{"a = 1 # x\n", "{a@0-1=1@4-5}@0-0"},
		{"\"a b\" = 'c'", "{a b@0-5=c@8-11}@0-0"},
		{"a.b.c=true", "{a@0-1={b@2-3={c@4-5=true@6-10}@2-3}@0-1}@0-0"},
		{"[a]\nb=1\n[a.c]\nd=2", "{a@1-2={b@4-5=1@6-7 c@11-12={d@14-15=2@16-17}@8-13}@0-3}@0-0"},
		{"[ a . b ]\n[a]\n", "{a@11-12={b@6-7={}@0-9}@10-13}@0-0"},
		{"[[a]]\nb=1\n[[a]]\n[a.c]", "{a@2-3=[{b@6-7=1@8-9}@0-5 {c@19-20={}@16-21}@10-15]@0-5}@0-0"},
		{"a = [ 'b', # c\n [1, [ ]] , {d=2} ]", "{a@0-1=[b@6-9 [1@17-18 [@20-23]@16-24 {d@28-29=2@30-31}@27-32]@4-34}@0-0"},
		{"a={b.c=1,b.d=2}", "{a@0-1={b@3-4={c@5-6=1@7-8 d@11-12=2@13-14}@3-4}@2-15}@0-0"},
		{"a = \"\\u00e9\\t\"", "{a@0-1=é\t@4-14}@0-0"},
		{"a = \"\"\"\nb\\\n  c\"\"\"", "{a@0-1=bc@4-17}@0-0"},
		{"a = 1979-05-27 07:32:00Z\nb = 07:32:00\nc = 1.5\nd = -inf", "{a@0-1=1979-05-27 07:32:00Z@4-24 b@25-26=07:32:00@29-37 c@38-39=1.5@42-45 d@46-47=-inf@50-54}@0-0"},
	} {
		doc, err := Parse(tc.text)
		if err != nil {
			t.Errorf("%q: %v", tc.text, err)
			continue
		}
		want := strings.ReplaceAll(tc.want, "[@", "[]@")
		if diff := cmp.Diff(want, shown(doc.Root)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}

// TestRefused holds that what TOML 1.0 forbids is an error where it stands.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		offset int
	}{
		{"a = 1\na = 2", 6},
		{"[a]\n[a]", 5},
		{"[a]\n[[a]]", 6},
		{"[[a]]\n[a]", 7},
		{"a = []\n[[a]]", 9},
		{"a = [{b = 1}]\n[a.c]", 15},
		{"a = {b = 1}\n[a.c]", 13},
		{"a = {b = 1}\na.c = 2", 12},
		{"a.b = 1\n[a]", 9},
		{"a.b = 1\na = 2", 8},
		{"[a.b]\n[a]\nb.c = 1", 10},
		{"[a.b.c]\n[a]\nb.c.t = 1", 14},
		{"[x]\na.b = 1\n[x.a]", 15},
		{"[[a.b]]\n[a]\nb.c = 1", 12},
		{"a = 1\n[a.b]", 7},
		{"a = {b = 1, b = 2}", 12},
		{"a = {b = {c = 1}, b.d = 2}", 18},
		{"a = 2024-02-30", 4},
		{"a = 25:00:00", 4},
		{"a = 07:32:00Z", 4},
		{"a = 1\rb = 2", 5},
		{"a = \"\x01\"", 5},
		{"a", 0},
		{"a = ", 3},
		{"a = \"b", 5},
		{"\xff", 0},
		{"a = '\xed\xa0\x80'", 5},
	} {
		_, err := Parse(tc.text)
		at, ok := err.(*Error)
		if !ok || at.Offset != tc.offset || at.Message == "" {
			t.Errorf("%q: %#v, want offset %d", tc.text, err, tc.offset)
		}
	}
}

// TestAllowed holds that what looks like a repetition and is none is read.
func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[a.b]\n[a]\n", "[a]\nb.c = 1\nb.d = 2\n[a.b.e]\n", "[[a]]\n[[a]]\n[a.b]\n[[a]]\n[a.b]\n",
		"[a.b.c]\n[a]\nb.x = 1\n", "a.b = 1\na.c = 2\n", "[[a.b]]\n[a.c]\n",
	} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNewer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a = {b = 1}":                 "",
		"a = [\n{b = [\n1,\n]},\n]":   "",
		"a = {b = \"\"\"\n\"\"\"}":    "",
		"a = {\nb = 1}":               "5-6 a line break in an inline table",
		"a = {b = 1\n}":               "10-11 a line break in an inline table",
		"a = {b = 1,}":                "10-12 a comma before the end of an inline table",
		"a = \"\\e\"":                 "5-7 the escape \\e",
		"a = \"\\x41\"":               "5-7 the escape \\x",
		"\"\\x41\" = 1":               "1-3 the escape \\x",
		"a = \"\\\\e\"":               "",
		"a = '\\e'":                   "",
		"a = 07:32":                   "4-9 a time without seconds",
		"a = 1979-05-27T07:32Z":       "4-21 a time without seconds",
		"\uFEFFa = 1":                 "0-3 a byte order mark",
		"a = {b = 1, # c\n c = 2}":    "15-16 a line break in an inline table",
		"a = { # x,\n b = 1}":         "10-11 a line break in an inline table",
		"a = [{b = 1}, {c = 2},\n\n]": "",
	} {
		doc, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, n := range doc.Newer {
			got = append(got, fmt.Sprintf("%d-%d %s", n.Start, n.End, n.What))
		}
		if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, quote, content, at string }{
		{`"a>=1"`, `"`, "a>=1", "1 2 3 4 5"},
		{`'a'`, `'`, "a", "1 2"},
		{"\"\"\"\na\"\"\"", `"""`, "a", "4 5"},
		{"'''\r\na'''", `'''`, "a", "5 6"},
		{`"a\"\u00e9b"`, `"`, `a\"\u00e9b`, "1 2 4 4 10 11"},
		{"\"\"\"a\\\n  b\"\"\"", `"""`, "a\\\n  b", "3 8 9"},
		{`""`, `"`, "", "1"},
	} {
		doc, err := Parse("k = " + tc.text)
		if err != nil {
			t.Errorf("%q: %v", tc.text, err)
			continue
		}
		v := doc.Root.Get("k")
		start, end := v.Content()
		offsets := v.Offsets()
		var at []string
		for i := range len(v.Text) + 1 {
			at = append(at, fmt.Sprint(offsets.At(i)-4))
		}
		if v.Quote() != tc.quote || ("k = " + tc.text)[start:end] != tc.content || strings.Join(at, " ") != tc.at {
			t.Errorf("%q: quote %s content %d-%d at %v", tc.text, v.Quote(), start, end, at)
		}
	}
}

// TestNil holds that a value that is not there can be asked.
func TestNil(t *testing.T) {
	t.Parallel()
	var v *Value
	if v.Get("a", "b") != nil || v.Items() != nil || v.Entries() != nil || v.Is(String) || v.True() || v.Str() != "" || v.Repeated() || v.Quote() != "" {
		t.Error("nil is something")
	}
	v.Walk(func([]string, *Value) bool { t.Error("nil is walked"); return true })
}

func TestManyKeys(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, "k%d = %d\n", i, i)
	}
	doc, err := Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Root.Get("k49999").Text; got != "49999" {
		t.Errorf("k49999 is %s", got)
	}
	if _, err := Parse(b.String() + "k7 = 1"); err == nil {
		t.Error("a key is there twice")
	}
}

// FuzzParse holds that each value lies in its parent's document, that scalars
// stand where they are said to, and that a string's bytes are those that the
// source spells.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a = 1\n[b.c]\nd.e = [1, {f = 'g'}]\n[[h]]\n", "a = \"\\u00e9\"\nb = '''\n'x'''''\n", "a = {\nb = 1,\n}\n", "a = 1979-05-27T07:32:00Z",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := Parse(text)
		if err != nil {
			if at := err.(*Error); at.Offset < 0 || at.Offset > len(text) {
				t.Errorf("offset %d of %d", at.Offset, len(text))
			}
			return
		}
		doc.Root.Walk(func(_ []string, v *Value) bool {
			checkValue(t, text, v)
			return true
		})
		for _, n := range doc.Newer {
			if n.Start < 0 || n.End > len(text) || n.Start > n.End {
				t.Errorf("%+v", n)
			}
		}
	})
}

func checkValue(t *testing.T, text string, v *Value) {
	if v.Start < 0 || v.End > len(text) || v.Start > v.End {
		t.Fatalf("%d-%d of %d", v.Start, v.End, len(text))
	}
	raw := text[v.Start:v.End]
	switch {
	case v.Is(Array) && !v.Repeated():
		if raw[0] != '[' || raw[len(raw)-1] != ']' {
			t.Errorf("the array %q", raw)
		}
	case v.Is(Table) && v.made == header && raw != "":
		if raw[0] != '[' || raw[len(raw)-1] != ']' {
			t.Errorf("the header %q", raw)
		}
	case v.Is(String):
		offsets := v.Offsets()
		for i := range len(v.Text) {
			if c := text[offsets.At(i)]; c != v.Text[i] && c != '\\' {
				t.Errorf("byte %d of %q is %q", i, v.Text, c)
			}
		}
	case !v.Is(Table) && !v.Is(Array):
		if raw != v.Text {
			t.Errorf("%q is %q", v.Text, raw)
		}
	}
	for _, e := range v.Entries() {
		if e.Start < 0 || e.End > len(text) || e.Start >= e.End {
			t.Fatalf("the key %q at %d-%d", e.Key, e.Start, e.End)
		}
	}
}
