package osv

import "testing"

// verdict is what a check would say: the words of the edge cases.
func verdict(d Derivation) string {
	switch {
	case len(d.Hits) > 0 && d.Hits[0].Advisory.Malicious:
		return "violation"
	case d.NoEnd, d.Lift && !d.Safe:
		return "conflict"
	case len(d.Hits) > 0:
		return "violation"
	case len(d.Unprovable) > 0:
		return "unprovable"
	}
	return "pass"
}

const (
	gitOnly = `,"ranges":[{"type":"GIT","repo":"https://example.org/foo","events":[{"introduced":"0"},{"fixed":"0123abcd"}]}]`
	broken  = `,"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"0.2.0-n653"}]}]`
)

// edgeCases are questions about one project, and answers: the rows of the
// reference list "Derived from advisories", and what follows from them.
var edgeCases = []struct {
	id, spec string
	records  []string
	verdict  string
	floor    string // "" for none
	beyond   string
	cut      string
}{
	{"F52", ">=1.0", []string{about("A-1", "", events("introduced", "0", "fixed", "1.5"))}, "violation", ">=1.5", "", ""},
	{"F53", ">=1.0,<2", []string{about("A-1", "", twoBands)}, "violation", ">=1.5", "", ""},
	{"F54", ">=1.5", []string{about("A-1", "", twoBands)}, "violation", ">=2.2", "", "!=2.0.*,!=2.1.*"},
	{"F54 with a lower bound to raise", ">=1.0", []string{about("A-1", "", twoBands)}, "violation", ">=2.2", "", ">=1.5,!=2.0.*,!=2.1.*"},
	{"F55", ">=1.5,!=2.0.*,!=2.1.*", []string{about("A-1", "", twoBands)}, "pass", "", "", ""},
	{"F55 with a pre-release named", ">=1.5,!=2.0.*,!=2.1.*,<=3.0a1", []string{about("A-1", "", twoBands)}, "violation", ">=2.2", "", ""},
	{"F56", ">=1.0,<2", []string{about("A-1", "", events("introduced", "0", "fixed", "2.1"))}, "conflict", ">=2.dev0", ">=2.1", ""},
	{"F56 with the gap taken by another", ">=1.0,<2", []string{
		about("A-1", "", events("introduced", "0", "fixed", "2.1")), about("A-2", "", events("introduced", "2.0", "last_affected", "2.5")),
	}, "conflict", ">=2.dev0", ">2.5", ""},
	{"F56 without a fix above", ">=1.0,<2", []string{about("A-1", "", events("introduced", "0"))}, "conflict", ">=2.dev0", "", ""},
	{"F57", ">=1.0", []string{about("A-1", "", events("introduced", "0"))}, "conflict", "", "", ""},
	{"F58", ">=1.11", []string{about("A-1", "", events("introduced", "0", "last_affected", "1.11.0"))}, "violation", ">1.11.0", "", ""},
	{"F58 pinned to a build", "==1.11.0+cu118", []string{about("A-1", "", events("introduced", "0", "last_affected", "1.11.0"))}, "conflict", ">1.11.0", ">1.11.0", ""},
	{"F59", ">=1.12", []string{about("A-1", "", events("introduced", "0", "last_affected", "1.11.0"))}, "pass", "", "", ""},
	{"F60", ">=23.9.0", []string{about("A-1", "", events("introduced", "0", "fixed", "23.9.0")+`,"versions":["23.9.0","23.9.0.post1"]`)}, "violation", ">23.9.0.post1", "", ">23.9.0,!=23.9.0.post1"},
	{"F61", ">=2.11.6,<2.12", []string{about("A-1", "", events("introduced", "2.11", "fixed", "2.11.7", "introduced", "0", "fixed", "2.11.6")+`,"versions":["2.11.6"]`)}, "violation", ">2.11.6", "", ""},
	{"F61 without the list", ">=2.11.6,<2.12", []string{about("A-1", "", events("introduced", "2.11", "fixed", "2.11.7", "introduced", "0", "fixed", "2.11.6"))}, "pass", "", "", ""},
	{"F62", ">=1.0", []string{about("A-1", `"withdrawn":"2026-01-02T03:04:05Z"`, events("introduced", "0"))}, "pass", "", "", ""},
	{"F63", ">=1.0", []string{
		about("GHSA-x", `"aliases":["CVE-1"]`, events("introduced", "0", "fixed", "1.4")),
		about("PYSEC-y", `"aliases":["CVE-1"]`, events("introduced", "0", "fixed", "1.5")),
	}, "violation", ">=1.5", "", ""},
	{"F64", ">=1.0", []string{about("MAL-2026-1", "", events("introduced", "0"))}, "violation", "", "", ""},
	{"F64 without versions", ">=1.0", []string{about("MAL-2026-1", "", "")}, "violation", "", "", ""},
	{"F64 with versions", ">=1.0", []string{about("MAL-2026-1", "", `,"versions":["0.9","1.2"]`)}, "violation", ">1.2", "", "!=1.2"},
	{"F65", ">=1.0", []string{about("A-1", "", gitOnly)}, "unprovable", "", "", ""},
	{"F65 with a list", ">=1.0", []string{about("A-1", "", gitOnly+`,"versions":["1.1","1.2"]`)}, "violation", ">1.2", "", "!=1.1,!=1.2"},
	{"F65 with a list below", ">=2.0", []string{about("A-1", "", gitOnly+`,"versions":["1.1","1.2"]`)}, "pass", "", "", ""},
	{"F66", ">=1.0", []string{about("A-1", "", broken)}, "unprovable", "", "", ""},
	{"F66 with a list", ">=1.0", []string{about("A-1", "", broken+`,"versions":["1.1"]`)}, "violation", ">1.1", "", "!=1.1"},
	{
		"F66 beside a range that is read", ">=1.0",
		[]string{about("A-1", "",
			`,"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"x"}]},{"type":"ECOSYSTEM","events":[{"introduced":"2"},{"fixed":"2.1"}]}]`)},
		"violation", ">=2.1", "", "!=2.0.*",
	},
	{"no versions at all", ">=1.0", []string{about("A-1", "", "")}, "unprovable", "", "", ""},
	{"a list without one version number", ">=1.0", []string{about("A-1", "", `,"versions":["2004d"]`)}, "unprovable", "", "", ""},
	{"another project", ">=1.0", []string{`{"id":"A-1","affected":[{"package":{"ecosystem":"PyPI","name":"bar"},"versions":["1.0"]}]}`}, "pass", "", "", ""},
	{"another ecosystem", ">=1.0", []string{`{"id":"A-1","affected":[{"package":{"ecosystem":"Debian:12","name":"foo"},"versions":["1.0"]}]}`}, "pass", "", "", ""},
	{"other spellings", ">=1.0", []string{`{"id":"A-1","affected":[{"package":{"ecosystem":"pypi","name":"FOO"},"versions":["1.0"]}]}`}, "violation", ">1.0", "", ""},
	{"a limit", ">=1.0", []string{about("A-1", "", events("introduced", "0", "limit", "2.0"))}, "violation", ">=2.0", "", ""},
	{"limits: the last one counts", ">=1.0", []string{about("A-1", "", events("limit", "2.0", "introduced", "0", "limit", "3.0"))}, "violation", ">=3.0", "", ""},
	{"no limit", ">=1.0", []string{about("A-1", "", events("introduced", "0", "limit", "*", "limit", "2"))}, "conflict", "", "", ""},
	{"four families", ">=1.0", []string{about("A-1", "", events("introduced", "2.0", "fixed", "2.4"))}, "violation", ">=2.4", "", ""},
	{"part of a family is safe", ">=1.0", []string{about("A-1", "", events("introduced", "2.0.4", "fixed", "2.1"))}, "violation", ">=2.1", "", ""},
	{"a family with an epoch", ">=1.0", []string{about("A-1", "", events("introduced", "1!2.0", "fixed", "1!2.1"))}, "violation", ">=1!2.1", "", "!=1!2.0.*"},
	{"nothing is admitted", ">=2,<1", []string{about("A-1", "", events("introduced", "0"))}, "pass", "", "", ""},
}

var twoBands = events("introduced", "1.0", "fixed", "1.5", "introduced", "2.0", "fixed", "2.2")

func TestEdgeCases(t *testing.T) {
	t.Parallel()
	for _, tc := range edgeCases {
		d := Derive(build(t, tc.records...).Lookup("foo"), specifiers(t, tc.spec), false)
		cut := ""
		if d.Cut != nil {
			cut = d.Cut.String()
		}
		if verdict(d) != tc.verdict || d.Floor.String() != tc.floor || d.Beyond.String() != tc.beyond || cut != tc.cut {
			t.Errorf("%s: foo%s is a %s, floor %q, beyond %q, cut %q; want %s, %q, %q, %q\naffected: %v",
				tc.id, tc.spec, verdict(d), d.Floor, d.Beyond, cut, tc.verdict, tc.floor, tc.beyond, tc.cut, d.Affected)
		}
	}
}

// Each answer holds when it is asked again: with the floor, with the cut, and
// above the bound to lift the cap to, nothing is affected.
func TestAnswersHold(t *testing.T) {
	t.Parallel()
	db := build(t, fixture(t))
	cuts := 0
	for _, name := range db.Names() {
		about := db.Lookup(name)
		for _, spec := range []string{"", ">=1", ">=1,<2", ">=0.5,<4", ">=2.1", "<3", "!=1.0", "==1.*"} {
			declared := specifiers(t, spec)
			d := Derive(about, declared, false)
			if left := d.Affected.Intersect(d.Floor.Set()); !d.Floor.IsZero() && !left.Empty() {
				t.Errorf("%s%s: floor %v leaves %v", name, spec, d.Floor, left)
			}
			if !d.Beyond.IsZero() && every(about).Contains(d.Beyond.Version) == (d.Beyond.Op == ">=") {
				t.Errorf("%s%s: the bound beyond the cap, %v, is in %v", name, spec, d.Beyond, every(about))
			}
			if d.Cut == nil {
				continue
			}
			cuts++
			again := Derive(about, declared.And(specifiers(t, d.Cut.String())), false)
			if len(again.Hits) > 0 || !again.Safe {
				t.Errorf("%s%s: with %v, %d advisories still count; safe %v", name, spec, d.Cut, len(again.Hits), again.Safe)
			}
		}
	}
	if cuts < 100 {
		t.Errorf("%d cuts were tried", cuts)
	}
}

// Poetry's "||" is a union, and each part of it counts.
func TestAnyOf(t *testing.T) {
	t.Parallel()
	db := build(t, about("A-1", "", events("introduced", "1.0", "fixed", "1.5")))
	for _, tc := range []struct {
		specs []string
		floor string
	}{
		{[]string{">=1.5", "==1.2"}, ">1.2"},
		{[]string{">=1.0", "<0.9"}, ">=1.5"},
		{[]string{"<0.9", ">=2"}, ""},
		{nil, ""},
	} {
		var u AnyOf
		for _, s := range tc.specs {
			u = append(u, specifiers(t, s))
		}
		if d := Derive(db.Lookup("foo"), u, false); d.Floor.String() != tc.floor {
			t.Errorf("%q: floor %q, want %q", tc.specs, d.Floor, tc.floor)
		}
	}
}
