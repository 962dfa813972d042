package floors

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Check answers for each requirement of the reading, for what was noted when it
// was read, and for the policy itself. The answers do not depend on the order of
// the requirements, or of the records of the database.
func Check(in Input) *Report {
	c := newChecker(in)
	r := &Report{Config: c.config, in: c.in}
	for i := range c.all {
		r.Verdicts = append(r.Verdicts, c.requirement(i))
	}
	for _, n := range in.Reading.Notes {
		r.Verdicts = append(r.Verdicts, c.note(n))
	}
	for _, e := range in.Reading.Errors {
		at := manifest.Span{Start: e.At, End: e.At}
		r.Verdicts = append(r.Verdicts, Verdict{Answer: Broken, File: e.File, Span: at, Message: e.Message})
	}
	r.Verdicts = append(r.Verdicts, c.readings()...)
	r.Verdicts = append(r.Verdicts, c.policy()...)
	slices.SortStableFunc(r.Verdicts, compare)
	r.Database = c.database()
	return r
}

// readings are what a person should know of how the requirements were found, one
// for each file, list or group.
func (c *checker) readings() []Verdict {
	var all []Verdict
	for _, name := range c.in.Reading.Follows {
		all = append(all, Verdict{Answer: Look, File: name, Message: "this file was read since another one names it"})
	}
	type key struct{ file, table, message string }
	seen := map[key]bool{}
	for i := range c.all {
		q := &c.all[i]
		message := ""
		switch {
		case q.Pre:
			message = "pre-releases count here, since the file or the command asks for them"
		case q.Scope == manifest.Groups && len(q.Groups) > 1:
			message = "this is a part of other groups too: " + policy.Line(strings.Join(q.Groups[1:], ", "))
		default:
			continue
		}
		if k := (key{q.File, q.Table, message}); !seen[k] {
			seen[k] = true
			all = append(all, Verdict{Answer: Look, File: q.File, Table: q.Table, Span: q.Span, Message: message})
		}
	}
	return all
}

// compare puts attacks first, then goes by file and place.
func compare(a, b Verdict) int {
	return cmp.Or(
		rank(a)-rank(b), strings.Compare(a.File, b.File), comparePositions(a.Span.Start, b.Span.Start),
		strings.Compare(a.Table, b.Table), strings.Compare(a.Message, b.Message),
	)
}

func rank(v Verdict) int {
	if v.Rule == ruleMalicious {
		return 0
	}
	return 1
}

func comparePositions(a, b manifest.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// checker holds what a check needs to look up.
type checker struct {
	in     Input
	config *config.Config
	// all are the requirements, by place.
	all []manifest.Requirement
	// bound are the indexes of the requirements of one name in one set.
	bound        map[member][]int
	known        map[string]*knowledge
	pythons      map[string]pep440.Set
	conditions   map[condition]bool
	environments map[string][]map[string]string
}

// member is a name in a set.
type member struct{ set, name string }

func newChecker(in Input) *checker {
	if in.Config == nil {
		in.Config = &config.Config{}
	}
	c := &checker{
		in: in, config: in.Config, all: sorted(in.Reading.Requirements),
		bound: map[member][]int{}, known: map[string]*knowledge{}, pythons: map[string]pep440.Set{},
		conditions: map[condition]bool{}, environments: map[string][]map[string]string{},
	}
	for i := range c.all {
		for _, set := range c.all[i].Sets {
			key := member{set, c.all[i].Name}
			c.bound[key] = append(c.bound[key], i)
		}
	}
	for _, p := range in.Reading.Python {
		c.pythons[p.File] = c.pythons[p.File].Union(p.Versions)
	}
	return c
}

// sorted returns the requirements by place. Those that are in order already are
// not copied.
func sorted(all []manifest.Requirement) []manifest.Requirement {
	order := func(a, b manifest.Requirement) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), comparePositions(a.Span.Start, b.Span.Start),
			strings.Compare(a.Table, b.Table), strings.Compare(string(a.Scope), string(b.Scope)),
			strings.Compare(a.Text, b.Text), slices.Compare(a.Sets, b.Sets),
		)
	}
	if slices.IsSortedFunc(all, order) {
		return all
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, order)
	return all
}

// requirement answers for one requirement.
func (c *checker) requirement(i int) Verdict {
	q := &c.all[i]
	v := Verdict{Answer: Pass, Requirement: q, File: q.File, Table: q.Table, Span: q.Span}
	if why := c.outside(q); why != "" {
		v.Answer, v.Message = NotApplicable, why
		return v
	}
	k := c.about(q.Name)
	if q.Unprovable != "" {
		return c.unprovable(v, k, q.Unprovable)
	}
	if slices.ContainsFunc(q.Admits, pep440.Specifiers.Opaque) {
		return c.unprovable(v, k, "=== compares with a text that is no version number")
	}
	if !k.empty() {
		if j := c.lead(i); j != i && c.everUsed(q) {
			return c.follower(v, j, k)
		}
		v = c.judge(v, i, k)
	}
	if v.Answer == Pass {
		c.bounds(&v, q)
	}
	return v
}

// outside says why a requirement is not checked, "" if it is.
func (c *checker) outside(q *manifest.Requirement) string {
	switch {
	case c.config.Use(string(q.Scope)) == config.Skip:
		return "the policy turns the scope " + string(q.Scope) + " off"
	case q.Local() && !c.published(q):
		return "it is a part of the project's own tree"
	case q.Scope == manifest.Constraints && !c.config.StrictConstraints:
		return c.constraint(q)
	}
	return ""
}

// published reports whether others than the project's own tool install what the
// requirement admits: a table of the tool says that it is local, and the project
// is a library.
func (c *checker) published(q *manifest.Requirement) bool {
	metadata := q.Scope == manifest.Runtime || q.Scope == manifest.Optional
	return c.config.Library && metadata && q.Source.Kind != manifest.Self && q.Source.By != "" && len(q.Admits) > 0
}

// constraint says what a constraint does.
func (c *checker) constraint(q *manifest.Requirement) string {
	for _, set := range q.Sets {
		for _, j := range c.bound[member{set, q.Name}] {
			if c.all[j].Scope != manifest.Constraints {
				return "it binds what " + at(c.all[j].File, c.all[j].Span) + " asks for, and is checked there"
			}
		}
	}
	return "a constraint alone installs nothing"
}

// unprovable answers for a requirement whose versions are not known. Where there
// is nothing to hold a project to, any version will do.
func (c *checker) unprovable(v Verdict, k *knowledge, why string) Verdict {
	q := v.Requirement
	if q.Name != "" && k.empty() && !c.config.RequireFloor {
		v.Message = "nothing is held against any version of it"
		return v
	}
	h := c.hold(q, k)
	if h.all != nil {
		return c.accept(v, *h.all)
	}
	if q.Source.Hint != "" {
		why += " (" + q.Source.Hint + ")"
	}
	v.Answer, v.Message = Unprovable, why
	c.rate(&v, q, ruleUnprovable, c.config.UnprovableLevel())
	return v
}

// rate gives a verdict the rule of its finding, at a level of the policy.
func (c *checker) rate(v *Verdict, q *manifest.Requirement, rule string, level config.Level) {
	switch {
	case level == config.Allow:
		return
	case q != nil && c.config.Use(string(q.Scope)) == config.Note:
		v.Rule, v.Severity = ruleLibrary, policySeverity(ruleLibrary)
		return
	}
	v.Rule, v.Severity = rule, policySeverity(rule)
	if rule == ruleUnprovable && level == config.Fail {
		v.Severity = blocker
	}
}

// accept answers for what an exception lifts as a whole.
func (c *checker) accept(v Verdict, e config.Exception) Verdict {
	v.Answer, v.Rule, v.Severity, v.Fix = ByPolicy, "", "", nil
	v.Accepted = append(v.Accepted, e)
	v.Message = c.acceptedBy(e)
	return v
}
