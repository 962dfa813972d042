package osv

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// Builder collects the records of a [Database], in any order: the order makes
// no difference. The zero value is empty and ready.
type Builder struct {
	entries map[string]*state // by id
	others  int               // records about no Python project
	added   int               // records about one
	texts   map[string]string
	numbers map[string]number
}

// state is what is known of one id: the entry that was modified last, and others
// of the same time that differ from it.
type state struct {
	entries []*entry
	texts   map[string]bool // of entries, once there is a second one
}

// entry is what is kept of a record.
type entry struct {
	id                             string
	names                          []string // the id and its aliases, sorted
	published, modified, withdrawn time.Time
	summary, rating, page          string
	severity                       []Severity
	notes                          []string
	claims                         []claim // sorted by project
}

// claim is what a record says about one project.
type claim struct {
	project  string // normalized
	severity []Severity
	evidence
}

type number struct {
	version pep440.Version
	err     error
}

// Add takes a record. Of two with one id, the one that was modified later
// counts; if they were modified at one time and differ, both count. What is
// about no Python project is counted only. No text of the record is kept
// alive.
func (b *Builder) Add(r Record) {
	if !slices.ContainsFunc(r.Affected, func(a Affected) bool { return a.IsPyPI() }) {
		b.others++
		return
	}
	b.added++
	if b.entries == nil {
		b.entries = map[string]*state{}
	}
	e := b.entry(&r)
	old := b.entries[e.id]
	if old == nil || e.modified.After(old.entries[0].modified) {
		b.entries[e.id] = &state{entries: []*entry{e}}
	} else if e.modified.Equal(old.entries[0].modified) {
		old.add(e)
	}
}

// add takes an entry that was modified at the same time, unless it says the
// same.
func (s *state) add(e *entry) {
	if s.texts == nil {
		s.texts = map[string]bool{s.entries[0].text(): true}
	}
	if text := e.text(); !s.texts[text] {
		s.texts[text] = true
		s.entries = append(s.entries, e)
	}
}

// text is the whole entry in words.
func (e *entry) text() string { return fmt.Sprint(*e) }

func (b *Builder) entry(r *Record) *entry {
	e := &entry{
		id:        b.text(r.ID),
		published: r.Published, modified: r.Modified, withdrawn: r.Withdrawn,
		summary: b.text(r.Summary), rating: b.text(r.Rating), page: b.text(r.page()),
		severity: b.scores(r.Severity), notes: slices.Clone(r.Notes),
	}
	for _, name := range append([]string{r.ID}, r.Aliases...) {
		if name != "" {
			e.names = append(e.names, b.text(name))
		}
	}
	slices.Sort(e.names)
	e.names = slices.Compact(e.names)
	for name, parts := range r.projects() {
		e.claims = append(e.claims, b.claim(r, name, parts))
	}
	slices.SortFunc(e.claims, func(x, y claim) int { return strings.Compare(x.project, y.project) })
	if len(e.claims) > 0 && e.claims[0].project == "" {
		e.notes = append(e.notes, "it is about a Python project without a name")
	}
	return e
}

// projects are the parts of the record about each Python project, by its
// normalized name.
func (r *Record) projects() map[string][]*Affected {
	byName := map[string][]*Affected{}
	for i := range r.Affected {
		if a := &r.Affected[i]; a.IsPyPI() {
			name := pep503.Normalize(a.Name)
			byName[name] = append(byName[name], a)
		}
	}
	return byName
}

// page is where a person reads about the record: its own first.
func (r *Record) page() string {
	for _, kind := range [...]string{"ADVISORY", "WEB", "REPORT", "FIX"} {
		for _, ref := range r.References {
			if ref.Type == kind {
				return ref.URL
			}
		}
	}
	return ""
}

func (b *Builder) claim(r *Record, name string, parts []*Affected) claim {
	c := claim{project: b.text(name)}
	for _, a := range parts {
		c.severity = append(c.severity, b.scores(a.Severity)...)
		c.add(evaluate(a.Ranges, a.Versions, b.version))
	}
	if isMalicious(r.ID) && c.unprovable != "" && c.affected.Empty() {
		// A record about a malicious package that names no versions is about
		// all of it: https://github.com/ossf/malicious-packages.
		c.affected, c.unprovable = pep440.All(), ""
	}
	slices.SortFunc(c.fixed, pep440.Version.Compare)
	c.fixed = slices.CompactFunc(c.fixed, pep440.Version.Equal)
	slices.Sort(c.notes)
	c.notes = slices.Compact(c.notes)
	return c
}

// add joins what several parts of a record say about one project.
func (e *evidence) add(o evidence) {
	e.affected = e.affected.Union(o.affected)
	e.fixed = append(e.fixed, o.fixed...)
	e.weak = e.weak || o.weak
	e.unprovable = max(e.unprovable, o.unprovable)
	e.notes = append(e.notes, o.notes...)
	e.unread += o.unread
}

// isMalicious reports whether the id is one of the Malicious Packages
// database.
func isMalicious(id string) bool { return strings.HasPrefix(id, "MAL-") }

// text returns a copy of s; the same one each time.
func (b *Builder) text(s string) string {
	if s == "" {
		return ""
	}
	if known, ok := b.texts[s]; ok {
		return known
	}
	if b.texts == nil {
		b.texts = map[string]string{}
	}
	s = strings.Clone(s)
	b.texts[s] = s
	return s
}

func (b *Builder) scores(scores []Severity) []Severity {
	var kept []Severity
	for _, s := range scores {
		kept = append(kept, Severity{b.text(s.Type), b.text(s.Score)})
	}
	return kept
}

// version reads a version number, each text once.
func (b *Builder) version(text string) (pep440.Version, error) {
	if n, ok := b.numbers[text]; ok {
		return n.version, n.err
	}
	if b.numbers == nil {
		b.numbers = map[string]number{}
	}
	text = strings.Clone(text)
	v, err := pep440.Parse(text)
	b.numbers[text] = number{v, err}
	return v, err
}
