package pep508

import (
	"errors"
	"strings"
	"testing"
)

// TestSpans shows each part's span between bars: name, extras, specifier,
// specifier without parentheses, URL, marker.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, name, extras, spec, inner, url, marker string }{
		{"a", "|a|", "a||", "a||", "a||", "||a", "||a"},
		{"  a  ", "  |a|  ", "  a||  ", "  a||  ", "  a||  ", "||  a  ", "||  a  "},
		{
			"a >=1 , <2 ", "|a| >=1 , <2 ", "a|| >=1 , <2 ", "a |>=1 , <2| ", "a |>=1 , <2| ",
			"||a >=1 , <2 ", "||a >=1 , <2 ",
		},
		{
			`a [x, y] ( >=1 ) ; os_name=="nt" `, `|a| [x, y] ( >=1 ) ; os_name=="nt" `, `a |[x, y]| ( >=1 ) ; os_name=="nt" `,
			`a [x, y] |( >=1 )| ; os_name=="nt" `, `a [x, y] ( |>=1| ) ; os_name=="nt" `,
			`||a [x, y] ( >=1 ) ; os_name=="nt" `, `a [x, y] ( >=1 ) ; |os_name=="nt"| `,
		},
		{"a [x] ", "|a| [x] ", "a |[x]| ", "a [x]|| ", "a [x]|| ", "||a [x] ", "||a [x] "},
		{"a ()", "|a| ()", "a|| ()", "a |()|", "a (||)", "||a ()", "||a ()"},
		{"a>=1,", "|a|>=1,", "a||>=1,", "a|>=1,|", "a|>=1,|", "||a>=1,", "||a>=1,"},
		{
			`a @ https://e.com/x ;extra=="x"`, `|a| @ https://e.com/x ;extra=="x"`, `a|| @ https://e.com/x ;extra=="x"`,
			`a|| @ https://e.com/x ;extra=="x"`, `a|| @ https://e.com/x ;extra=="x"`,
			`a @ |https://e.com/x| ;extra=="x"`, `a @ https://e.com/x ;|extra=="x"|`,
		},
	} {
		r, err := Parse(tc.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tc.in, err)
			continue
		}
		for _, part := range []struct {
			what, want string
			span       Span
		}{
			{"name", tc.name, r.NameSpan},
			{"extras", tc.extras, r.ExtrasSpan},
			{"specifier", tc.spec, r.SpecSpan},
			{"inner specifier", tc.inner, r.SpecInner},
			{"URL", tc.url, r.URLSpan},
			{"marker", tc.marker, r.MarkerSpan},
		} {
			got := tc.in[:part.span.Start] + "|" + tc.in[part.span.Start:part.span.End] + "|" + tc.in[part.span.End:]
			if got != part.want {
				t.Errorf("%s of %q: %s, want %s", part.what, tc.in, got, part.want)
			}
		}
	}
}

func TestClauseOffsets(t *testing.T) {
	t.Parallel()
	const text = "a[x] ( >= 1.0 , <2 )"
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	inner := text[r.SpecInner.Start:r.SpecInner.End]
	for i, want := range []string{">= 1.0", "<2"} {
		c := r.Specifiers.Clauses[i]
		if got := inner[c.Start:c.End]; got != want {
			t.Errorf("clause %d is %q, want %q", i, got, want)
		}
	}
}

func TestSpanEmpty(t *testing.T) {
	t.Parallel()
	if !(Span{3, 3}).Empty() || (Span{3, 4}).Empty() {
		t.Error("a span is empty if it holds no byte")
	}
}

// TestDeviations are the texts that are read otherwise than packaging reads
// them; the package comment gives the reasons.
func TestDeviations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a===1.0, <2": "a<2,===1.0",
		`a; (((os_name=="a" or os_name=="b"))) and os_name=="c"`: `a; (os_name == "a" or os_name == "b") and os_name == "c"`,
	} {
		r, err := Parse(text)
		if err != nil || r.String() != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, r.String(), err, want)
		}
	}
	for _, text := range []string{"a===1,,<2", "a @ x\x01y", `a; os_name == "a\x41"`} {
		if r, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", text, r)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a [y, x,y] ( >=1 , <2, )":     "a[x,y]<2,>=1",
		`a@u ; os_name=='"'`:           `a @ u ; os_name == '"'`,
		"Foo.Bar":                      "Foo.Bar",
		"a>=1;(python_version<'3')":    `a>=1; python_version < "3"`,
		`a;os.name=="x"and"y"in extra`: `a; os_name == "x" and "y" in extra`,
		`a;'X_Y' in extras`:            `a; "X_Y" in extras`,
		`a;("x"=="y")or(('a'!="b"))`:   `a; "x" == "y" or "a" != "b"`,
		`a; extra == "A_b" and (os_name == "x" and (os_name == "y" or os_name == "z"))`: `a; extra == "a-b" and (os_name == "x" and (os_name == "y" or os_name == "z"))`,
	} {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if got := r.String(); got != want {
			t.Errorf("Parse(%q) = %q, want %q", text, got, want)
		}
		checkRoundTrip(t, r)
	}
}

func TestRequirementErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in     string
		offset int
		want   string
	}{
		{"", 0, "starts with the name of a project: found the end"},
		{"  ", 2, "starts with the name"},
		{"\na", 0, `found '\n'`},
		{"-e .", 0, "belong into a requirements file"},
		{"./a", 0, "belong into a requirements file"},
		{"[x]", 0, `found '['`},
		{"a-", 1, "a name ends with a letter or a digit"},
		{"a b", 2, `after the name comes a specifier such as >=1.0, an @ with a URL, or a ; with a marker: found 'b'`},
		{"a 1.0", 2, "after the name comes"},
		{"a#c", 1, "after the name comes"},
		{"ä", 0, "found 'ä'"},
		{"aä", 1, "found 'ä'"},
		{"a\u202eb", 1, `found '\u202e'`},
		{"a\xff", 1, `found '�'`},
		{"a\n", 1, `found '\n'`},
		{"a[x", 3, "goes on with a comma or ends with ]: found the end"},
		{"a[x y]", 4, "found 'y'"},
		{"a[,x]", 2, "an extra is a name"},
		{"a[x,]", 4, "take the comma before it away"},
		{"a[x-]", 2, "an extra is a name"},
		{"a[x][y]", 4, "after the name comes"},
		{"a=1.0", 1, "no operator of PEP 440"},
		{"a^1.0", 1, "no operator of PEP 440"},
		{"a>=1 b", 4, `invalid specifier ">=1 b"`},
		{"a>=1,,<2", 5, "a clause such as >=1.0 is missing here"},
		{"a,", 1, "after the name comes"},
		{"a(,)", 2, "a clause such as >=1.0 is missing here"},
		{"a>=1,x", 5, "a clause such as >=1.0 is missing here"},
		{"a>=1\n", 4, "white space in a requirement is spaces and tabs"},
		{"a>=1\x1c,<2", 4, "white space in a requirement is spaces and tabs"},
		{"a (>=1", 2, "no matching )"},
		{"a (>=1; os_name", 2, "no matching )"},
		{"a>=1)", 4, "no matching ("},
		{"a (>=1) (<2)", 8, "goes on with a ; and a marker, or ends: found '('"},
		{"a~=1", 3, "~= needs two parts"},
		{"a @", 3, "a URL or a path is missing after @"},
		{"a @ ", 4, "a URL or a path is missing after @"},
		{"a @ https://u:s3cret@e.com/x y", 29, "a URL has no blanks"},
		{"a @ x\ny", 5, "the URL has a control character"},
		{"a>=1 @ https://u:s3cret@e.com", 5, "versions or a URL, not both"},
		{"a;", 2, "a marker's variable or a text in quotes is missing here: found the end"},
	} {
		_, err := Parse(tc.in)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%q): %v, want a *SyntaxError", tc.in, err)
			continue
		}
		if syntax.Offset != tc.offset || !strings.Contains(syntax.Msg, tc.want) {
			t.Errorf("Parse(%q): at %d %s; want at %d %s", tc.in, syntax.Offset, syntax.Msg, tc.offset, tc.want)
		}
		if strings.Contains(err.Error(), "s3cret") || strings.ContainsAny(err.Error(), "\n\x01\u202e") {
			t.Errorf("Parse(%q) prints what it must not: %v", tc.in, err)
		}
	}
}

func TestErrorNamesPosition(t *testing.T) {
	t.Parallel()
	_, err := Parse("a[")
	const want = "an extra is a name of letters, digits, ., - and _, with a letter or a digit at both ends: write it, or take the comma before it away (at byte 2)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestHuge holds that texts beyond all measure are refused before they cost
// anything, and those just below it are read in time.
func TestHuge(t *testing.T) {
	t.Parallel()
	const many = 1_000_000
	for name, text := range map[string]string{
		"parentheses":     "a; " + strings.Repeat("(", many),
		"closed":          "a; " + strings.Repeat("(", many) + `os_name == "x"` + strings.Repeat(")", many),
		"long line":       "a" + strings.Repeat(">=1,", 10*many/4),
		"name":            strings.Repeat("a", 10*many),
		"deep":            "a; " + strings.Repeat("(", MaxDepth+1) + `os_name == "x"` + strings.Repeat(")", MaxDepth+1),
		"open":            "a; " + strings.Repeat("(", MaxLength-3),
		"open extras":     "a[" + strings.Repeat("x,", MaxLength/2-1),
		"open quote":      "a; os_name == '" + strings.Repeat("x", MaxLength-15),
		"long version":    "a==" + strings.Repeat("1.", MaxLength/2-2),
		"specifier opens": "a" + strings.Repeat("(", MaxLength-1),
	} {
		_, err := Parse(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v, want a *SyntaxError", name, err)
			continue
		}
		if len(err.Error()) > 500 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := ParseMarker(strings.Repeat("(", many)); err == nil {
		t.Error("a million parentheses are a marker")
	}
}

// TestLimits holds that what is just within the limits is read.
func TestLimits(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", MaxDepth) + `os_name == "x"` + strings.Repeat(")", MaxDepth)
	for name, text := range map[string]string{
		"deep":     "a; " + deep,
		"clauses":  "a" + strings.Repeat(">=1,", 5000),
		"extras":   "a[x" + strings.Repeat(",x", (MaxLength-4)/2) + "]",
		"marker":   `a; os_name=="x"` + strings.Repeat(` or os_name=="x"`, (MaxLength-15)/16),
		"a number": "a==" + strings.Repeat("1", MaxLength-3),
	} {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Parse(r.String()); err != nil && len(r.String()) <= MaxLength {
			t.Errorf("%s, printed: %v", name, err)
		}
	}
}
