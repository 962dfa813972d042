package notice_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/notice"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// debian is a record about a source package of Debian 12.
func debian(id, source, modified, fixed string) string {
	return fmt.Sprintf(`{"id":%q,"modified":%q,"affected":[{"package":{"ecosystem":"Debian:12","name":%q},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":%q}]}]}]}`+"\n", id, modified, source, fixed)
}

// python is a record about a Python project.
func python(id, project, modified, fixed string) string {
	return fmt.Sprintf(`{"id":%q,"modified":%q,"affected":[{"package":{"ecosystem":"PyPI","name":%q},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":%q}]}]}]}`+"\n", id, modified, project, fixed)
}

// TestOrderDoesNotMatter holds that the report is the same in whatever order
// records and files come.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	files := map[string]string{"requirements.txt": "a>=1\nb==1\n"}
	var all strings.Builder
	for i := range 12 {
		all.WriteString(debian(fmt.Sprintf("DSA-%d-1", i), []string{"openssl", "curl", "x"}[i%3], "2026-01-01T00:00:00Z", fmt.Sprint(i+1)))
		all.WriteString(python(fmt.Sprintf("PYSEC-%d", i), []string{"a", "b", "c"}[i%3], "2026-01-01T00:00:00Z", fmt.Sprint(i+1)))
		files[fmt.Sprintf("d%d/Dockerfile", i)] = "FROM debian:12\nRUN apt-get install -y openssl curl=" + fmt.Sprint(i) + " libx $Y\n"
	}
	files["notices"] = all.String()
	in := input(t, files)
	want := brief(notice.Check(in))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		shuffle(r, in.Records)
		shuffle(r, in.Dockerfiles)
		shuffle(r, in.Floors.Reading.Requirements)
		got := brief(notice.Check(in))
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	}
}

func shuffle[T any](r *rand.Rand, all []T) {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

// sorted puts the places that are unread, which are in the order of the files, into
// one order.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.SortStableFunc(lines, func(a, b string) int {
		if strings.HasPrefix(a, "unread ") && strings.HasPrefix(b, "unread ") {
			return strings.Compare(a, b)
		}
		return 0
	})
	return strings.Join(lines, "\n")
}

// TestSince holds which advisories are new since a time.
func TestSince(t *testing.T) {
	t.Parallel()
	var b osv.Builder
	all := records(t, python("P-1", "a", "2026-01-01T00:00:00Z", "1")+python("P-2", "A", "2026-03-01T00:00:00Z", "2")+
		python("P-3", "b", "2026-03-01T00:00:00Z", "1")+`{"id":"P-4","affected":[{"package":{"ecosystem":"PyPI","name":"a"}}]}`)
	for _, r := range all {
		b.Add(r)
	}
	var got []string
	since := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	declared := notice.Declared(manifest.Reading{Requirements: []manifest.Requirement{{Name: "a"}, {Name: "a"}, {}}})
	for _, u := range notice.Since(b.Database(), since, declared) {
		got = append(got, u.Project+" "+u.Advisory.Sources[0].ID)
	}
	if diff := cmp.Diff([]string{"a P-2", "a P-4"}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, r := range notice.RecordsSince(all, since) {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff([]string{"P-2", "P-3", "P-4"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestEvaluated holds that what was evaluated is known until it changes, and that a
// file that is not understood is an error.
func TestEvaluated(t *testing.T) {
	t.Parallel()
	all := records(t, debian("A-1", "x", "2026-01-01T00:00:00Z", "1")+debian("A-2", "x", "2026-01-02T00:00:00Z", "1")+`{"id":"A-3"}`)
	e := notice.Evaluated{}
	e.Add(all)
	back, err := notice.ParseEvaluated(e.Text())
	if err != nil {
		t.Fatal(err)
	}
	later := records(t, debian("A-1", "x", "2026-02-01T00:00:00Z", "1"))
	for i, want := range []bool{true, true, false} {
		if got := back.Knows(&all[i]); got != want {
			t.Errorf("%s is known: %v", all[i].ID, got)
		}
	}
	if back.Knows(&later[0]) {
		t.Error("a record that has changed is known")
	}
	back.Add(later)
	back.Add(all)
	if !back.Knows(&later[0]) {
		t.Error("an older record took the place of a later one")
	}
	for _, text := range []string{"x", "{}", `{"schema_version":2}`, `{"schema_version":1,"evaluated":{"A":"soon"}}`, `{"schema_version":1,"other":1}`, `{"schema_version":1,"evaluated":{}} x`} {
		if _, err := notice.ParseEvaluated([]byte(text)); err == nil {
			t.Errorf("%s is no error", text)
		}
	}
	if none, err := notice.ParseEvaluated([]byte(" \n")); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// TestRules holds that each rule is described, and each finding has one.
func TestRules(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, r := range notice.Rules() {
		rules[r.Name] = r.Description != "" && r.Why != "" && strings.HasSuffix(r.Page(), "#"+strings.ToLower(r.Name))
	}
	in := input(t, map[string]string{
		"notices":    debian("DSA-1-1", "openssl", "2026-01-01T00:00:00Z", "2") + `{"id":"MAL-1","affected":[{"package":{"ecosystem":"PyPI","name":"bad"}}]}`,
		"Dockerfile": "FROM debian:12\nRUN apt-get install openssl openssl=1 'x*'\nFROM y\nRUN apt-get install openssl\nRUN pip install bad\n",
	})
	r := notice.Check(in)
	found, subjects := r.Findings(), r.Subjects()
	seen := map[string]bool{}
	for i, f := range found {
		seen[f.Rule] = true
		if !rules[f.Rule] || f.Location.File != "Dockerfile" || f.Location.Start.Line == 0 || f.Message == "" || f.Fingerprint == "" {
			t.Errorf("%+v", f)
		}
		if subjects[i].Fingerprint != f.Fingerprint || subjects[i].Rule != f.Rule {
			t.Errorf("a reviewer of %+v signs for %+v", f, subjects[i])
		}
	}
	if len(seen) != len(rules) || len(notice.ReportRules()) != len(rules) {
		t.Errorf("rules %v, found %v", rules, seen)
	}
}

// FuzzCheck holds that any notice is held against any Dockerfile, and that what is
// told names a place that there is.
func FuzzCheck(f *testing.F) {
	f.Add(debian("DSA-1-1", "openssl", "2026-01-01T00:00:00Z", "2"), "FROM debian:12\nRUN apt-get install openssl=1*\n")
	f.Add(`{"id":"OPS","affected":[{"package":{"ecosystem":"Docker","name":"debian"},"versions":["12"]}]}`, "FROM debian:12\n")
	f.Add(`{"id":"U","affected":[{"package":{"ecosystem":"Ubuntu:24.04","name":"x"},"ecosystem_specific":{"binaries":[{"binary_name":"y","binary_version":"1"}]}}]}`, "FROM ubuntu:noble AS a\nFROM a\nRUN apt install y\n")
	f.Fuzz(func(t *testing.T, record, text string) {
		var all []osv.Record
		if err := osv.Decode(record, 1, func(r osv.Record) error { all = append(all, r); return nil }); err != nil {
			return
		}
		r := notice.Check(notice.Input{Records: all, Dockerfiles: []notice.Dockerfile{{Name: "Dockerfile", Text: []byte(text)}}})
		lines := strings.Count(text, "\n") + 1
		for _, n := range r.Notices {
			for _, a := range n.Answers {
				if a.File != "Dockerfile" || a.Line < 1 || a.Line > lines || a.Column < 1 {
					t.Errorf("%q, %q: %+v", record, text, a)
				}
			}
		}
		if len(r.Findings()) != len(r.Subjects()) {
			t.Errorf("%q, %q: %d findings, %d subjects", record, text, len(r.Findings()), len(r.Subjects()))
		}
	})
}

// BenchmarkCheck holds 1,000 notices against 300 Dockerfiles, 300 requirements files
// and an index of 30,000 packages.
func BenchmarkCheck(b *testing.B) {
	files := map[string]string{}
	var all, index strings.Builder
	for i := range 500 {
		all.WriteString(debian(fmt.Sprintf("DSA-%d-1", i), fmt.Sprintf("source%d", i), "2026-01-01T00:00:00Z", "2"))
		all.WriteString(python(fmt.Sprintf("PYSEC-%d", i), fmt.Sprintf("project%d", i), "2026-01-01T00:00:00Z", "2"))
	}
	for i := range 30_000 {
		fmt.Fprintf(&index, "Package: binary%d\nSource: source%d\n\n", i, i%1000)
	}
	for i := range 300 {
		var d, q strings.Builder
		d.WriteString("FROM debian:12-slim AS build\nRUN apt-get update && apt-get install -y --no-install-recommends")
		for k := range 20 {
			fmt.Fprintf(&d, " \\\n    binary%d", (i*37+k*101)%30_000)
			fmt.Fprintf(&q, "project%d>=%d\n", (i*7+k)%1000, k%3)
		}
		d.WriteString("\nFROM build\nRUN apt-get install -y source" + fmt.Sprint(i) + "=1\n")
		files[fmt.Sprintf("s%d/Dockerfile", i)], files[fmt.Sprintf("s%d/requirements.txt", i)] = d.String(), q.String()
	}
	files["notices"], files["index"] = all.String(), index.String()
	in := input(b, files)
	answers := 0
	for b.Loop() {
		answers = 0
		for _, n := range notice.Check(in).Notices {
			answers += len(n.Answers)
		}
	}
	b.ReportMetric(float64(answers), "answers")
}
