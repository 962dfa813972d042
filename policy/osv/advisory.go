package osv

import (
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Advisory is one vulnerability as far as it is about one project: all records
// that name each other, or a third one, as aliases. Sets and slices are shared
// and must not be changed.
type Advisory struct {
	// IDs are all names of the vulnerability, those of the sources and their
	// aliases, sorted.
	IDs []string
	// Sources are the records, sorted by id.
	Sources []Source
	// Affected are the versions that any source says are affected. A version
	// with a local label is a build of the same code: where 1.0 is affected,
	// 1.0+local is.
	Affected pep440.Set
	// Fixed are the versions in which a source says it is fixed, sorted.
	Fixed []pep440.Version
	// Weak: an upper end comes from last_affected, which the schema calls open
	// to false negatives.
	Weak bool
	// Malicious: the package itself is an attack. It has no floor and is to be
	// removed.
	Malicious bool
	// Unprovable says why Affected may lack versions, beginning with the
	// record's id; "" if nothing is missing. What lies outside Affected is then
	// not known to be clean.
	Unprovable string
	// Published is the earliest, Modified the latest time of a source; zero if
	// none has one.
	Published, Modified time.Time
	// Summary, Page (an address) and Rating are those of the first source that
	// has them, Severity are all scores. These are foreign text.
	Summary, Page, Rating string
	Severity              []Severity
}

// Source is what one record says about a project.
type Source struct {
	ID string
	// Names are the id and its aliases, sorted.
	Names []string
	// Withdrawn is zero for all but what [Database.Withdrawn] returns.
	Published, Modified, Withdrawn time.Time
	Affected                       pep440.Set
	Fixed                          []pep440.Version
	Weak                           bool
	// Unprovable says why Affected may lack versions; "" if it does not.
	Unprovable string
	// Notes say what is odd about the record and was read anyway.
	Notes                 []string
	Summary, Page, Rating string
	Severity              []Severity
}

// source is what e says about the project of c.
func source(e *entry, c *claim) Source {
	severity := c.severity
	if len(severity) == 0 {
		severity = e.severity
	}
	return Source{
		ID: e.id, Names: e.names,
		Published: e.published, Modified: e.modified, Withdrawn: e.withdrawn,
		Affected: c.affected, Fixed: c.fixed, Weak: c.weak, Unprovable: c.unprovable,
		Notes:   slices.Concat(e.notes, c.notes),
		Summary: e.summary, Page: e.page, Rating: e.rating, Severity: severity,
	}
}

// merge makes one advisory of sources about one project.
func merge(sources []Source) Advisory {
	a := Advisory{Sources: sources}
	var affected []pep440.Set
	for i := range sources {
		a.add(&sources[i])
		affected = append(affected, sources[i].Affected)
	}
	a.Affected = union(affected)
	if len(sources) > 1 {
		slices.Sort(a.IDs)
		a.IDs = slices.Compact(a.IDs)
		slices.SortFunc(a.Fixed, byVersion)
		a.Fixed = slices.CompactFunc(a.Fixed, pep440.Version.Equal)
	}
	a.Malicious = slices.ContainsFunc(a.IDs, isMalicious)
	return a
}

func (a *Advisory) add(s *Source) {
	if len(a.Sources) == 1 {
		a.IDs, a.Fixed, a.Severity = s.Names, s.Fixed, s.Severity
	} else {
		a.IDs = append(a.IDs, s.Names...)
		a.Fixed = append(a.Fixed, s.Fixed...)
		a.Severity = append(a.Severity, s.Severity...)
	}
	a.Weak = a.Weak || s.Weak
	if s.Unprovable != "" && a.Unprovable == "" {
		a.Unprovable = s.ID + ": " + s.Unprovable
	}
	if !s.Published.IsZero() && (a.Published.IsZero() || s.Published.Before(a.Published)) {
		a.Published = s.Published
	}
	if s.Modified.After(a.Modified) {
		a.Modified = s.Modified
	}
	a.Summary = first(a.Summary, s.Summary)
	a.Page = first(a.Page, s.Page)
	a.Rating = first(a.Rating, s.Rating)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// byVersion orders versions, and texts of one version.
func byVersion(a, b pep440.Version) int {
	if c := a.Compare(b); c != 0 {
		return c
	}
	return strings.Compare(a.Original(), b.Original())
}

// Keep returns the advisory as it is without the sources that keep refuses; ok
// is false if none is left. A policy that does not believe one record says so
// by it.
func (a Advisory) Keep(keep func(Source) bool) (kept Advisory, ok bool) {
	var sources []Source
	for _, s := range a.Sources {
		if keep(s) {
			sources = append(sources, s)
		}
	}
	switch len(sources) {
	case 0:
		return Advisory{}, false
	case len(a.Sources):
		return a, true
	}
	return merge(sources), true
}
