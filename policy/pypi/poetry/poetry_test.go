package poetry

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// in gives the clauses of PEP 440 that a constraint is read as.
func in(c Constraint) string {
	var out []string
	for _, b := range c.Branches {
		if s := b.Specifiers().String(); s != "" {
			out = append(out, s)
		} else {
			out = append(out, "*")
		}
	}
	return strings.Join(out, " || ")
}

// TestParse holds the examples of Poetry's documentation ("Dependency
// specification"), of poetry-core's tests, and what its code says of the rest.
func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"^1.2.3", ">=1.2.3,<2.0.0"},
		{"^1.2", ">=1.2,<2.0"},
		{"^1", ">=1,<2"},
		{"^0.2.3", ">=0.2.3,<0.3.0"},
		{"^0.0.3", ">=0.0.3,<0.0.4"},
		{"^0.0", ">=0.0,<0.1"},
		{"^0", ">=0,<1"},
		{"^70.1", ">=70.1,<71.0"},
		{"^0.0.0.5", ">=0.0.0.5,<0.0.1.0"},
		{"^1.2.3.4", ">=1.2.3.4,<2.0.0.0"},
		{"^1!2.3", ">=1!2.3,<1!3.0"},
		{"^1.0.0a1", ">=1.0.0a1,<2.0.0"},
		{"^0-alpha.1", ">=0a1,<1"},
		{"^1.0.post2", ">=1.0.post2,<2.0"},
		{"^ 1.2", ">=1.2,<2.0"},
		{"^v1", ">=1,<2"},
		{"^99999999999999999999.9", ">=99999999999999999999.9,<100000000000000000000.0"},
		{"~1.2.3", ">=1.2.3,<1.3.0"},
		{"~1.2", ">=1.2,<1.3"},
		{"~1", ">=1,<2"},
		{"~83.0", ">=83.0,<83.1"},
		{"~1.2.3.4", ">=1.2.3.4,<1.3.0.0"},
		{"~1.0-b2", ">=1.0b2,<1.1"},
		{"~=3.5", ">=3.5,<4.0"},
		{"~=3.5.3", ">=3.5.3,<3.6.0"},
		{"~=3.5.3rc1", ">=3.5.3rc1,<3.6.0"},
		{"~=3", ">=3,<3.1"},
		{"*", "*"},
		{"*.*", "*"},
		{"v*.X", "*"},
		{"*,>=1", ">=1"},
		{"1.*", "==1.*"},
		{"1.2.*", "==1.2.*"},
		{"==1.2.*", "==1.2.*"},
		{"=1.2.*", "==1.2.*"},
		{"!=1.2.*", "!=1.2.*"},
		{"2.*.*", "==2.*"},
		{"2.x", "==2.*"},
		{"1.2.3.4.*", "==1.2.3.4.*"},
		{">=3.5.*", ">=3.5"},
		{"2.0a1.*", ">=2.0a1.dev0,<2.0a2.dev0"},
		{"2.0.post1.*", ">=2.0.post1.dev0,<2.0.post2.dev0"},
		{"2.0.dev0.*", ">=2.0.dev0,<2.0.dev1"},
		{"83.0.0", "==83.0.0"},
		{"=1.0", "==1.0"},
		{"==1.0", "==1.0"},
		{"1.0+cu118", "==1.0+cu118"},
		{"!=1.0", "!=1.0"},
		{">1,<=2", ">1,<=2"},
		{">dev", ">0.0.dev0"},
		{">=1.0+l,<=2.0+l", ">=1.0+l,<=2.0"},
		{">1.0+l,<2.0+l", ">=1.0+l,<2.0"},
		{">= 1.0 , < 2", ">=1.0,<2"},
		{">=1.0  <2", ">=1.0,<2"},
		{">=1 <2 !=1.5", ">=1,<2,!=1.5"},
		{">3.7 , || <3.6 , ", ">3.7 || <3.6"},
		{">1,,", ">1"},
		{">=70 || ^84", ">=70 || >=84,<85"},
		{"1|2 |3", "==1 || ==2 || ==3"},
		{" \t1.0\n", "==1.0"},
		{">=\t1.0", ">=1.0"},
	}
	for _, tt := range tests {
		c, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if got := in(c); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text   string
		offset int
	}{
		{"", 0},
		{" ", 0},
		{",", 0},
		{",1", 0},
		{"1,,2", 2},
		{"1, ,", 2},
		{"1 || ", 4},
		{"1|||2", 3},
		{"||1", 0},
		{"===1.0", 2},
		{"<>1.0", 1},
		{"^", 1},
		{"^ ", 1},
		{">=,1", 2},
		{"=>1", 1},
		{"(>=1.0)", 0},
		{">=1.0)", 2},
		{"^1.2.*", 1},
		{"~1.*", 1},
		{"~=1.2.*", 2},
		{">=1.*.*", 2},
		{"1.2.3.4.*.*", 0},
		{"=1.*.*", 1},
		{">=2.x", 2},
		{"1.0+l.*", 0},
		{"!=1.0a1.*", 2},
		{"1.0a1.dev1.*", 0},
		{"1.0.post1.dev1.*", 0},
		{"**", 0},
		{"==*", 2},
		{"^dev", 1},
		{"DEV", 0},
		{"latest", 0},
		{"1.0 - 2.0", 4},
		{"1.0\t<2", 0},
		{"1.0\t,2", 0},
		{"1\x00", 0},
		{"\xff", 0},
		{">=1.0; python_version < '3'", 2},
		{"@ git+https://u:p@e.com/x", 0},
	}
	for _, tt := range tests {
		c, err := Parse(tt.text)
		var e *SyntaxError
		if !errors.As(err, &e) || e.Offset != tt.offset || len(c.Branches) > 0 {
			t.Errorf("%q: %s, %v; want an error at byte %d", tt.text, in(c), err, tt.offset)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	const text = " >= 1.0 ,<2 || 3.* , || *"
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range c.Branches {
		got = append(got, text[b.Start:b.End])
		for _, c := range b.Clauses {
			got = append(got, fmt.Sprintf("%s %s %t %t %s", c.Op, c.Text, c.Wildcard, c.Any, text[c.Start:c.End]))
		}
	}
	want := []string{
		">= 1.0 ,<2", ">= 1.0 false false >= 1.0", "< 2 false false <2",
		"3.*", " 3.* true false 3.*",
		"*", " * false true *",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func version(t testing.TB, text string) pep440.Version {
	t.Helper()
	v, err := pep440.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFloor holds the cases F76 to F82 of the project's edge cases: what lies
// below 83.0.0 and may be picked.
func TestFloor(t *testing.T) {
	t.Parallel()
	floor := version(t, "83.0.0")
	below := pep440.Between(nil, &floor)
	tests := []struct {
		text string
		pre  bool
		want string
	}{
		{"^70.1", false, "[70.1, 71.0.dev0)"},
		{"^0.2.3", false, "[0.2.3, 0.3.0.dev0)"},
		{"~83.0", false, "nothing"},
		{"83.0.0", false, "nothing"},
		{"*", false, "(-∞, 83.0.0)"},
		{">=70 || ^84", false, "[70, 83.0.0)"},
		{"^84 || 83.*", false, "nothing"},
		{"^84 || 83.*", true, "[83.dev0, 83.0.0)"},
		{">=83.0.0rc1", false, "[83.0.0rc1, 83.0.0)"},
		{"<=80 || >=83", false, "(-∞, 80]"},
	}
	for _, tt := range tests {
		c, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		got := c.EffectiveIn(below, tt.pre)
		if got.String() != tt.want {
			t.Errorf("%q admits %s below the floor, want %s", tt.text, got, tt.want)
		}
		if !got.Subset(c.Effective(tt.pre)) || !c.Effective(tt.pre).Subset(c.Set()) {
			t.Errorf("%q: the sets don't lie in each other", tt.text)
		}
	}
}

func TestNamesPre(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"^1.0": false, "^1.0a1": true, "1 || >=2.dev0": true, "*": false, "1.0a1.*": true, "!=1.0a1": false} {
		if c, err := Parse(text); err != nil || c.NamesPre() != want {
			t.Errorf("%q: %t, %v; want %t", text, c.NamesPre(), err, want)
		}
	}
}

func TestLong(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"1,", "1 ", "1||", "||", ",", "*.", "1.", ".*", "^", " ", "1.*||"} {
		text := strings.Repeat(unit, 5_000_000/len(unit))
		if _, err := Parse(text); err == nil {
			t.Errorf("%q without end is taken", unit)
		}
		if _, err := Parse("^1" + text); err == nil && unit != " " && unit != "," {
			t.Errorf("%q without end behind a version is taken", unit)
		}
	}
}

// FuzzParse never panics; clauses stand where they are said to, in order; the
// sets lie in each other, and the constraint is the union of its branches.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"^1.2 || ~=0.0.3,!=1.*", "2.0a1.*|>=1!0+l <dev", "*,x.X||=1.x", " >= 1 , , || 1.0.post1.*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%v", err)
			}
			return
		}
		at := 0
		for _, b := range c.Branches {
			for _, cl := range b.Clauses {
				if cl.Start < at || cl.End > b.End || cl.Start < b.Start || !strings.HasPrefix(text[cl.Start:cl.End], string(cl.Op)) || !strings.HasSuffix(text[cl.Start:cl.End], cl.Text) {
					t.Fatalf("%q: clause %+v", text, cl)
				}
				at = cl.End
			}
			if !b.Specifiers().Set().Subset(c.Set()) {
				t.Fatalf("%q: branch %q is not in the whole", text, text[b.Start:b.End])
			}
		}
		if !c.Effective(false).Subset(c.Effective(true)) || !c.Effective(true).Subset(c.Set()) {
			t.Fatalf("%q: the sets don't lie in each other", text)
		}
	})
}

func ExampleParse() {
	c, err := Parse(">=70 || ^84")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Set())
	_, err = Parse("=>70")
	fmt.Println(err)
	// Output:
	// [70, ∞)
	// not a constraint of Poetry at byte 1: this is no version number
}
