package setupcfg

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes one item a line: place, key, text; "~" where the place is not
// exact.
func show(c Config) []string {
	out := []string{}
	for _, it := range c.Items {
		key, mark := it.Key, ""
		if it.Extra != "" {
			key += "[" + it.Extra + "]"
		}
		if !it.Exact {
			mark = "~"
		}
		out = append(out, fmt.Sprintf("%s%d %s %s", mark, it.Line, key, it.Text))
	}
	for _, f := range c.Files {
		out = append(out, fmt.Sprintf("%d %s file %s", f.Line, f.Key, f.Path))
	}
	return out
}

// TestParse was asked of Python 3.11's configparser and setuptools 65.5, but
// for the dangling backslash: setuptools drops that requirement.
func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"no setuptools", "[flake8]\nformat = %(path)s\ninstall_requires = a", []string{}},
		{"lines", "[options]\ninstall_requires =\n    setuptools>=70\n    # comment\n    ; comment\n\n    b; python_version < '3.9'  # why\n", []string{"3 install_requires setuptools>=70", "7 install_requires b; python_version < '3.9'"}},
		{"semicolons on one line", "[options]\ninstall_requires = a>=1; b,c ;; d\n\n", []string{"2 install_requires a>=1", "2 install_requires b,c", "2 install_requires d"}},
		{"a marker on one line is cut", "[options]\nsetup_requires: a;python_version<'3'", []string{"2 setup_requires a", "2 setup_requires python_version<'3'"}},
		{"no marker is cut behind the first line", "[options]\ninstall_requires = a; x\n b; y", []string{"2 install_requires a; x", "3 install_requires b; y"}},
		{"dashes", "[options]\ntests-require = a\npython-requires = >=3.8", []string{"2 tests_require a", "3 python_requires >=3.8"}},
		{"case counts", "[options]\nInstall_Requires = a", []string{}},
		{"extras", "[options.extras_require]\ndev-x = a\nDoc =\n  b\n  c", []string{"2 extras_require[dev-x] a", "4 extras_require[Doc] b", "5 extras_require[Doc] c"}},
		{"defaults", "[DEFAULT]\ninstall_requires = a\n[options]\n[options.extras_require]\ninstall_requires = b", []string{"2 install_requires a", "5 extras_require[install_requires] b"}},
		{"files", "[options]\ninstall_requires = file: r.txt,\n   s.txt\nsetup_requires = file: x", []string{"4 setup_requires file: x", "2 install_requires file r.txt", "2 install_requires file s.txt"}},
		{"a file not on the first line is an item", "[options]\ninstall_requires =\n file: r.txt", []string{"3 install_requires file: r.txt"}},
		{"interpolation", "[options]\nx = 1%%\ninstall_requires =\n a>=%(x)s\n b\n %(more)s\nmore =\n c\n d", []string{"~3 install_requires a>=1%", "5 install_requires b", "~3 install_requires c", "~3 install_requires d"}},
		{"line breaks", "[options]\rinstall_requires=\r\n a\r b\fc\u2028d\n", []string{"3 install_requires a", "4 install_requires b", "4 install_requires c", "4 install_requires d"}},
		{"backslash", "[options]\ninstall_requires=\n a>= \\\n 1\n b \\", []string{"~3 install_requires a>=1", "5 install_requires b \\"}},
		{"indent is what counts", "[options]\n  install_requires = a\n    b\n  python_requires = >=3\n", []string{"2 install_requires a", "3 install_requires b", "4 python_requires >=3"}},
		{"python_requires on two lines", "[options]\npython_requires =\n >=3,\n <4", []string{"~2 python_requires >=3,\n<4"}},
		{"python_requires on the second", "[options]\npython_requires =\n >=3", []string{"3 python_requires >=3"}},
		{"python_requires empty", "[options]\npython_requires =", []string{}},
		{"text behind a header", "[options] # x\ninstall_requires = é", []string{"2 install_requires é"}},
		{"nul", "[options]\ninstall_requires = a\x00b", []string{"2 install_requires a\x00b"}},
	}
	for _, tt := range tests {
		c, err := Parse([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if diff := cmp.Diff(tt.want, show(c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		checkSpans(t, c.Items, tt.text)
	}
}

func checkSpans(t *testing.T, items []Item, text string) {
	t.Helper()
	for _, it := range items {
		if it.Line < 1 || it.Exact && text[it.Start:it.End] != it.Text {
			t.Errorf("%+v stands at %q", it, text[it.Start:it.End])
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	// Each value is referred to ten times by the next one.
	var bomb strings.Builder
	bomb.WriteString("[options]\nx0 = " + strings.Repeat("a", 100))
	for i := range 9 {
		bomb.WriteString(fmt.Sprintf("\nx%d = %s", i+1, strings.Repeat(fmt.Sprintf("%%(x%d)s", i), 10)))
	}
	tests := []struct {
		name, text string
		line       int
	}{
		{"no section", "\na = b", 2},
		{"section twice", "[a]\n[b]\n[a]", 3},
		{"option twice", "[a]\nx=1\nx:2", 3},
		{"option twice in defaults", "[DEFAULT]\nx=1\n[DEFAULT]\nx=2", 4},
		{"no value", "[a]\nx", 2},
		{"no name", "[a]\n=x\n y\nz=1", 2},
		{"open header", "[a]\n[b", 2},
		{"continuation of a section", "[a]\n  b", 2},
		{"not UTF-8", "[a]\nx=\xff", 2},
		{"byte order mark", "\ufeff[a]", 1},
		{"percent", "[options]\nsetup_requires = 5%", 2},
		{"missing reference", "[options]\nsetup_requires =\n a\n %(x)s", 4},
		{"open reference", "[options]\nsetup_requires = %(x", 2},
		{"empty reference", "[options]\nsetup_requires = %()s", 2},
		{"reference without s", "[options]\nsetup_requires = %(a)d", 2},
		{"circle", "[options]\nsetup_requires = %(setup_requires)s", 2},
		{"bomb", bomb.String() + "\ninstall_requires = %(x9)s", 12},
		{"extras on one line", "[options]\nextras_require = a", 2},
	}
	for _, tt := range tests {
		c, err := Parse([]byte(tt.text))
		var e *Error
		if !errors.As(err, &e) || e.Line != tt.line || len(c.Items) > 0 {
			t.Errorf("%s: %v, want an error on line %d", tt.name, err, tt.line)
		}
	}
}

func TestLong(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "a\n ", "=", ";", " #", "[", "\\\n ", "aaa\\\n ", "%%"} {
		text := "[options]\ninstall_requires = " + strings.Repeat(unit, 1_000_000/len(unit))
		if c, err := Parse([]byte(text)); err == nil {
			checkSpans(t, c.Items, text)
		}
	}
}

func TestFileItems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text       string
		semicolons bool
		want       []string
	}{
		{"# c\na>=1 # d\r\n\n b;x\n", true, []string{"2  a>=1", "4  b;x"}},
		{"a;b", true, []string{"1  a", "1  b"}},
		{"a;b\n", true, []string{"1  a;b"}},
		{"a;b", false, []string{"1  a;b"}},
		{"", true, []string{}},
		{"-r x.txt", false, []string{"1  -r x.txt"}},
	}
	for _, tt := range tests {
		items, err := FileItems([]byte(tt.text), tt.semicolons)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if diff := cmp.Diff(tt.want, show(Config{Items: items})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
		checkSpans(t, items, tt.text)
	}
	if _, err := FileItems([]byte("a\n\xff"), false); err == nil || err.Error() != "line 2: the line is not UTF-8" {
		t.Errorf("%v, want an error on line 2", err)
	}
}

// FuzzParse never panics, and what is exact stands where it is said to.
func FuzzParse(f *testing.F) {
	f.Add([]byte("[options]\ninstall_requires =\n  a # c\n  b%%%(x)s\nx: 1\n[options.extras_require]\nd = e; f"))
	f.Add([]byte("[DEFAULT]\r\ninstall_requires = file: a, b\r[options]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if c, err := Parse(src); err == nil {
			checkSpans(t, c.Items, string(src))
		}
		if items, err := FileItems(src, len(src)%2 == 0); err == nil {
			checkSpans(t, items, string(src))
		}
	})
}

func ExampleParse() {
	c, err := Parse([]byte("[options]\ninstall_requires =\n    setuptools>=70  # later more\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, it := range c.Items {
		fmt.Printf("%s line %d bytes %d-%d: %s\n", it.Key, it.Line, it.Start, it.End, it.Text)
	}
	// Output:
	// install_requires line 3 bytes 33-47: setuptools>=70
}
