package pep440

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClauseOffsets(t *testing.T) {
	t.Parallel()
	text := " >= 1.0 , ,==2.*,\u00a0===x\t"
	got := mustSpecifiers(t, text).Clauses
	want := []Clause{
		{Op: GreaterEqual, Text: "1.0", Version: mustParse(t, "1.0"), Start: 1, End: 7},
		{Op: Equal, Text: "2.*", Version: mustParse(t, "2"), Wildcard: true, Start: 11, End: 16},
		{Op: Arbitrary, Text: "x", Start: 19, End: 23},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q: -want +got\n%s", text, diff)
	}
	if got := mustSpecifiers(t, text).String(); got != ">=1.0,==2.*,===x" {
		t.Errorf("%q prints as %q", text, got)
	}
}

func TestSpecifierErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1.0":         `invalid specifier "1.0" at byte 0: an operator is missing: ~= == != <= >= < > or ===`,
		">=1, =1":     `invalid specifier "=1" at byte 5: this is no operator of PEP 440; they are ~= == != <= >= < > ===`,
		"=>83":        `invalid specifier "=>83" at byte 0: this is no operator of PEP 440; they are ~= == != <= >= < > ===`,
		"^1.0":        `invalid specifier "^1.0" at byte 0: this is no operator of PEP 440; they are ~= == != <= >= < > ===`,
		">=":          `invalid specifier ">=" at byte 2: a version begins with a number, such as 1.0`,
		"~=83":        `invalid specifier "~=83" at byte 2: ~= needs two parts of a release at least, such as ~=1.0`,
		">=3.5.*":     `invalid specifier ">=3.5.*" at byte 2: a version with .* is for == and != only`,
		"== 1.0a1.*":  `invalid specifier "== 1.0a1.*" at byte 3: only a release may end in .*, such as 1.2.*`,
		">=1.0+local": `invalid specifier ">=1.0+local" at byte 2: a local label (+…) is for == and != only`,
		">=1.0 <2":    `invalid specifier ">=1.0 <2" at byte 5: a comma is missing between two clauses, or an operator is not one`,
		"===a b":      `invalid specifier "===a b" at byte 4: this can't be part of a version after ===`,
		">=1.0;x":     `invalid specifier ">=1.0;x" at byte 5: this is no part of a version number`,
	} {
		_, err := ParseSpecifiers(text)
		if err == nil || err.Error() != want {
			t.Errorf("ParseSpecifiers(%q): error %v, want %s", text, err, want)
		}
	}
}

func TestArbitraryEquality(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		spec, text string
		want       bool
	}{
		{"===1.0", "1.0", true},
		{"===1.0", "1.0.0", false},
		{"===1.0+LOCAL", "1.0+local", true},
		{"===Wat", "wAT", true},
		{"===wat", "wait", false},
		{"===wat,>=1", "wat", false},
		{">=1", "wat", false},
		{"", "wat", false},
		{"===1.0+\u0130", "1.0+i", false},
	} {
		if got := mustSpecifiers(t, row.spec).ContainsText(row.text, PreDefault); got != row.want {
			t.Errorf("%q contains %q: %v", row.spec, row.text, got)
		}
	}
	if s := mustSpecifiers(t, ">=1,===wat"); !s.Opaque() || !s.Set().Empty() {
		t.Errorf("%v: opaque %v, set %v", s, s.Opaque(), s.Set())
	}
	if s := mustSpecifiers(t, "===1.0.0"); s.Opaque() || !s.Set().Equal(Only(mustParse(t, "1"))) {
		t.Errorf("%v: opaque %v, set %v", s, s.Opaque(), s.Set())
	}
}

func TestFilterPolicies(t *testing.T) {
	t.Parallel()
	versions := []Version{mustParse(t, "2.0rc1"), mustParse(t, "1.0"), mustParse(t, "2.0")}
	for _, row := range []struct {
		spec   string
		policy Pre
		want   string
	}{
		{">=1", PreDefault, "1.0 2.0"},
		{">=1", PreYes, "2.0rc1 1.0 2.0"},
		{">=1", PreNo, "1.0 2.0"},
		{">=1.0rc1", PreDefault, "2.0rc1 1.0 2.0"},
		{">=1.0rc1", PreNo, "1.0 2.0"},
		{">=1.5,!=2.0", PreDefault, "2.0rc1"},
		{">=1.5,!=2.0", PreNo, ""},
	} {
		var got []string
		for _, v := range mustSpecifiers(t, row.spec).Filter(versions, row.policy) {
			got = append(got, v.String())
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%q under policy %d: %q, want %q", row.spec, row.policy, text, row.want)
		}
	}
}

// TestEffective has cases of what an installer may pick below a floor.
func TestEffective(t *testing.T) {
	t.Parallel()
	floor := mustParse(t, "83.0.0")
	below := Between(nil, &floor)
	for _, row := range []struct {
		spec string
		pre  bool
		want string
	}{
		{"", false, "(-∞, 83.0.0)"},
		{">=70", false, "[70, 83.0.0)"},
		{">=83", false, "nothing"},
		{"==83.*", false, "nothing"},
		{"==83.*", true, "[83.dev0, 83.0.0)"},
		{">=83.0.0rc1", false, "[83.0.0rc1, 83.0.0)"},
		{"==82.0.1+security.1", false, "82.0.1+security.1"},
		{">=70,!=82.*,!=81.*", false, "[70, 81.dev0)"},
		{">82.0.1", false, "(82.0.1.post*, 83.0.0)"},
		{">=1!0", false, "nothing"},
		{">=90,<80", true, "nothing"},
		{"==70.*", false, "70.*"},
		{"===82.0.1", false, "82.0.1"},
	} {
		if got := mustSpecifiers(t, row.spec).EffectiveIn(below, row.pre).String(); got != row.want {
			t.Errorf("%q below %v, pre-releases %v: %s, want %s", row.spec, floor, row.pre, got, row.want)
		}
	}
	if got := mustSpecifiers(t, "==83.*,<83.0").Effective(false); !got.Empty() {
		t.Errorf("a specifier of pre-releases only: %v", got)
	}
}

// TestHugeSpecifiers reads long lists: in time that is about linear, or the
// test does not end.
func TestHugeSpecifiers(t *testing.T) {
	t.Parallel()
	if _, err := ParseSpecifiers(strings.Repeat(",", 10<<20)); err != nil {
		t.Errorf("commas only: %v", err)
	}
	if _, err := ParseSpecifiers(strings.Repeat(">1,", 3<<20)); err == nil || !strings.Contains(err.Error(), "more than 10,000 clauses") {
		t.Errorf("too many clauses: error %v", err)
	}
	var text strings.Builder
	for i := range maxClauses {
		text.WriteString("!=" + strconv.Itoa(maxClauses-i) + ",")
	}
	set := mustSpecifiers(t, text.String()).Set()
	if got := set.len(); got != maxClauses+1 {
		t.Errorf("%d holes leave %d intervals", maxClauses, got)
	}
	if _, ok := set.Specifiers(); ok {
		t.Error("a specifier of 10,000 clauses is written")
	}
	if got := len(set.Examples(5)); got != 5 {
		t.Errorf("%d examples, want 5", got)
	}
}
