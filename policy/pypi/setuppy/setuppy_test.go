package setuppy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes one item a line: place, key, text, with "~" where the place is
// not exact; then what is unprovable, with "?".
func show(s Setup) []string {
	out := []string{}
	for _, it := range s.Items {
		key, mark := it.Key, ""
		if it.Extra != "" {
			key += "[" + it.Extra + "]"
		}
		if !it.Exact {
			mark = "~"
		}
		out = append(out, fmt.Sprintf("%s%d %s %s", mark, it.Line, key, it.Text))
	}
	for _, u := range s.Unprovable {
		out = append(out, strings.TrimRight(fmt.Sprintf("?%d %s", u.Line, u.Key), " "))
	}
	return out
}

func check(t *testing.T, name, text string, want []string) {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if diff := cmp.Diff(want, show(s)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	checkSpans(t, s, text)
}

func checkSpans(t *testing.T, s Setup, text string) {
	t.Helper()
	for _, it := range s.Items {
		if it.Line < 1 || it.Exact && text[it.Start:it.End] != it.Text {
			t.Errorf("%+v stands at %q", it, text[it.Start:it.End])
		}
	}
	for _, u := range s.Unprovable {
		if u.Line < 1 || u.Reason == "" {
			t.Errorf("unprovable %+v", u)
		}
	}
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		want       []string
	}{
		{"nothing", "", []string{}},
		{"others", "name='x', packages=find_packages(), **{}", []string{"?1"}},
		{"list", "install_requires=['setuptools>=70', \"b\",],", []string{"1 install_requires setuptools>=70", "1 install_requires b"}},
		{"tuple", "setup_requires=('a', 'b')", []string{"1 setup_requires a", "1 setup_requires b"}},
		{"tuple of one", "tests_require=('a',)", []string{"1 tests_require a"}},
		{"string", "install_requires='a>=1'", []string{"1 install_requires a>=1"}},
		{"grouped", "install_requires=((['a']))", []string{"1 install_requires a"}},
		{"None", "install_requires=None, extras_require=None, python_requires=None", []string{}},
		{"empty", "install_requires=[], extras_require={}, setup_requires=()", []string{}},
		{"lines", "install_requires=\"\"\"\n  a>=1 # c\n\n  # d\n  b;x\n\"\"\"", []string{"2 install_requires a>=1", "5 install_requires b;x"}},
		{"lines, carriage returns", "install_requires='''a\r\nb\rc'''", []string{"1 install_requires a", "2 install_requires b", "3 install_requires c"}},
		{"comments and lines", "\ninstall_requires=[ # c ]\n  'a', # 'x'\n  'b'\n]", []string{"3 install_requires a", "4 install_requires b"}},
		{"joined strings", "install_requires=['a' '>=1', 'b'\n'<2']", []string{"~1 install_requires a>=1", "~1 install_requires b<2"}},
		{"raw", "install_requires=[r'a', R\"b\", u'c']", []string{"1 install_requires a", "1 install_requires b", "1 install_requires c"}},
		{"escapes", `install_requires=['\x61\142\u0063\U00000064', 'e\
f', 'a;x==\'y\'', '\q']`, []string{"~1 install_requires abcd", "~1 install_requires ef", "~2 install_requires a;x=='y'", `~2 install_requires \q`}},
		{"line feed in a string", `install_requires=['a\nb']`, []string{"~1 install_requires a", "~1 install_requires b"}},
		{"python_requires", "python_requires=' >=3.8 '", []string{"1 python_requires >=3.8"}},
		{"python_requires joined", "python_requires='>=3' ',<4'", []string{"~1 python_requires >=3,<4"}},
		{"extras", "extras_require={'dev': ['a', 'b'], 'd' 'oc': ('c',), ':os_name==\"nt\"': 'd', 'e': []}", []string{"1 extras_require[dev] a", "1 extras_require[dev] b", "1 extras_require[doc] c", "1 extras_require[:os_name==\"nt\"] d"}},
		{"bytes", "install_requires=[b'a', 'b']", []string{"1 install_requires b", "?1 install_requires"}},
		{"fields", "install_requires=[f'a{x}', F'a', 'b']", []string{"1 install_requires b", "?1 install_requires", "?1 install_requires"}},
		{"a character by name", `install_requires=['\N{DASH}']`, []string{"?1 install_requires"}},
		{"a bad escape", `install_requires=['\x6', '\ud800', '\777']`, []string{"~1 install_requires ǿ", "?1 install_requires", "?1 install_requires"}},
		{"not UTF-8", "install_requires=['a\xff', '''b\xff''']", []string{"?1 install_requires", "?1 install_requires"}},
		{"sum", "install_requires=['a'] + x", []string{"?1 install_requires"}},
		{"method", "install_requires='a b'.split()", []string{"?1 install_requires"}},
		{"format", "install_requires=['a%s' % x, 'b']", []string{"1 install_requires b", "?1 install_requires"}},
		{"condition", "install_requires=['a'] if x else []", []string{"?1 install_requires"}},
		{"comprehension", "install_requires=[x for x in y]", []string{"?1 install_requires"}},
		{"generator", "install_requires=('a' for x in y)", []string{"?1 install_requires"}},
		{"starred", "install_requires=[*x, 'a']", []string{"1 install_requires a", "?1 install_requires"}},
		{"nested", "install_requires=[['a']]", []string{"?1 install_requires"}},
		{"set", "install_requires={'a'}", []string{"?1 install_requires"}},
		{"call", "install_requires=read('r.txt')", []string{"?1 install_requires"}},
		{"number", "install_requires=[1.5e-3, 0x1f, .5]", []string{"?1 install_requires", "?1 install_requires", "?1 install_requires"}},
		{"empty element", "install_requires=['a',,]", []string{"1 install_requires a", "?1 install_requires"}},
		{"no value", "install_requires=", []string{"?1 install_requires"}},
		{"extras by call", "extras_require=dict(a=['b'])", []string{"?1 extras_require"}},
		{"extras with a variable key", "extras_require={x: ['a'], 'b': ['c'], **d, 'e'}", []string{"1 extras_require[b] c", "?1 extras_require", "?1 extras_require", "?1 extras_require"}},
		{"extras with a variable value", "extras_require={'a': x, 'b': ['c']}", []string{"1 extras_require[b] c", "?1 extras_require"}},
		{"keywords from a variable", "install_requires=['a'], **x", []string{"1 install_requires a", "?1"}},
		{"arguments from a variable", "*x", []string{"?1"}},
		{"position", "x, {'a': 'b'}", []string{"?1", "?1"}},
		{"python_requires from a variable", "python_requires=x", []string{"?1 python_requires"}},
		{"pbr", "setup_requires=['pbr'], pbr=True", []string{"1 setup_requires pbr", "?1 install_requires"}},
		{"no pbr", "pbr=False", []string{}},
		{"lambda", "cmdclass={'a': lambda x, y=[1]: {2: 3}}, install_requires=['a']", []string{"1 install_requires a"}},
	}
	for _, tt := range tests {
		check(t, tt.name, "setup("+tt.args+")", tt.want)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	const args = "(install_requires=['a'])"
	a := []string{"1 install_requires a"}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty file", "", []string{"?1"}},
		{"no call", "import setuptools\nprint('setup()') # setup()", []string{"?1"}},
		{"module", "import setuptools; setuptools.setup" + args, a},
		{"module of a module", "import distutils.core; distutils.core.setup" + args, a},
		{"module by another name", "import setuptools as s; s.setup" + args, a},
		{"module from a package", "from distutils import core; core.setup" + args, a},
		{"another name", "from setuptools import (find_packages, setup as s,); s" + args, a},
		{"own object", "x.setup" + args + "; setup()", []string{}},
		{"what a call gives", "import m; m.f().setup(); setup()", []string{}},
		{"method", "class A:\n  def setup(self): pass\nsetup()", []string{}},
		{"function", "def setup(**k): pass\nsetup" + args, []string{"2 install_requires a", "?1"}},
		{"handed on", "import functools\nf = functools.partial(setup, install_requires=['a'])\nf()", []string{"?2", "?1"}},
		{"assigned", "s = setup\nsetup()", []string{"?1"}},
		{"keyword", "f(setup=1)\nsetup()", []string{}},
		{"indented", "if __name__ == '__main__':\n\tsetup(\n\t\tinstall_requires=['a'])", []string{"3 install_requires a"}},
		{"two", "if x: setup" + args + "\nelse: setup(setup_requires=['b'])", []string{"1 install_requires a", "2 setup_requires b"}},
		{"space", "setup \\\n (install_requires \\\r\n = [ 'a' ] )", []string{"3 install_requires a"}},
		{"byte order mark", "\ufeffsetup" + args, a},
		{"form feed", "\fsetup" + args, a},
		{"no keyword", "print(install_requires=['b'])\nsetup()", []string{}},
	}
	for _, tt := range tests {
		check(t, tt.name, tt.text, tt.want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	const call = "\nsetup(install_requires=r)"
	a := []string{"1 install_requires a"}
	no := func(line int) []string { return []string{fmt.Sprintf("?%d install_requires", line)} }
	tests := []struct {
		name, text string
		want       []string
	}{
		{"list", "r = ['a']" + call, a},
		{"with a type", "r: list[str] = ['a']" + call, a},
		{"behind a semicolon", "x = 1; r = ['a']" + call, a},
		{"grouped", "r = (['a'])" + call, a},
		{"string", "r = 'a'" + call, a},
		{"element", "r = 'a'\nsetup(install_requires=[r, 'b'])", []string{"1 install_requires a", "2 install_requires b"}},
		{"extras", "r = {'x': ['a']}\nsetup(extras_require=r)", []string{"1 extras_require[x] a"}},
		{"used twice", "r = ['a']\nsetup(install_requires=r, extras_require={'t': r})", []string{"1 install_requires a", "1 extras_require[t] a"}},
		{"in a sum", "r = ['a']\nsetup(install_requires=r, tests_require=r + ['b'])", []string{"1 install_requires a", "?2 tests_require"}},
		{"in another literal", "r = ['a']\ne = {'x': r}\nsetup(install_requires=r, extras_require=e)", []string{"1 install_requires a", "1 extras_require[x] a"}},
		{"keyword of another call", "r = ['a']\nf(r=1)" + call, a},
		{"attribute of that name", "r = ['a']\nx.r.append(1)" + call, a},
		{"never assigned", call, no(2)},
		{"imported", "from x import r" + call, no(2)},
		{"twice", "r = ['a']\nr = ['b']" + call, no(3)},
		{"indented", "if x:\n  r = ['a']" + call, no(3)},
		{"under a condition", "if x: r = ['a']" + call, no(2)},
		{"appended", "r = ['a']\nr.append('b')" + call, no(3)},
		{"added to", "r = ['a']\nr += ['b']" + call, no(3)},
		{"set by index", "r = ['a']\nr[0] = 'b'" + call, no(3)},
		{"given to a function", "r = ['a']\nf(r)" + call, no(3)},
		{"given to a function in the call", "r = ['a']\nsetup(install_requires=r, x=f(r))", no(2)},
		{"given to a function as a keyword", "r = ['a']\nsetup(install_requires=r, x=f(y=r))", no(2)},
		{"subscript in the call", "r = ['a']\nsetup(install_requires=r, x=y[r])", no(2)},
		{"another name for it", "r = ['a']\ns = r\ns.append('b')" + call, no(4)},
		{"in a literal that is changed", "r = ['a']\ne = {'x': r}\ne['x'].append(1)" + call, no(4)},
		{"in a literal that is given away", "r = ['a']\nf({'x': r})" + call, no(3)},
		{"chain", "q = ['a']\nr = q" + call, no(2)},
		{"two at once", "r = s = ['a']" + call, no(1)},
		{"circle", "r = [s]\ns = [r]\nsetup(install_requires=r, tests_require=s)", []string{"?3 install_requires", "?3 tests_require"}},
		{"unpacked", "r = ['a']\n(x, r) = 1, 2" + call, no(3)},
		{"loop", "r = ['a']\nfor r in x: pass" + call, no(3)},
		{"deleted", "r = ['a']\ndel r" + call, no(3)},
		{"in a walrus", "r = ['a']\nsetup(install_requires=r, x=[y := r])", no(2)},
		{"in a condition", "r = ['a']\nsetup(install_requires=r, x=r if y else 1)", no(2)},
		{"a function's", "def f():\n  r = ['a']\n" + call, no(4)},
		{"an expression", "r = open('r.txt').read().split()" + call, no(1)},
	}
	for _, tt := range tests {
		check(t, tt.name, tt.text, tt.want)
	}
}

// TestFields holds strings that end where it is hard to see.
func TestFields(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		`f"{x["a"]}"`, `f'{x['a']}'`, `f"{{"`, `f"}}"`, `f"{x:{y}}"`, `f'{x:"^10}'`, `f"{x!r:>{w["z"]}}"`, `f"{ {'a': 1}['a'] }"`,
		`rf"\{x}"`, `f"\{x["a"]}"`, `f"{f"{f"{1}"}"}"`, "f'''{\nx # it's\n}'''", `F"{b'"'}"`, `t"{x[")"]}"`, `f"{x:%H:%M}"`, `rb"\""`, `'\\'`, `""`, `""""a"b"""`, `'''\''''`, "'\\\r\n'", "'\\\n'",
		`f"\N{DASH}"`, `f"{lambda_x(lambda: 1)}"`,
	} {
		check(t, s, "x = "+s+"\nsetup(install_requires=['a'])", []string{fmt.Sprintf("%d install_requires a", 2+lineCount(s))})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		line int
	}{
		{"\nsetup(", 2},
		{"setup(\n)]", 2},
		{"setup(\n]", 2},
		{"\nx = 'a\n'", 2},
		{"\n\nx = \"\"\"a\n", 3},
		{"x = f'{'", 1},
		{"x = f'{x:'", 1},
		{"x = f'{#'", 1},
		{"x = $", 1},
		{"x = 1 \\ 2", 1},
		{"x\n\x00", 2},
		{"`x`", 1},
		{"a ! b", 1},
		{strings.Repeat("f'{", 30), 1},
		{strings.Repeat("a", 1<<20+1), 1},
		{strings.Repeat("(", 1<<20), 1},
	}
	for _, tt := range tests {
		s, err := Parse([]byte(tt.text))
		var e *Error
		if !errors.As(err, &e) || e.Line != tt.line || len(show(s)) > 0 {
			t.Errorf("%.20q: %v, want an error on line %d", tt.text, err, tt.line)
		}
	}
}

// TestLong are large files made to take long.
func TestLong(t *testing.T) {
	t.Parallel()
	units := []string{
		"setup()\n", "setup(install_requires=r)\n", "m.setup", ".setup", "import ", "from a import b, ", "r = [r]\n", "a ", "'a',", "'a' ", "{'a':", "f'{x}'", "f'", "\\\n", "\n", "x[", "((", "[],", "{},", "r=", "setup ", "b.", "\t", "\\",
		"setup(a=[r], install_requires=[r])\n", "q = {'x': r}\n",
	}
	for _, unit := range units {
		for _, frame := range [][2]string{{"", ""}, {"import m\nr = ['a']\n", "\nsetup(install_requires=r)"}, {"setup(install_requires=[", "])"}, {"setup(extras_require={", "})"}} {
			n := (1 << 18) / len(unit)
			text := frame[0] + strings.Repeat(unit, n) + frame[1]
			if s, err := Parse([]byte(text)); err == nil {
				checkSpans(t, s, text)
			}
		}
	}
	deep := "setup(install_requires=" + strings.Repeat("(", 200_000) + "['a']" + strings.Repeat(")", 200_000) + ")"
	check(t, "deep", deep, []string{"1 install_requires a"})
}

// FuzzParse never panics; what is exact stands where it is said to; and no
// file passes in silence that has no call of setup().
func FuzzParse(f *testing.F) {
	f.Add([]byte("import setuptools as s\nr = ['a', 'b' 'c']\ns.setup(install_requires=r, extras_require={'x': ('y',), **z}, python_requires='>=3')"))
	f.Add([]byte("from setuptools import setup as q\nq(*a, tests_require=f'{x['b']:{y}}', setup_requires=\"\"\"a\r\nb # c\"\"\")"))
	f.Add([]byte("r: x = (('\\x61\\N{a}\\\r\n'))\nif 1: setup(install_requires=[r, *r]); r += 1"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse(src)
		if err != nil {
			return
		}
		checkSpans(t, s, string(src))
		if !strings.Contains(string(src), "setup") && len(s.Unprovable) == 0 {
			t.Error("a file without setup passes in silence")
		}
	})
}

func ExampleParse() {
	s, err := Parse([]byte("from setuptools import setup\nsetup(\n    install_requires=[\"setuptools>=70\", extra()],\n)\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, it := range s.Items {
		fmt.Printf("%s line %d bytes %d-%d: %s\n", it.Key, it.Line, it.Start, it.End, it.Text)
	}
	for _, u := range s.Unprovable {
		fmt.Printf("%s line %d: %s\n", u.Key, u.Line, u.Reason)
	}
	// Output:
	// install_requires line 3 bytes 59-73: setuptools>=70
	// install_requires line 3: the value is no plain list of strings; only running the file can tell it
}
