package pep735

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// describe prints a problem as its position and message.
func describe(problems []*Error) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%s %d: %s", p.Group, p.At, p.Msg))
	}
	return out
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		table string
		want  []string
	}{
		{`{"a": ["x"], "b": [{"include-group": "A"}]}`, []string{}},
		{`{}`, []string{}},
		{
			`{"dev": ["x"], "Dev": ["y"], "DEV": []}`,
			[]string{
				`Dev 2: the dependency groups "dev" and "Dev" have the same name when case, -, _ and . don't count: rename or join them`,
				`DEV 4: the dependency groups "dev" and "DEV" have the same name when case, -, _ and . don't count: rename or join them`,
			},
		},
		{
			`{"a": ["x", {"include-group": "gone"}]}`,
			[]string{`a 2: the dependency group "a" includes "gone", which is not there: correct the name, or write the group`},
		},
		{
			`{"a": [{"include-group": "a"}]}`,
			[]string{`a 1: the dependency group "a" includes itself: take the include away`},
		},
		{
			`{"a": [{"include-group": "b"}], "b": ["x", {"include-group": "c"}], "c": [{"include-group": "A"}]}`,
			[]string{`c 6: the dependency group "c" includes "a", which includes "c" in turn: take one of the two includes away`},
		},
		{
			`{"a": [{"include-group": "b"}, {"include-group": "c"}], "b": [{"include-group": "d"}], "c": [{"include-group": "d"}], "d": []}`,
			[]string{},
		},
		{
			`{"a": "x", "b": [1, {"include-group": "a", "x": 1}, {"include-group": 1}, "x y"]}`,
			[]string{
				`a 0: the dependency group "a" is no array: put its requirements in [ ]`,
				`b 2: an entry of the dependency group "b" is neither a requirement in quotes nor { include-group = "NAME" }: make it one of the two`,
				`b 3: an entry of the dependency group "b" is neither a requirement in quotes nor { include-group = "NAME" }: make it one of the two`,
				`b 4: an entry of the dependency group "b" is neither a requirement in quotes nor { include-group = "NAME" }: make it one of the two`,
				`b 5: a requirement of the dependency group "b" can't be read: after the name comes a specifier such as >=1.0, an @ with a URL, or a ; with a marker: found 'y' (at byte 2)`,
			},
		},
		{
			`{"a\u001b[2J\u202e": 1}`,
			[]string{"a\x1b[2J\u202e 0: " + `the dependency group "a\x1b[2J\u202e" is no array: put its requirements in [ ]`},
		},
	} {
		if d := cmp.Diff(tc.want, describe(New(groupsOf(t, []byte(tc.table))).Problems())); d != "" {
			t.Errorf("%s, want -, got +:\n%s", tc.table, d)
		}
	}
}

func TestBadRequirementUnwraps(t *testing.T) {
	t.Parallel()
	_, err := New([]Group{{Name: "a", Entries: []Entry{{Text: "x=1"}}}}).Expand("a")
	var syntax *pep508.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset != 1 {
		t.Errorf("%v holds no *pep508.SyntaxError of byte 1", err)
	}
}

// TestRequirements shows each requirement once, where it stands and whose it
// is. One in a broken table is shown too.
func TestRequirements(t *testing.T) {
	t.Parallel()
	for table, want := range map[string][]string{
		`{"Test": ["pytest>=7", "b"], "all": [{"include-group": "test"}, "black", {"include-group": "TEST"}], "ci": [{"include-group": "all"}]}`: {
			"pytest>=7 at 1 of Test in Test all ci",
			"b at 2 of Test in Test all ci",
			"black at 5 of all in all ci",
		},
		`{"a": ["x", {"include-group": "b"}], "b": ["y", {"include-group": "a"}], "c": [1, "z !", "z"], "A": ["w"]}`: {
			"x at 1 of a in a b",
			"y at 4 of b in b a",
			"z at 9 of c in c",
			"w at 11 of A in A",
		},
	} {
		var got []string
		for _, r := range New(groupsOf(t, []byte(table))).Requirements() {
			got = append(got, fmt.Sprintf("%s at %d of %s in %s", r.Requirement, r.Entry.At, r.Group, strings.Join(r.Groups, " ")))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s, want -, got +:\n%s", table, d)
		}
	}
}

// doubling is a table in which each group includes the next one twice, and
// the last has the entries.
func doubling(groups int, last ...Entry) []Group {
	var table []Group
	for i := range groups {
		include := Entry{Kind: Include, Text: fmt.Sprintf("g%d", i+1)}
		table = append(table, Group{Name: fmt.Sprintf("g%d", i), Entries: []Entry{include, include}})
	}
	return append(table, Group{Name: fmt.Sprintf("g%d", groups), Entries: last})
}

// TestBombs holds that includes of includes cost no more than the table has.
func TestBombs(t *testing.T) {
	t.Parallel()
	deep := doubling(MaxGroups-1, Entry{Text: "x"})
	var problem *Error
	if _, err := New(deep).Expand("g0"); !errors.As(err, &problem) || problem.Problem != TooMany {
		t.Errorf("2^%d requirements: %v", MaxGroups-1, err)
	}
	if got := New(deep).Requirements(); len(got) != 1 || len(got[0].Groups) != MaxGroups {
		t.Errorf("one requirement in %d groups: %d", MaxGroups, len(got))
	}
	if got, err := New(doubling(MaxGroups-1)).Expand("g0", "g1"); err != nil || len(got) != 0 {
		t.Errorf("2^%d times nothing: %d, %v", MaxGroups-1, len(got), err)
	}
	if got, err := New(doubling(13, Entry{Text: "x"})).Expand("g0"); err != nil || len(got) != 8192 {
		t.Errorf("2^13 requirements: %d, %v", len(got), err)
	}
	if _, err := New(doubling(13, Entry{Text: "x"})).Expand("g0", "g0"); !errors.As(err, &problem) || problem.Problem != TooMany {
		t.Errorf("2^14 requirements of two groups: %v", err)
	}
}

func TestTooManyGroups(t *testing.T) {
	t.Parallel()
	table := New(doubling(MaxGroups, Entry{Text: "x"}))
	want := []string{fmt.Sprintf("g%d 0: there are more than %d dependency groups: split the project", MaxGroups, MaxGroups)}
	if d := cmp.Diff(want, describe(table.Problems())); d != "" {
		t.Error(d)
	}
	if len(table.Requirements()) != 0 {
		t.Error("a refused table has requirements")
	}
	if _, err := table.Expand("g0"); err == nil {
		t.Error("a refused table is expanded")
	}
}

func BenchmarkNew(b *testing.B) {
	table := groupsOf(b, []byte(`{"test": ["pytest>=7", "coverage[toml]>=7.0"], "docs": ["sphinx>=7,<8", "furo"],
		"dev": [{"include-group": "test"}, {"include-group": "docs"}, "ruff==0.6.*"]}`))
	b.ReportAllocs()
	for b.Loop() {
		if got := New(table).Requirements(); len(got) != 5 {
			b.Fatal(len(got))
		}
	}
}
