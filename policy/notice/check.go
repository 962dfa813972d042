package notice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// Check answers for each notice. The answers do not depend on the order of the
// records, of the Dockerfiles or of the lists.
func Check(in Input) *Report {
	if in.Floors.Database == nil {
		var b osv.Builder
		for _, r := range in.Records {
			b.Add(r)
		}
		in.Floors.Database = b.Database()
	}
	c := newChecker(&in)
	all := gather(in.Records)
	c.learn(all)
	c.python(all)
	r := &Report{in: in, broken: c.project.broken}
	packages := false
	for i := range all {
		n := &all[i]
		c.notice(n)
		packages = packages || len(n.entries()) > 0 && !n.withdrawn()
		r.Notices = append(r.Notices, n.Notice)
	}
	if packages {
		r.Unmatched = slices.Sorted(maps.Keys(c.unmatched))
		r.Unread = append(c.project.unread, c.sourcelessPlaces(r.Unmatched)...)
	}
	for _, u := range c.unproved {
		same := func(o Unread) bool { return o.File == u.File && o.Line == u.Line && o.Why == u.Why }
		if !slices.ContainsFunc(r.Unread, same) {
			r.Unread = append(r.Unread, u)
		}
	}
	return r
}

// sourcelessPlaces are where stages install packages whose source package is not
// known.
func (c *checker) sourcelessPlaces(names []string) []Unread {
	var all []Unread
	for _, name := range names {
		for _, u := range c.project.uses[name] {
			all = append(all, Unread{
				Place: u.at(), Package: name,
				Why: "the source package of " + name + " is not known, by which a notice names its packages: give --packages",
			})
		}
	}
	slices.SortStableFunc(all, compareUnread)
	return all
}

// checker holds what a check needs to look up.
type checker struct {
	in      *Input
	project *project
	index   *inventory.Index
	// built are the packages that stages install, by their source package.
	built map[string][]string
	// said are the source packages that the records themselves name.
	said map[pair]string
	// unmatched are packages that a notice may be about by their source, and unknown
	// those of each system whose source the index does not know.
	unmatched map[string]bool
	unknown   map[string][]string
	// unproved are places that may declare Python projects, and don't tell which.
	unproved []Unread
}

func newChecker(in *Input) *checker {
	c := &checker{in: in, project: readProject(in), index: in.Index, built: map[string][]string{}, unmatched: map[string]bool{}, said: map[pair]string{}, unknown: map[string][]string{}}
	return c
}

// notice answers for one notice; what it means for Python is there already.
func (c *checker) notice(n *gathered) {
	if n.withdrawn() {
		n.State, n.Answers = Withdrawn, nil
		n.Why = "it was withdrawn on " + day(n.records[0].Withdrawn)
		return
	}
	entries := n.entries()
	c.packages(n, entries)
	c.bases(n, entries)
	c.bills(n, entries)
	c.images(n)
	c.unmatchedBy(entries)
	slices.SortStableFunc(n.Answers, compareAnswers)
	n.State = worst(n.Answers)
	if len(n.Answers) == 0 {
		n.State, n.Why = n.silence(c.knowsAll(entries))
	}
}

// knowsAll reports whether all is known that an answer about packages or projects
// rests on.
func (c *checker) knowsAll(entries []entry) bool {
	for _, e := range entries {
		if len(c.project.unread) > 0 || len(e.Binaries) == 0 && len(c.sourceless(e.System)) > 0 {
			return false
		}
	}
	return len(entries) > 0 || len(c.unproved) == 0
}

// silence says why a notice has no answer. all says that everything is known that it
// could be about.
func (n *gathered) silence(all bool) (State, string) {
	var others, ours []string
	for _, r := range n.records {
		for i := range r.Affected {
			a := &r.Affected[i]
			name := strings.TrimSpace(a.Ecosystem + " " + a.Name)
			if checked(a) {
				ours = append(ours, name)
			} else if a.Name != "" {
				others = append(others, name)
			}
		}
	}
	switch {
	case len(ours) > 0 && !all:
		return Unaffected, "nothing that is declared here is known to be " + shortList(ours)
	case len(ours) > 0:
		return Unaffected, "nothing that is declared here is " + shortList(ours)
	case len(others) > 0:
		return Unchecked, "it is about " + shortList(others) + ", which is not looked at here"
	}
	return Unchecked, "it names no package"
}

// checked reports whether a package is of a kind that is looked for.
func checked(a *osv.Affected) bool {
	e := entryOf(a)
	return a.IsPyPI() || e.Affected != nil || isImage(a)
}

// shortList is the first few of some names, each once.
func shortList(all []string) string {
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > 3 {
		return strings.Join(all[:3], ", ") + fmt.Sprintf(" and %d more", len(all)-3)
	}
	return list(all)
}

// unmatchedBy notes the packages that a notice may be about by their source, where
// nothing says what that is.
func (c *checker) unmatchedBy(entries []entry) {
	for _, e := range entries {
		if len(e.Binaries) > 0 {
			continue
		}
		for _, name := range c.sourceless(e.System) {
			c.unmatched[name] = true
		}
	}
}

// sourceless are the packages that stages of a system install, and whose source
// package is not known.
func (c *checker) sourceless(system string) []string {
	if names, ok := c.unknown[system]; ok {
		return names
	}
	var names []string
	for name, uses := range c.project.uses {
		of := func(u *use) bool { return u.os.System == "" || u.os.System == system }
		if len(c.sources(system, name)) == 0 && slices.ContainsFunc(uses, of) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	c.unknown[system] = names
	return names
}

// python answers for what the project declares of Python, for all notices at once.
func (c *checker) python(all []gathered) {
	byProject := map[string][]*gathered{}
	for i := range all {
		for _, name := range all[i].projects() {
			byProject[name] = append(byProject[name], &all[i])
		}
	}
	if len(byProject) == 0 {
		return
	}
	c.unproved = c.unprovable()
	checked := floors.Check(c.in.Floors)
	uncounted := checked.Uncounted()
	for i := range checked.Verdicts {
		v := &checked.Verdicts[i]
		if v.Requirement == nil || v.With != nil || v.Requirement.Local() {
			continue
		}
		name := v.Requirement.Name
		known := c.in.Floors.Database.Lookup(name)
		for _, n := range byProject[name] {
			a := requirement(n, v, known, uncounted)
			c.project.stage(&a.Place)
			n.Answers = append(n.Answers, a)
		}
	}
}

// unprovable are the places that may declare Python projects and don't tell which, unless
// the policy allows such.
func (c *checker) unprovable() []Unread {
	in := &c.in.Floors
	if in.Config.UnprovableLevel() == config.Allow {
		return nil
	}
	var all []Unread
	add := func(at Place, table, why string) {
		if table != "" {
			why = table + ": " + why
		}
		c.project.stage(&at)
		all = append(all, Unread{Place: at, Why: why})
	}
	for _, n := range in.Reading.Notes {
		if n.Answer == manifest.Unprovable {
			add(spanPlace(n.File, n.Span), n.Table, n.Message)
		}
	}
	for i := range in.Reading.Requirements {
		if q := &in.Reading.Requirements[i]; q.Name == "" && q.Unprovable != "" && !q.Local() {
			add(spanPlace(q.File, q.Span), q.Table, q.Unprovable)
		}
	}
	slices.SortStableFunc(all, compareUnread)
	return all
}

func compareUnread(a, b Unread) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
