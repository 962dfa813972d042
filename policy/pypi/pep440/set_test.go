package pep440

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	one, two := mustParse(t, "1.0"), mustParse(t, "2.0")
	for text, s := range map[string]Set{
		"[1.0, 2.0)":    Between(&one, &two),
		"(-∞, 2.0)":     Between(nil, &two),
		"[1.0, ∞)":      Between(&one, nil),
		"every version": Between(nil, nil),
		"nothing":       Between(&two, &one),
		"(1.0, 2.0]":    Stretch(At(one, PastLocals), At(two, PastLocals)),
	} {
		if s.String() != text {
			t.Errorf("%v, want %s", s, text)
		}
	}
	rc := mustParse(t, "2.0rc1")
	if !Between(&one, &two).Contains(rc) || Between(&one, &rc).Contains(two) {
		t.Error("the order is not plain")
	}
}

// TestEqualSets holds sets that are written differently and have the same
// members.
func TestEqualSets(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{">1.0a1", ">=1.0a2.dev0"},
		{">1.0.dev1", ">=1.0.dev2"},
		{"<1.0.post1", "<=1.0.post0"},
		{">=0.dev0", ""},
		{"<0", "<0.dev0"},
		{"~=2.2", ">=2.2,==2.*"},
		{"~=1!1.4.5a4", ">=1!1.4.5a4,==1!1.4.*"},
		{"==1.0,==1.0.0", "==1"},
		{">=1.0,!=1.0", ">=1.0.post0.dev0"},
		{"!=1.0,!=1.1,<0", "<0"},
		{"==1.*,!=1.0.*", ">=1.1.dev0,<2"},
	} {
		a, b := mustSpecifiers(t, pair[0]).Set(), mustSpecifiers(t, pair[1]).Set()
		if !a.Equal(b) || !b.Equal(a) {
			t.Errorf("%q is %v, and %q is %v", pair[0], a, pair[1], b)
		}
	}
	if a, b := mustSpecifiers(t, ">1.0").Set(), mustSpecifiers(t, ">=1.0.1").Set(); a.Equal(b) || !b.Subset(a) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestIntervalText(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		">=70,<83.0.0":        "[70, 83.0.0.dev0)",
		"==70":                "70",
		"==70+a":              "70+a",
		"==70.0.*":            "70.0.*",
		"==1!0.*":             "1!0.*",
		"~=70.0":              "[70.0, 71.dev0)",
		"!=70,>69.1":          "(69.1.post*, 70), (70, ∞)",
		"<=1.post1":           "(-∞, 1.post1]",
		">=1.0.dev0,<2.0.5":   "[1.0.dev0, 2.0.5.dev0)",
		">=1.0.dev0,<1.1.dev": "1.0.*",
	} {
		if got := mustSpecifiers(t, spec).Set().String(); got != want {
			t.Errorf("%q is %s, want %s", spec, got, want)
		}
	}
}

func TestSpecifiersBack(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{
		"", "<0", ">=70", "==70.*", "==70.0.*", "==83.0.0", "==1.0+local", "!=1.0", "!=1.0+local", "!=1.*", "<84", "<=1.0",
		">1.0", ">1.0.post1", ">1.0.dev1", ">1.0a1", "<1.0a1", "<1.0.post1", ">=83.0.0,<84", ">=1.0rc1", ">=1,<3,!=1.5.*,!=2.0",
		">=1.0,<=1.2,!=1.1.*", "==1.*,!=1.0,!=1.1.*",
	} {
		if got, ok := mustSpecifiers(t, spec).Set().Specifiers(); !ok || got != spec {
			t.Errorf("%q became %q, %v", spec, got, ok)
		}
	}
	for spec, want := range map[string]string{
		"~=70.1":           ">=70.1,<71",
		">=1.5,!=1.*":      ">=1,!=1.*",
		">=2.0.1.dev0":     ">=2.0.0,!=2.0.0.*",
		"!=1.*,!=2.*":      "!=1.*,!=2.*",
		">=1.0,!=1.0":      ">=1.0,!=1.0",
		"<=1.0,!=1.0":      "<=1.0,!=1.0",
		">=1!0.dev0":       ">=1!0.dev0",
		"<1.0.dev3":        "<1.0.dev3",
		">=2,!=2.0.*,<2.1": "<0",
	} {
		if got, ok := mustSpecifiers(t, spec).Set().Specifiers(); !ok || got != want {
			t.Errorf("%q became %q, %v, want %q", spec, got, ok, want)
		}
	}
}

func TestNoSpecifierBack(t *testing.T) {
	t.Parallel()
	v, labelled := mustParse(t, "1.0"), mustParse(t, "1.0+a")
	for _, s := range []Set{
		Only(v), Only(v).Complement(), Stretch(At(labelled, Before), Bound{}), Stretch(Bound{}, At(labelled, Just)),
		Stretch(Bound{}, At(v, PastPosts)), Only(v).Union(Stretch(At(mustParse(t, "2"), Before), Bound{})),
	} {
		if text, ok := s.Specifiers(); ok {
			t.Errorf("%v became %q", s, text)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		spec string
		n    int
		want string
	}{
		{">=70,<83.0.0", 2, "70 82"},
		{">=70,<83.0.0", 4, "70 70.1 71 82"},
		{"<2", 3, "0 0.1 1"},
		{"", 2, "0 1"},
		{"==83.0.0", 5, "83.0.0"},
		{"==1.0+l", 5, "1.0+l"},
		{">1.0,<1.0.1", 1, "1.0.0.1"},
		{"<1.dev0,>=1.0.dev0", 3, ""},
		{">=1.0a1,<1.0a2", 1, "1.0a1"},
		{"!=70,>69.1", 2, "69.2 70.post0"},
		{">=1", 0, ""},
		{">=1", -1, ""},
	} {
		var got []string
		for _, v := range mustSpecifiers(t, row.spec).Set().Examples(row.n) {
			got = append(got, v.String())
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%d of %q: %q, want %q", row.n, row.spec, text, row.want)
		}
	}
}

// TestAlgebraDoesNotAllocate holds what the check does for every requirement.
func TestAlgebraDoesNotAllocate(t *testing.T) {
	s, v := mustSpecifiers(t, ">=70.1,<84,!=82.*,!=81.0.1"), mustParse(t, "83.0.0+local")
	set, other := s.Set(), mustSpecifiers(t, "!=70.5").Set()
	allocations := testing.AllocsPerRun(100, func() {
		_ = s.Contains(v, PreDefault) && set.Contains(v) && set.Subset(other) && set.Disjoint(other) && v.Compare(v) == 0 && set.HasFinal()
	})
	if diff := cmp.Diff(0.0, allocations); diff != "" {
		t.Errorf("allocations: -want +got\n%s", diff)
	}
}
