package osv

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Database answers which advisories there are about a Python project. It does
// not change, and may be used from several goroutines.
type Database struct {
	projects map[string]*project
	stats    Stats
}

// project holds the advisories about one.
type project struct{ counted, withdrawn []Advisory }

// Stats say what a database holds, and what of its source it does not.
type Stats struct {
	// Records are those about Python projects, withdrawn ones among them, each
	// id once; Packages are the projects.
	Records, Packages int
	// Withdrawn records count for nothing.
	Withdrawn int
	// Replaced are entries that gave way to a later one of their id, or to one
	// that is the same.
	Replaced int
	// Others are records about no Python project.
	Others int
	// Newest is the time of the last change of a record; zero if none has one.
	Newest time.Time
	// UnreadVersions counts the listed versions that are no version numbers.
	UnreadVersions int
	// Unprovable counts the records, withdrawn ones left out, that don't say
	// which versions are affected.
	Unprovable int
	// Notes are what is odd about records or unprovable, each with the record's
	// id in front, sorted. They quote foreign text.
	Notes []string
}

// Lookup returns the advisories about the project with this normalized name
// (package pep503), sorted by their names. Withdrawn records are not among
// them.
func (d *Database) Lookup(name string) []Advisory {
	if p := d.projects[name]; p != nil {
		return p.counted
	}
	return nil
}

// Withdrawn returns the withdrawn records about a project, each for itself, to
// be shown and not to be counted.
func (d *Database) Withdrawn(name string) []Advisory {
	if p := d.projects[name]; p != nil {
		return p.withdrawn
	}
	return nil
}

// Names returns the projects that have a record, sorted.
func (d *Database) Names() []string { return slices.Sorted(maps.Keys(d.projects)) }

// Stats returns what was read and what was not.
func (d *Database) Stats() Stats { return d.stats }

// Database returns what has been added. The Builder is of no more use.
func (b *Builder) Database() *Database {
	entries := b.sorted()
	d := &Database{projects: map[string]*project{}}
	d.stats = Stats{Records: len(entries), Replaced: b.added - len(entries), Others: b.others}
	g := newGroups(entries)
	vulnerabilities := map[string]map[int][]Source{}
	for _, e := range entries {
		d.stats.count(e)
		for i := range e.claims {
			c := &e.claims[i]
			if d.projects[c.project] == nil {
				d.projects[c.project] = &project{}
				vulnerabilities[c.project] = map[int][]Source{}
			}
			if !e.withdrawn.IsZero() {
				p := d.projects[c.project]
				p.withdrawn = append(p.withdrawn, merge([]Source{source(e, c)}))
				continue
			}
			group := g.of(e.id)
			vulnerabilities[c.project][group] = append(vulnerabilities[c.project][group], source(e, c))
		}
	}
	for name, p := range d.projects {
		p.counted = advisories(vulnerabilities[name])
	}
	d.stats.Packages = len(d.projects)
	slices.Sort(d.stats.Notes)
	*b = Builder{}
	return d
}

// advisories makes an advisory of each group of sources.
func advisories(groups map[int][]Source) []Advisory {
	var all []Advisory
	for _, sources := range groups {
		all = append(all, merge(sources))
	}
	slices.SortFunc(all, func(x, y Advisory) int { return slices.Compare(x.IDs, y.IDs) })
	return all
}

// sorted returns the entries in an order that does not depend on the one in
// which they came.
func (b *Builder) sorted() []*entry {
	var all []*entry
	for _, id := range slices.Sorted(maps.Keys(b.entries)) {
		entries := b.entries[id].entries
		if len(entries) > 1 {
			slices.SortFunc(entries, func(x, y *entry) int { return strings.Compare(x.text(), y.text()) })
		}
		all = append(all, entries...)
	}
	return all
}

// count adds what one record is and has.
func (s *Stats) count(e *entry) {
	if e.modified.After(s.Newest) {
		s.Newest = e.modified
	}
	if !e.withdrawn.IsZero() {
		s.Withdrawn++
		return
	}
	unprovable := false
	for _, note := range e.notes {
		s.Notes = append(s.Notes, e.id+": "+note)
	}
	for _, c := range e.claims {
		s.UnreadVersions += c.unread
		for _, note := range c.notes {
			s.Notes = append(s.Notes, e.id+": "+note)
		}
		if c.unprovable != "" {
			unprovable = true
			s.Notes = append(s.Notes, e.id+": "+c.unprovable)
		}
	}
	if unprovable {
		s.Unprovable++
	}
}
