package notice

import (
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// Update is an advisory that has changed about a Python project.
type Update struct {
	Project  string
	Advisory osv.Advisory
}

// Since returns the advisories of a database about the declared projects that were
// modified later than a time, sorted by project and name: those that an earlier
// check by the same database did not know as they are. One that does not say when
// it was modified counts as changed. Names are normalized here.
func Since(db *osv.Database, t time.Time, declared []string) []Update {
	names := make([]string, 0, len(declared))
	for _, name := range declared {
		names = append(names, pep503.Normalize(name))
	}
	slices.Sort(names)
	var all []Update
	for _, name := range slices.Compact(names) {
		for _, a := range db.Lookup(name) {
			if a.Modified.IsZero() || a.Modified.After(t) {
				all = append(all, Update{name, a})
			}
		}
	}
	return all
}

// Declared returns the Python projects that a reading declares, sorted: what
// [Since] asks for.
func Declared(r manifest.Reading) []string {
	var names []string
	for _, q := range r.Requirements {
		if q.Name != "" && !q.Local() {
			names = append(names, q.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RecordsSince returns the records of any ecosystem that were modified later than a
// time, withdrawn ones among them, or don't say when they were. [Check] tells which
// of them are about something that is declared.
func RecordsSince(records []osv.Record, t time.Time) []osv.Record {
	var all []osv.Record
	for _, r := range records {
		if r.Modified.IsZero() || r.Modified.After(t) {
			all = append(all, r)
		}
	}
	return all
}
