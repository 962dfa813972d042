package pep440

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

// vectors are questions with the answers of Python's packaging library; see
// testdata/README.md. Tuples of mixed types stay raw.
type vectors struct {
	Versions []struct {
		In      string `json:"in"`
		OK      bool   `json:"ok"`
		Norm    string
		Public  string
		Base    string
		Epoch   string
		Release []string
		Pre     []string
		Post    *string
		Dev     *string
		Local   *string
		IsPre   bool `json:"isPre"`
		IsPost  bool `json:"isPost"`
		IsDev   bool `json:"isDev"`
	}
	Pairs      [][3]any
	Order      [][]string
	Specifiers []struct {
		In    string `json:"in"`
		OK    bool   `json:"ok"`
		Parts []string
		Pre   *bool
	}
	Contains []struct {
		Spec             string
		V                []string
		Yes, No, Default string
	}
	Filter []struct {
		Spec   string
		V, Out []string
	}
	Ranges []struct {
		Spec              string
		Empty, EmptyNoPre bool
		Bounds            [][2][]any
	}
	Sets     [][5]any
	Floors   [][5]any
	Affected []affectedVector
}

// affectedVector is a specifier, events of an advisory, and whether an
// affected version is admitted: any, a final one, one that an installer picks.
type affectedVector struct {
	spec                  string
	events                []map[string]string
	any, final, effective bool
}

func (v *affectedVector) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&v.spec, &v.events, &v.any, &v.final, &v.effective})
}

var readVectors = sync.OnceValues(func() (*vectors, error) {
	var v vectors
	return &v, oracle.Read("testdata/pep440-vectors.json.gz", &v)
})

func loadVectors(t testing.TB) *vectors {
	t.Helper()
	v, err := readVectors()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustParse(t testing.TB, text string) Version {
	t.Helper()
	v, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustSpecifiers(t testing.TB, text string) Specifiers {
	t.Helper()
	s, err := ParseSpecifiers(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVectorsVersions(t *testing.T) {
	t.Parallel()
	for _, want := range loadVectors(t).Versions {
		v, err := Parse(want.In)
		if (err == nil) != want.OK {
			t.Errorf("Parse(%q) error %v, want valid %v", want.In, err, want.OK)
		}
		if err != nil || !want.OK {
			continue
		}
		letters, number := v.Pre()
		got := []any{
			v.String(), v.Public().String(), v.Base().String(), v.Epoch(), v.Release(), letters + number,
			v.Post(), v.Dev(), v.Local(), v.IsPre(), v.IsPost(), v.IsDev(),
		}
		wanted := []any{
			want.Norm, want.Public, want.Base, want.Epoch, want.Release, strings.Join(want.Pre, ""),
			text(want.Post), text(want.Dev), text(want.Local), want.IsPre, want.IsPost, want.IsDev,
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("Parse(%q): -want +got\n%s", want.In, diff)
		}
	}
}

// text is what a part that may be missing says.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestVectorsOrder(t *testing.T) {
	t.Parallel()
	vectors := loadVectors(t)
	for _, pair := range vectors.Pairs {
		a, b := mustParse(t, pair[0].(string)), mustParse(t, pair[1].(string))
		if got, want := a.Compare(b), int(pair[2].(float64)); got != want {
			t.Errorf("%v compared with %v is %d, want %d", a, b, got, want)
		}
	}
	var last Version
	for _, equals := range vectors.Order {
		first := mustParse(t, equals[0])
		if last.Compare(first) >= 0 {
			t.Errorf("%v is not below %v", last, first)
		}
		for _, other := range equals[1:] {
			if !first.Equal(mustParse(t, other)) {
				t.Errorf("%v is not %q", first, other)
			}
		}
		last = first
	}
}

func TestVectorsSpecifiers(t *testing.T) {
	t.Parallel()
	for _, want := range loadVectors(t).Specifiers {
		s, err := ParseSpecifiers(want.In)
		if (err == nil) != want.OK {
			t.Errorf("ParseSpecifiers(%q) error %v, want valid %v", want.In, err, want.OK)
		}
		if err != nil || !want.OK {
			continue
		}
		parts := []string{}
		for _, c := range s.Clauses {
			parts = append(parts, c.String())
			if around := want.In[c.Start:c.End]; !strings.HasPrefix(around, string(c.Op)) || !strings.HasSuffix(around, c.Text) {
				t.Errorf("%q: %v lies at %q", want.In, c, around)
			}
		}
		slices.Sort(parts)
		if diff := cmp.Diff(want.Parts, parts); diff != "" {
			t.Errorf("%q: -want +got\n%s", want.In, diff)
		}
		if got := s.NamesPre(); got != (want.Pre != nil && *want.Pre) {
			t.Errorf("%q names a pre-release: %v", want.In, got)
		}
	}
}

func TestVectorsContains(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Contains {
		s := mustSpecifiers(t, row.Spec)
		for i, text := range row.V {
			for policy, want := range map[Pre]byte{PreYes: row.Yes[i], PreNo: row.No[i], PreDefault: row.Default[i]} {
				if got := s.ContainsText(text, policy); got != (want == '1') {
					t.Errorf("%q contains %q under policy %v: %v, want %c", row.Spec, text, policy, got, want)
				}
			}
		}
	}
}

func TestVectorsFilter(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Filter {
		var versions []Version
		for _, text := range row.V {
			versions = append(versions, mustParse(t, text))
		}
		got := []string{}
		for _, v := range mustSpecifiers(t, row.Spec).Filter(versions, PreDefault) {
			got = append(got, v.Original())
		}
		if diff := cmp.Diff(row.Out, got); diff != "" {
			t.Errorf("%q of %q: -want +got\n%s", row.Spec, row.V, diff)
		}
	}
}

// vectorBound reads [version, kind, inclusive].
func vectorBound(t *testing.T, bound []any, lower bool) Bound {
	t.Helper()
	if bound == nil {
		return Bound{}
	}
	v := mustParse(t, bound[0].(string))
	switch kind, inclusive := bound[1].(string), bound[2].(bool); {
	case kind == "AFTER_LOCALS":
		return At(v, PastLocals)
	case kind == "AFTER_POSTS":
		return At(v, PastPosts)
	case lower == inclusive:
		return At(v, Before)
	default:
		return At(v, Just)
	}
}

func TestVectorsRanges(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Ranges {
		got, want := mustSpecifiers(t, row.Spec).Set(), None()
		for _, bounds := range row.Bounds {
			want = want.Union(Stretch(vectorBound(t, bounds[0], true), vectorBound(t, bounds[1], false)))
		}
		if !got.Equal(want) || got.len() != len(row.Bounds) {
			t.Errorf("%q is %v, want %v", row.Spec, got, want)
		}
		if got.Empty() != row.Empty || got.HasFinal() == row.EmptyNoPre {
			t.Errorf("%q: empty %v, has a final release %v; want %v, %v", row.Spec, got.Empty(), got.HasFinal(), row.Empty, !row.EmptyNoPre)
		}
	}
}

func TestVectorsSets(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Sets {
		a, b := mustSpecifiers(t, row[0].(string)).Set(), mustSpecifiers(t, row[1].(string)).Set()
		got := []any{a.Subset(b), a.Disjoint(b), !a.Intersect(b).HasFinal()}
		if diff := cmp.Diff(row[2:], got); diff != "" {
			t.Errorf("%q and %q (subset, disjoint, finals disjoint): -want +got\n%s", row[0], row[1], diff)
		}
	}
}

func TestVectorsFloors(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Floors {
		floor := mustParse(t, row[1].(string))
		got := reach(mustSpecifiers(t, row[0].(string)), Between(nil, &floor))
		if diff := cmp.Diff([3]bool{row[2].(bool), row[3].(bool), row[4].(bool)}, got); diff != "" {
			t.Errorf("%q below %v (any, final, effective): -want +got\n%s", row[0], floor, diff)
		}
	}
}

func TestVectorsAffected(t *testing.T) {
	t.Parallel()
	for _, row := range loadVectors(t).Affected {
		s := mustSpecifiers(t, row.spec)
		want := [3]bool{row.any, row.final, row.effective && (row.final || s.NamesPre())}
		if got := reach(s, affected(t, row.events)); got != want {
			t.Errorf("%q and %v (any, final, effective): got %v, want %v", row.spec, row.events, got, want)
		}
	}
}

// TestAffectedPreOnly holds the rows of the vectors whose last answer is not
// taken. Their questions were asked inside ">=0.dev0", which names a
// pre-release itself, so that "effective" says the same as "any" in all 1,500
// rows. None of these specifiers asks for a pre-release, and PEP 440 says:
// "Pre-releases of any kind, including developmental releases, are implicitly
// excluded from all version specifiers, unless they are already present on the
// system, explicitly requested by the user, or if the only available version
// that satisfies the version specifier is a pre-release."
func TestAffectedPreOnly(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ spec, introduced, fixed string }{
		{"<=1.0.post1", "1.0rc1", "1.0"},
		{"<1.1", "1.0rc1", "1.0"},
		{"!=70-1+local,!= 1!1.0", "1.0a1", "1.0"},
		{"!=1.0", "1.0a1", "1.0rc1"},
		{"!=1.0.post1", "1.0rc1", "1.0.0"},
		{"==1.0.0.*,!=1.1,!=1!2", "1.0a1", "1.0"},
		{"!=1!1.0", "1.0rc1", "1.0"},
		{"<84", "1.0a1", "1.0rc1"},
		{"==70.1.* ,!=2.0.1.dev0", "1.2.3", "70.1"},
		{"<1.1", "1.0a1", "1.0.0"},
		{"!=1.2.* ,!= 2.post1", "1.0rc1", "1.0.0"},
	} {
		introduced, fixed := mustParse(t, row.introduced), mustParse(t, row.fixed)
		got := reach(mustSpecifiers(t, row.spec), Between(&introduced, &fixed))
		if want := [3]bool{true, false, false}; got != want {
			t.Errorf("%q in [%v, %v) (any, final, effective): got %v, want %v", row.spec, introduced, fixed, got, want)
		}
	}
}

// reach says whether the specifiers admit a version of the set: any, a final
// one, one that an installer picks.
func reach(s Specifiers, set Set) [3]bool {
	all := s.Set().Intersect(set)
	return [3]bool{!all.Empty(), all.HasFinal(), !s.EffectiveIn(set, false).Empty()}
}

// affected reads sorted events.
func affected(t *testing.T, events []map[string]string) Set {
	t.Helper()
	set, open := None(), Bound{}
	for _, event := range events {
		for kind, text := range event {
			v := mustParse(t, text)
			switch kind {
			case "introduced":
				open = At(v, Before)
				if text == "0" {
					open = Bound{}
				}
				set = set.Union(Stretch(open, Bound{}))
			case "fixed":
				set = set.Minus(Stretch(At(v, Before), Bound{}))
			case "last_affected":
				set = set.Minus(Stretch(At(v, Just), Bound{}))
			}
		}
	}
	return set
}
