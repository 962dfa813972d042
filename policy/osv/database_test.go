package osv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// show writes the advisories about foo, one a line: names, records, affected.
func show(db *Database) string {
	var lines []string
	for _, a := range db.Lookup("foo") {
		var records []string
		for _, s := range a.Sources {
			records = append(records, s.ID)
		}
		line := strings.Join(a.IDs, " ") + " | " + strings.Join(records, " ") + " | " + a.Affected.String()
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func dated(id, modified, fields, affected string) string {
	return strings.Replace(about(id, fields, affected), "2026-01-02T03:04:05Z", modified, 1)
}

func TestLookup(t *testing.T) {
	t.Parallel()
	const old, new = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"
	for _, tc := range []struct {
		name    string
		records []string
		want    string
	}{
		{"aliases of one record", []string{about("P-1", `"aliases":["CVE-2","","CVE-1","P-1"]`, events("introduced", "1"))}, "CVE-1 CVE-2 P-1 | P-1 | [1, ∞)"},
		{"no aliases", []string{about("P-1", "", `,"versions":["1"]`), about("P-2", "", `,"versions":["2"]`)}, "P-1 | P-1 | 1\nP-2 | P-2 | 2"},
		{"symmetric", []string{about("P-1", `"aliases":["G-1"]`, `,"versions":["1"]`), about("G-1", "", `,"versions":["2"]`)}, "G-1 P-1 | G-1 P-1 | 1, 2"},
		{"transitive", []string{
			about("P-1", `"aliases":["CVE-1"]`, `,"versions":["1"]`),
			about("G-1", `"aliases":["CVE-2","CVE-1"]`, `,"versions":["2"]`),
			about("X-1", `"aliases":["CVE-2"]`, `,"versions":["3"]`),
		}, "CVE-1 CVE-2 G-1 P-1 X-1 | G-1 P-1 X-1 | 1, 2, 3"},
		{"by a record about another project", []string{
			about("P-1", `"aliases":["CVE-1"]`, `,"versions":["1"]`),
			strings.Replace(about("G-1", `"aliases":["CVE-2","CVE-1"]`, ""), "foo", "bar", 1),
			about("X-1", `"aliases":["CVE-2"]`, `,"versions":["3"]`),
		}, "CVE-1 CVE-2 P-1 X-1 | P-1 X-1 | 1, 3"},
		{"not by a withdrawn one", []string{
			about("P-1", `"aliases":["CVE-1"]`, `,"versions":["1"]`),
			about("G-1", `"withdrawn":"2026-01-02T03:04:05Z","aliases":["CVE-2","CVE-1"]`, `,"versions":["2"]`),
			about("X-1", `"aliases":["CVE-2"]`, `,"versions":["3"]`),
		}, "CVE-1 P-1 | P-1 | 1\nCVE-2 X-1 | X-1 | 3"},
		{"the later one counts", []string{dated("P-1", old, "", `,"versions":["1"]`), dated("P-1", new, "", `,"versions":["2"]`)}, "P-1 | P-1 | 2"},
		{"a later one withdraws", []string{dated("P-1", old, "", `,"versions":["1"]`), dated("P-1", new, `"withdrawn":"2026-01-01T00:00:00Z"`, `,"versions":["1"]`)}, ""},
		{"the same twice", []string{about("P-1", "", `,"versions":["1"]`), about("P-1", "", `,"versions":["1"]`)}, "P-1 | P-1 | 1"},
		{"of one time and different", []string{about("P-1", "", `,"versions":["1"]`), about("P-1", "", `,"versions":["2"]`)}, "P-1 | P-1 P-1 | 1, 2"},
		{"a project twice in a record", []string{`{"id":"P-1","affected":[
			{"package":{"ecosystem":"PyPI","name":"foo"},"versions":["1"]},
			{"package":{"ecosystem":"PyPI","name":"bar"},"versions":["2"]},
			{"package":{"ecosystem":"PyPI","name":"Foo"},"versions":["3"]}]}`}, "P-1 | P-1 | 1, 3"},
		{"a build that is listed is itself alone", []string{about("P-1", "", `,"versions":["1.0+x"]`)}, "P-1 | P-1 | 1.0+x"},
	} {
		// The order of the records makes no difference.
		for n := range 6 {
			rng := rand.New(rand.NewPCG(83, uint64(n)))
			rng.Shuffle(len(tc.records), func(i, j int) { tc.records[i], tc.records[j] = tc.records[j], tc.records[i] })
			if got := show(build(t, tc.records...)); got != tc.want {
				t.Errorf("%s, order %d:\n%s\nwant\n%s", tc.name, n, got, tc.want)
			}
		}
	}
}

func TestAdvisory(t *testing.T) {
	t.Parallel()
	db := build(t, whole, about("PYSEC-2026-2", `"published":"2026-02-03T00:00:00Z","summary":"two","database_specific":{"severity":"LOW"},
		"references":[{"type":"WEB","url":"https://example.org/web"}],"severity":[{"type":"CVSS_V3","score":"x"}]`,
		events("introduced", "0", "fixed", "2.0", "introduced", "3", "last_affected", "3.1")+`,"versions":["1.0","2004d"]`),
		dated("GHSA-z", "2026-03-04T00:00:00Z", `"aliases":["PYSEC-2026-2"]`, gitOnly))
	all := db.Lookup("foo")
	if len(all) != 1 || len(db.Withdrawn("foo-bar")) != 1 || len(db.Lookup("foo-bar")) != 0 {
		t.Fatalf("%d counted, %d withdrawn", len(all), len(db.Withdrawn("foo-bar")))
	}
	a := all[0]
	want := Advisory{
		IDs: []string{"GHSA-z", "PYSEC-2026-2"}, Sources: a.Sources, Affected: a.Affected,
		Fixed: []pep440.Version{version(t, "2.0")}, Weak: true, Unprovable: "GHSA-z: it names commits only, and no versions",
		Published: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), Modified: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC),
		Summary: "two", Page: "https://example.org/web", Rating: "LOW", Severity: []Severity{{"CVSS_V3", "x"}},
	}
	equal := cmp.Options{cmp.Comparer(pep440.Version.Equal), cmp.Comparer(pep440.Set.Equal)}
	if diff := cmp.Diff(want, a, equal); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := a.Affected.String(); got != "(-∞, 2.0), [3, 3.1]" {
		t.Error(got)
	}
	kept, ok := a.Keep(func(s Source) bool { return s.ID != "GHSA-z" })
	if !ok || kept.Unprovable != "" || !slices.Equal(kept.IDs, []string{"PYSEC-2026-2"}) {
		t.Errorf("%v %+v", ok, kept)
	}
	if same, ok := a.Keep(func(Source) bool { return true }); !ok || cmp.Diff(a, same, equal) != "" {
		t.Errorf("%v %+v", ok, same)
	}
	if none, ok := a.Keep(func(Source) bool { return false }); ok {
		t.Errorf("%+v", none)
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	got := build(t,
		dated("P-1", "2026-01-01T00:00:00Z", "", `,"versions":["1"]`),
		dated("P-1", "2026-02-01T00:00:00Z", "", `,"versions":["1","x","2.0.0-final"]`),
		dated("P-2", "2026-03-01T00:00:00Z", `"withdrawn":"2026-03-01T00:00:00Z"`, gitOnly),
		dated("P-3", "2025-01-01T00:00:00Z", "", gitOnly),
		dated("P-4", "2025-01-01T00:00:00Z", "", broken+`,"versions":["1"]`),
		dated("P-5", "2025-01-01T00:00:00Z", "", `,"ranges":[{"type":"NPM","events":[]}]`),
		dated("P-6", "2025-01-01T00:00:00Z", "", `,"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0","fixed":"1"}]}]`),
		dated("P-7", "2025-01-01T00:00:00Z", "", events("fixed", "1")),
		dated("P-8", "2025-01-01T00:00:00Z", "", events("introduced", "0", "introduced", "2", "fixed", "2")),
		`{"id":"P-9","affected":[{"package":{"ecosystem":"PyPI","name":"bar"},"versions":["1"]},{"package":{"ecosystem":"PyPI"},"versions":["1"]}]}`,
		`{"id":"DSA-1","affected":[{"package":{"ecosystem":"Debian:12","name":"foo"}}]}`,
		`{"id":"X"}`,
	).Stats()
	want := Stats{
		Records: 9, Packages: 3, Withdrawn: 1, Replaced: 1, Others: 2,
		Newest: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), UnreadVersions: 2, Unprovable: 4,
		Notes: []string{
			`P-3: it names commits only, and no versions`,
			`P-4: "0.2.0-n653", where a range is fixed, is no version number; its list of versions is used`,
			`P-5: a range is of the unknown type "NPM"`,
			`P-6: an event of a range has not exactly one of introduced, fixed, last_affected and limit`,
			`P-7: a range has no introduced event`,
			`P-8: one part of a range ends at "2" and the next begins there; read as the end of the range`,
			`P-9: it does not say when it was modified`,
			`P-9: it is about a Python project without a name`,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The facts about the fixture, counted by other means.
func TestFixture(t *testing.T) {
	t.Parallel()
	text := fixture(t)
	db := build(t, text)
	want := Stats{
		Records: 2661, Packages: 664, Withdrawn: 10, Newest: time.Date(2024, 10, 10, 17, 22, 0, 0, time.UTC),
		UnreadVersions: 108, Unprovable: 2,
		Notes: []string{
			`PYSEC-2019-125: "2019-09-12", where a range is fixed, is no version number`,
			`PYSEC-2021-371: "0.2.0-n653", where a range is fixed, is no version number`,
			`PYSEC-2022-236: one part of a range ends at "3.1.1" and the next begins there; read as the end of the range`,
			`PYSEC-2022-42972: one part of a range ends at "0.13.0" and the next begins there; read as the end of the range`,
			`PYSEC-2023-72: one part of a range ends at "3.1.1" and the next begins there; read as the end of the range`,
			`PYSEC-2024-55: the field "modified" holds "1-01-01T00:00:00Z", which is no time`,
		},
	}
	got := db.Stats()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	floors, endless, bare, early := 0, 0, 0, 0
	for _, name := range db.Names() {
		d := Derive(db.Lookup(name), pep440.Specifiers{}, false)
		switch {
		case d.NoEnd:
			endless++
		case d.Floor.IsZero():
			bare++
		default:
			floors++
			if d.Floor.Version.IsPre() {
				early++
			}
		}
	}
	if got := fmt.Sprint(floors, endless, bare, early); got != "545 113 6 18" {
		t.Errorf("projects with a floor, without an end, with nothing that counts, with a pre-release as floor: %s", got)
	}

	lines := strings.Split(strings.TrimSpace(text), "\n")
	rng := rand.New(rand.NewPCG(83, 3))
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	again := build(t, strings.Join(lines, "\n"))
	equal := cmp.Options{cmp.Comparer(pep440.Version.Equal), cmp.Comparer(pep440.Set.Equal)}
	if diff := cmp.Diff(db.Stats(), again.Stats()); diff != "" {
		t.Errorf("shuffled: -want +got\n%s", diff)
	}
	for _, name := range db.Names() {
		if diff := cmp.Diff(db.Lookup(name), again.Lookup(name), equal); diff != "" {
			t.Errorf("%s, shuffled: -want +got\n%s", name, diff)
		}
	}
}

func TestSnapshotAge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for _, tc := range []struct {
		s     Snapshot
		age   time.Duration
		known bool
		older bool
	}{
		{Snapshot{Newest: now.Add(-8 * day), Fetched: now}, 8 * day, true, true},
		{Snapshot{Newest: now.Add(-7 * day)}, 7 * day, true, false},
		{Snapshot{Newest: now.Add(day)}, 0, true, false},
		{Snapshot{Fetched: now}, 0, false, true},
		{Snapshot{Newest: now.Add(-300 * day), Fetched: now.Add(-day), Live: true}, day, true, false},
		{Snapshot{}, 0, false, true},
	} {
		age, known := tc.s.Age(now)
		if older := tc.s.Older(now, 7*day); age != tc.age || known != tc.known || older != tc.older {
			t.Errorf("%+v: %v %v %v", tc.s, age, known, older)
		}
	}
}

// What grows with the square of its input would be a hang.
func TestLarge(t *testing.T) {
	t.Parallel()
	const many = 100_000
	var listed, pairs, twins strings.Builder
	for i := range many {
		fmt.Fprintf(&listed, `,"1.%d"`, i)
		fmt.Fprintf(&pairs, `,{"introduced":"1.%d"},{"fixed":"1.%d.5"}`, i, i)
		if i < many/10 {
			fmt.Fprintf(&twins, `{"id":"T","aliases":["T-%d"],"affected":[{"package":{"ecosystem":"PyPI","name":"foo"},"versions":["%d"]}]}`, i, i)
		}
	}
	db := build(t, about("A-1", "", `,"versions":["0"`+listed.String()+`]`),
		about("A-2", "", `,"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"}`+pairs.String()+`]}]`), twins.String())
	d := Derive(db.Lookup("foo"), specifiers(t, ">=1"), false)
	if len(d.Hits) != 3 || d.Bands < many || d.Floor.String() != ">9999" {
		t.Errorf("%d hits, %d bands, floor %v", len(d.Hits), d.Bands, d.Floor)
	}
}
