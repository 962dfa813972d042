package osv

import (
	"flag"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"

	"github.com/loopx/loopx-frontend/internal/oracle"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// gunzip returns what a compressed file holds.
func gunzip(t testing.TB, name string) []byte {
	t.Helper()
	data, err := oracle.Gunzip(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixture returns the text of the advisories in testdata, as JSON lines.
func fixture(t testing.TB) string {
	t.Helper()
	return string(gunzip(t, "testdata/pypi-advisories.jsonl.gz"))
}

// build makes a database of records.
func build(t testing.TB, texts ...string) *Database {
	t.Helper()
	var b Builder
	for _, text := range texts {
		if err := Decode(text, 1, func(r Record) error { b.Add(r); return nil }); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return b.Database()
}

// about returns a record about foo: its fields, and what affected[0] holds
// beside the package.
func about(id, fields, affected string) string {
	if fields != "" {
		fields += ","
	}
	return `{"id":"` + id + `","modified":"2026-01-02T03:04:05Z",` + fields +
		`"affected":[{"package":{"ecosystem":"PyPI","name":"foo"}` + affected + `}]}`
}

// events returns a field of affected with one ECOSYSTEM range.
func events(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, `{"`+pairs[i]+`":"`+pairs[i+1]+`"}`)
	}
	return `,"ranges":[{"type":"ECOSYSTEM","events":[` + strings.Join(list, ",") + `]}]`
}

func specifiers(t testing.TB, text string) pep440.Specifiers {
	t.Helper()
	s, err := pep440.ParseSpecifiers(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func version(t testing.TB, text string) pep440.Version {
	t.Helper()
	v, err := pep440.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
