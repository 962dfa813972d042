package floors_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// today is when the tests take place.
func today() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// tree is a file system with texts.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return fsys
}

// readTree reads all that a tree declares.
func readTree(fsys fstest.MapFS) manifest.Reading {
	found := manifest.Discover(fsys, ".", manifest.Find{})
	return manifest.ReadAll(fsys, found.Files, manifest.Options{})
}

// input is a check of files by a policy and advisories.
func input(t testing.TB, files map[string]string, cfg string, records ...string) floors.Input {
	t.Helper()
	c, err := config.Parse(config.File, []byte(cfg))
	if err != nil {
		t.Fatalf("%s: %v", cfg, err)
	}
	in := floors.Input{Reading: readTree(tree(files)), Config: c, Today: today()}
	if len(records) > 0 {
		in.Database = build(t, records...)
		in.Snapshot = osv.Snapshot{Source: "test", Newest: today().Add(-24 * time.Hour), Records: len(records)}
	}
	return in
}

func check(t testing.TB, files map[string]string, cfg string, records ...string) *floors.Report {
	t.Helper()
	return floors.Check(input(t, files, cfg, records...))
}

// build makes a database of records.
func build(t testing.TB, texts ...string) *osv.Database {
	t.Helper()
	var b osv.Builder
	for _, text := range texts {
		if err := osv.Decode(text, 1, func(r osv.Record) error { b.Add(r); return nil }); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return b.Database()
}

// record is one about foo: its fields, and what affected[0] holds beside the
// package.
func record(id, fields, affected string) string { return recordOf("foo", id, fields, affected) }

func recordOf(name, id, fields, affected string) string {
	if fields != "" {
		fields += ","
	}
	return `{"id":"` + id + `","modified":"2026-07-05T03:04:05Z",` + fields +
		`"affected":[{"package":{"ecosystem":"PyPI","name":"` + name + `"}` + affected + `}]}`
}

// events is a field of affected with one range.
func events(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, `{"`+pairs[i]+`":"`+pairs[i+1]+`"}`)
	}
	return `,"ranges":[{"type":"ECOSYSTEM","events":[` + strings.Join(list, ",") + `]}]`
}

// brief is a report in a line for each verdict.
func brief(r *floors.Report) string {
	var b strings.Builder
	for _, v := range r.Verdicts {
		text := ""
		if v.Requirement != nil {
			text = v.Requirement.Text
		}
		fmt.Fprintf(&b, "%s:%d:%d %s %s %s %q: %s", v.File, v.Span.Start.Line, v.Span.Start.Column, v.Answer, v.Rule, v.Severity, text, v.Message)
		if f := v.Fix; f != nil {
			fmt.Fprintf(&b, " | fix %q why %q suggest %q other %q command %q", f.Text, f.Why, f.Suggest, f.Other, f.Command)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fixture is the text of the advisories that package osv is tested with, as JSON
// lines.
func fixture(t testing.TB) string {
	t.Helper()
	f, err := os.Open("../osv/testdata/pypi-advisories.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
