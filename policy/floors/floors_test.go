package floors_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// requirementsFile is a project of one requirements file.
func requirementsFile(text string) map[string]string {
	return map[string]string{"requirements.txt": text}
}

// fixedIn15 is an advisory about foo.
func fixedIn15() string {
	return record("PYSEC-2026-1", `"aliases":["CVE-2026-1"]`, events("introduced", "0", "fixed", "1.5"))
}

// rulesOf are the rules of a report's findings, each once, in their order.
func rulesOf(r *floors.Report) []string {
	var all []string
	for _, f := range r.Findings() {
		if len(all) == 0 || all[len(all)-1] != f.Rule {
			all = append(all, f.Rule)
		}
	}
	return all
}

// TestRules holds that each rule's example breaks it, and its mended form no
// more, and that the table is what reports list.
func TestRules(t *testing.T) {
	t.Parallel()
	const policies = "floors: {setuptools: '83.0.0', urllib3: '2.0.7'}\n"
	about := []string{
		recordOf("reqeusts", "MAL-2026-1", "", events("introduced", "0")),
		recordOf("torch", "PYSEC-2025-41", "", events("introduced", "0", "fixed", "2.6.0")),
	}
	wrap := map[string]string{
		"FloorViolation": "[build-system]\n", "FloorConflict": "[build-system]\nrequires = []\n[project.optional-dependencies]\n",
		"FloorMarker":  "[build-system]\nrequires = []\n[project]\nrequires-python = '>=3.10'\n",
		"FloorLibrary": "[build-system]\nrequires = []\n[project]\n",
	}
	extra := map[string]string{
		"FloorMissing": "require_floor: true\n", "FloorCap": "cap: {require: true}\n", "FloorUnpinned": "unpinned: warn\n", "FloorLibrary": "library: true\n",
	}
	seen := map[string]bool{}
	for _, rule := range floors.Rules() {
		if seen[rule.Name] || rule.Description == "" || rule.Why == "" || rule.Severity == "" || !strings.HasSuffix(rule.Page(), "#"+strings.ToLower(rule.Name)) {
			t.Errorf("%+v", rule)
		}
		seen[rule.Name] = true
		if (rule.Severity == policy.Blocker) != (rule.Class == policy.SecurityPrivacy) {
			t.Errorf("%s is a %s of the class %s", rule.Name, rule.Severity, rule.Class)
		}
		if rule.Name == "FloorDatabase" {
			continue // see TestDatabase
		}
		for text, bad := range map[string]bool{rule.Bad: true, rule.Good: false} {
			if rule.In == "Dockerfile" {
				text = "FROM debian:trixie-slim\n" + text
			}
			r := check(t, map[string]string{rule.In: wrap[rule.Name] + text + "\n"}, policies+extra[rule.Name], about...)
			if got := strings.Contains(" "+strings.Join(rulesOf(r), " ")+" ", " "+rule.Name+" "); got != bad || len(r.Problems()) > 0 {
				t.Errorf("%s: %q: %v %v\n%s", rule.Name, text, rulesOf(r), r.Problems(), brief(r))
			}
		}
	}
	if listed := floors.ReportRules(); len(listed) != len(seen) || listed[0].Family == "" || listed[0].Help != floors.Rules()[0].Page() {
		t.Errorf("%+v", listed)
	}
}

// TestDatabase has databases that are missing, old and fresh.
func TestDatabase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cfg  string
		age  time.Duration // -1: no database
		want policy.Severity
	}{
		{"{}", -1, policy.Warning},
		{"database: {source: none}", -1, ""},
		{"database: {source: x.zip}", -1, policy.Blocker},
		{"{}", 24 * time.Hour, ""},
		{"{}", 8 * 24 * time.Hour, policy.Warning},
		{"database: {max_age: 10d}", 8 * 24 * time.Hour, ""},
		{"database: {max_age: 36h}", 37 * time.Hour, policy.Blocker},
		{"database: {source: none}", 8 * 24 * time.Hour, policy.Blocker},
	} {
		in := input(t, requirementsFile("bar>=1\n"), tc.cfg)
		if tc.age >= 0 {
			in.Database = build(t, fixedIn15())
			in.Snapshot = osv.Snapshot{Newest: today().Add(-tc.age)}
		}
		got := policy.Severity("")
		for _, f := range floors.Check(in).Findings() {
			if f.Rule == "FloorDatabase" {
				got = f.Severity
			}
		}
		if got != tc.want {
			t.Errorf("%s, %v old: %q; want %q", tc.cfg, tc.age, got, tc.want)
		}
	}
	in := input(t, requirementsFile("bar>=1\n"), "{}", fixedIn15())
	in.Snapshot = osv.Snapshot{}
	if got := floors.Check(in).Findings(); len(got) != 1 || !strings.Contains(got[0].Message, "not known") {
		t.Errorf("of an unknown age: %v", got)
	}
}

// TestFingerprint holds that a fingerprint stays when lines move, and changes
// with what is held against the requirement.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	print := func(text, cfg string, records ...string) string {
		all := check(t, requirementsFile(text), cfg, records...).Findings()
		if len(all) != 1 || all[0].Rule != "FloorViolation" {
			t.Fatalf("%q: %v", text, all)
		}
		return all[0].Fingerprint
	}
	first := print("foo>=1\n", "{}", fixedIn15())
	if got := print("# moved\n\nbar\nfoo>=1  # why\n", "{}", fixedIn15()); got != first {
		t.Error("it changes when the line moves")
	}
	if got := print("foo>=1\n", "{}", fixedIn15(), record("PYSEC-2026-2", "", events("introduced", "1", "fixed", "1.2"))); got == first {
		t.Error("a new advisory leaves it")
	}
	if got := print("foo>=1\n", "floors: {foo: 1.5}", fixedIn15()); got == first {
		t.Error("a floor of the policy leaves it")
	}
	if got := print("foo>=1.1\n", "{}", fixedIn15()); got == first {
		t.Error("another requirement leaves it")
	}
}

// TestSubjects holds that a reviewer signs for the instruction of a Dockerfile,
// and for a place without one elsewhere.
func TestSubjects(t *testing.T) {
	t.Parallel()
	in := input(t, map[string]string{"a/Dockerfile": "FROM x\nRUN pip install foo\n", "requirements.txt": "foo\n"}, "{}", fixedIn15())
	in.Instruction = func(file string, line int) string { return file + "!" + strings.Repeat("x", line) }
	r := floors.Check(in)
	got := r.Subjects()
	if len(got) != 2 || len(r.Findings()) != 2 || got[0].File != "a/Dockerfile" || got[0].Instruction == "" || got[1].Instruction != "" {
		t.Errorf("%+v", got)
	}
	for i, f := range r.Findings() {
		if got[i].Fingerprint != f.Fingerprint || got[i].Rule != f.Rule {
			t.Errorf("%+v is not %+v", got[i], f)
		}
	}
}

// TestExceptions has what exceptions lift, and what they don't.
func TestExceptions(t *testing.T) {
	t.Parallel()
	malicious := record("MAL-2026-1", "", `,"versions":["1.2"]`)
	const ends = ", reason: r, expires: 2027-01-01}]\n"
	for _, tc := range []struct {
		name, cfg string
		records   []string
		want      floors.Answer
	}{
		{"by any of its names", "exceptions: [{id: CVE-2026-1" + ends, []string{fixedIn15()}, floors.ByPolicy},
		{"another advisory", "exceptions: [{id: CVE-2026-2" + ends, []string{fixedIn15()}, floors.Violation},
		{"one of two", "exceptions: [{id: CVE-2026-1" + ends, []string{fixedIn15(), record("PYSEC-2026-2", "", events("introduced", "0", "fixed", "1.3"))}, floors.Violation},
		{"the whole project", "exceptions: [{name: foo" + ends, []string{fixedIn15()}, floors.ByPolicy},
		{"another project", "exceptions: [{name: bar" + ends, []string{fixedIn15()}, floors.Violation},
		{"another file", "exceptions: [{name: foo, file: docs/" + ends, []string{fixedIn15()}, floors.Violation},
		{"ended", "exceptions: [{name: foo, reason: r, expires: 2026-11-29}]", []string{fixedIn15()}, floors.Violation},
		{"on its last day", "exceptions: [{name: foo, reason: r, expires: 2026-11-30}]", []string{fixedIn15()}, floors.ByPolicy},
		{"an attack by its project", "exceptions: [{name: foo" + ends, []string{malicious}, floors.Violation},
		{"an attack by its id", "exceptions: [{id: MAL-2026-1" + ends, []string{malicious}, floors.ByPolicy},
		{"a floor by an id", "floors: {foo: {version: 1.5, ids: [CVE-2026-1]}}\nexceptions: [{id: CVE-2026-1" + ends, []string{fixedIn15()}, floors.Violation},
		{"a floor by its project", "floors: {foo: 1.5}\nexceptions: [{name: foo" + ends, []string{fixedIn15()}, floors.ByPolicy},
		{"where a marker holds", "environments: {python: '<3.10'}\nexceptions: [{name: foo, marker: 'python_version < \"3.10\"'" + ends, []string{fixedIn15()}, floors.ByPolicy},
		{"where a marker may not hold", "exceptions: [{name: foo, marker: 'python_version < \"3.10\"'" + ends, []string{fixedIn15()}, floors.Violation},
		{"an ignored record", "advisories: {ignore: [{id: PYSEC-2026-1" + ends[:len(ends)-1] + "}", []string{fixedIn15()}, floors.Pass},
		{"a private name", "private: [f*]", []string{fixedIn15()}, floors.Pass},
	} {
		r := check(t, requirementsFile("foo>=1\n"), tc.cfg, tc.records...)
		for _, v := range r.Verdicts {
			if v.Requirement != nil && v.Answer != tc.want {
				t.Errorf("%s: %s; want %s\n%s", tc.name, v.Answer, tc.want, brief(r))
			}
		}
		if len(r.Edits()) > 0 && tc.want != floors.Violation {
			t.Errorf("%s: what is lifted is mended", tc.name)
		}
	}
}

// TestSeverity has the advisories that a minimum leaves out.
func TestSeverity(t *testing.T) {
	t.Parallel()
	const medium = `"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N"}]`
	for fields, want := range map[string]floors.Answer{
		medium: floors.Pass,
		"":     floors.Violation,
		`"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"}]`: floors.Violation,
		`"severity":[{"type":"CVSS_V4","score":"CVSS:4.0/AV:N/AC:L"}]`:                           floors.Violation,
		`"database_specific":{"severity":"MODERATE"}`:                                            floors.Pass,
		`"database_specific":{"severity":"HIGH"}`:                                                floors.Violation,
		`"database_specific":{"severity":"odd"}`:                                                 floors.Violation,
		medium + `,"database_specific":{"severity":"CRITICAL"}`:                                  floors.Violation,
	} {
		r := check(t, requirementsFile("foo>=1\n"), "minimum_severity: high", record("PYSEC-2026-1", fields, events("introduced", "0", "fixed", "1.5")))
		if got := requirements(r)[0].Answer; got != want {
			t.Errorf("%s: %s; want %s", fields, got, want)
		}
	}
}

// TestOnePlace has a file that two lists of a project take their requirements
// from: there is one edit, of the list that is bound less.
func TestOnePlace(t *testing.T) {
	t.Parallel()
	r := check(t, map[string]string{
		"pyproject.toml":   "[build-system]\nrequires = []\n[project]\ndynamic = [\"dependencies\"]\n[tool.setuptools.dynamic]\ndependencies = {file = [\"requirements.txt\"]}\n",
		"requirements.txt": "foo>=1\n",
	}, "{}", fixedIn15())
	want := map[string][]policy.Edit{"requirements.txt": {{Start: 3, End: 6, New: ">=1.5"}}}
	if diff := cmp.Diff(want, r.Edits()); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, brief(r))
	}
}

// TestFixture mends a bare requirement of every project that has an advisory in
// the fixture, and holds that what is mended passes.
func TestFixture(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(fixture(t)), "\n")
	db := build(t, lines...)
	files := requirementsFile(strings.Join(db.Names(), "\n") + "\n")
	in := floors.Input{Reading: readTree(tree(files)), Database: db, Snapshot: osv.Snapshot{Newest: today()}, Today: today()}
	before := floors.Check(in)
	edits := before.Edits()["requirements.txt"]
	text, ok := floors.Apply([]byte(files["requirements.txt"]), edits)
	if !ok || len(edits) < 500 {
		t.Fatalf("%d edits", len(edits))
	}
	in.Reading = readTree(tree(requirementsFile(string(text))))
	after := floors.Check(in)
	compareFixed(t, 0, before, after)
	if rest := after.Edits(); len(rest) > 0 {
		t.Errorf("a second fix changes %v", rest)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		edits []policy.Edit
		want  string
		ok    bool
	}{
		{nil, "abcdef", true},
		{[]policy.Edit{{Start: 1, End: 2, New: "X"}, {Start: 2, End: 2, New: "Y"}, {Start: 6, End: 6, New: "!"}}, "aXYcdef!", true},
		{[]policy.Edit{{Start: 2, End: 1}}, "", false},
		{[]policy.Edit{{Start: 0, End: 7}}, "", false},
		{[]policy.Edit{{Start: 0, End: 3}, {Start: 2, End: 4}}, "", false},
		{[]policy.Edit{{Start: -1, End: 0}}, "", false},
	} {
		got, ok := floors.Apply([]byte("abcdef"), tc.edits)
		if string(got) != tc.want || ok != tc.ok {
			t.Errorf("%v: %q, %v", tc.edits, got, ok)
		}
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	base := tree(map[string]string{"a/requirements.txt": "foo\n", "b.txt": "bar\n"})
	base["link"] = &fstest.MapFile{Data: []byte("a/requirements.txt"), Mode: fs.ModeSymlink | 0o777}
	over := floors.Overlay(base, map[string][]byte{"a/requirements.txt": []byte("foo>=1.5\n"), "gone.txt": nil})
	for name, want := range map[string]string{"a/requirements.txt": "foo>=1.5\n", "b.txt": "bar\n"} {
		got, err := fs.ReadFile(over, name)
		info, statErr := fs.Stat(over, name)
		if err != nil || statErr != nil || string(got) != want || info.Size() != int64(len(want)) {
			t.Errorf("%s: %q, %v, %v", name, got, err, statErr)
		}
	}
	if _, err := fs.ReadFile(over, "gone.txt"); err == nil {
		t.Error("a file is there that was not")
	}
	got := manifest.Read(over, "link", manifest.Options{Kind: manifest.RequirementsFile})
	if len(got.Requirements) != 1 || got.Requirements[0].Text != "foo>=1.5" || len(got.Errors) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestNothing has a check of nothing.
func TestNothing(t *testing.T) {
	t.Parallel()
	r := floors.Check(floors.Input{Today: today(), Config: &config.Config{Database: config.Database{Source: config.NoDatabase}}})
	var b strings.Builder
	if err := (floors.Text{}).Write(&b, r, r.Findings()); err != nil || b.String() != "0 requirements in 0 files: 0 hold; no advisories\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := r.Explain("Foo_Bar").Write(&b, nil); err != nil || b.String() != "foo-bar\n  nothing is held against any version\nno advisories\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := r.Derive().Write(&b); err != nil || !strings.HasSuffix(b.String(), "floors: {}\n") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestDerivedTable holds that the table is a policy that package config reads,
// and that a project keeps it.
func TestDerivedTable(t *testing.T) {
	t.Parallel()
	db := build(t, strings.Split(strings.TrimSpace(fixture(t)), "\n")...)
	files := requirementsFile(strings.Join(db.Names(), "\n") + "\n")
	in := floors.Input{Reading: readTree(tree(files)), Database: db, Today: today()}
	table := floors.Check(in).Derive()
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("loopx.yaml", []byte(b.String()))
	if err != nil || len(c.Floors) < 500 {
		t.Fatalf("%d floors, %v", len(c.Floors), err)
	}
	for _, d := range table.Floors {
		if got := c.Floors[d.Name]; d.Floor != "" && (len(got) != 1 || len(got[0].IDs) == 0 || d.Malicious) {
			t.Errorf("%+v is %+v", d, got)
		}
	}
}
