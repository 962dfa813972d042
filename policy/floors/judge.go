package floors

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

const blocker = policy.Blocker

// rules are the rules by name.
var rules = sync.OnceValue(func() map[string]Rule {
	all := map[string]Rule{}
	for _, r := range Rules() {
		all[r.Name] = r
	}
	return all
})

// policySeverity is the severity of a rule.
func policySeverity(rule string) policy.Severity { return rules()[rule].Severity }

// judge answers for a requirement that there is something to hold to.
func (c *checker) judge(v Verdict, i int, k *knowledge) Verdict {
	q := &c.all[i]
	h := c.hold(q, k)
	v, bad := c.against(v, i, h)
	switch {
	case bad && !c.everUsed(q):
		v.Answer, v.Message = ByPolicy, "its marker holds in no environment that is supported: take it out"
		v.Fix = nil
		c.rate(&v, q, ruleMarker, config.Fail)
	case bad && h.all != nil && !v.Proof.Malicious:
		return c.accept(v, *h.all)
	case bad:
		c.unpinned(&v, q)
	case v.Answer == Pass && len(h.accepted) > 0:
		c.lifted(&v, i, h)
	}
	return v
}

// lifted answers for a requirement that only exceptions let pass.
func (c *checker) lifted(v *Verdict, i int, h held) {
	proof := c.worst(i, held{advisories: h.accepted}).proof()
	for j, a := range h.accepted {
		if proof != nil && slices.ContainsFunc(proof.Hits, func(hit osv.Hit) bool { return slices.Equal(hit.Advisory.IDs, a.IDs) }) {
			v.Accepted = append(v.Accepted, h.by[j])
		}
	}
	if len(v.Accepted) > 0 {
		v.Answer, v.Proof, v.Message = ByPolicy, proof, c.acceptedBy(v.Accepted[0])
	}
}

// acceptedBy tells of an exception.
func (c *checker) acceptedBy(e config.Exception) string {
	what := ""
	if e.ID != "" {
		what = e.ID + " is "
	}
	return fmt.Sprintf("%saccepted until %s by %s:%d: %s", what, e.Expires.Format("2006-01-02"), c.config.Name, e.Line, policy.Line(e.Reason))
}

// against answers by what is held against a requirement; bad is true if it
// admits what it must not.
func (c *checker) against(v Verdict, i int, h held) (_ Verdict, bad bool) {
	q := &c.all[i]
	o := c.worst(i, h)
	if proof := o.proof(); proof != nil {
		v.Answer, v.Proof = Violation, proof
		rule := ruleViolation
		switch {
		case proof.Malicious:
			rule = ruleMalicious
		case o.conflicts():
			v.Answer, rule = Conflict, ruleConflict
		}
		v.Message = c.headline(q, proof)
		v.Fix = c.mend(i, h, o, proof)
		c.rate(&v, q, rule, config.Fail)
		if v.Rule == ruleLibrary && len(v.Fix.Edits) > 0 {
			v.Fix = &Fix{Why: "the bounds of a library are its own to raise (scopes: {runtime: true} says otherwise)", Suggest: v.Fix.Text}
		}
		return v, true
	}
	if o.unproved != "" {
		v.Answer, v.Message = Unprovable, "an advisory does not say which versions it is about: "+o.unproved
		c.rate(&v, q, ruleUnprovable, c.config.UnprovableLevel())
	}
	return v, false
}

// unpinned lowers a violation by a requirement that names no version, if the
// policy says so.
func (c *checker) unpinned(v *Verdict, q *manifest.Requirement) {
	level := c.config.UnpinnedLevel()
	if level == config.Fail || v.Rule != ruleViolation || q.Lost.Text != "" || !bare(q) {
		return
	}
	v.Rule, v.Severity = "", ""
	if level == config.Allow {
		v.Answer, v.Fix = ByPolicy, nil
		return
	}
	c.rate(v, q, ruleUnpinned, level)
}

// bare reports whether a requirement names no version.
func bare(q *manifest.Requirement) bool {
	return slices.ContainsFunc(q.Admits, func(s pep440.Specifiers) bool { return len(s.Clauses) == 0 })
}

// headline says in a few words what is wrong.
func (c *checker) headline(q *manifest.Requirement, p *Proof) string {
	floor := floorText(p.Needed)
	switch {
	case p.Malicious:
		return "malicious package: remove it, and look into what it did"
	case q.Lost.Text != "":
		return fmt.Sprintf("the shell takes %s as a redirect: the installer sees %q", q.Lost.Text[:1], q.Text)
	case p.NoFix:
		return "no version has a fix"
	case q.Scope == manifest.Locks:
		return "locked below the floor " + floor
	case bare(q):
		return "no specifier: every version is admitted, and the floor is " + floor
	case !p.Safe && pinned(q.Admits):
		return "pinned below the floor " + floor
	case !p.Safe:
		return "nothing admitted is safe: the floor is " + floor
	}
	return "below the floor " + floor
}

// floorText is a bound as people say it: the version, or ">" and the version if
// that is not safe itself.
func floorText(b osv.Bound) string {
	if b.Op == pep440.Greater {
		return b.String()
	}
	return b.Version.String()
}

// bounds looks for the bounds that the policy asks for, and for a requirement
// that admits nothing.
func (c *checker) bounds(v *Verdict, q *manifest.Requirement) {
	empty := len(q.Admits) > 0
	for _, s := range q.Admits {
		empty = empty && s.Set().Empty()
	}
	if empty {
		v.Message = "it admits no version at all"
		c.rate(v, q, ruleEmpty, config.Fail)
		return
	}
	if q.Scope == manifest.Locks || q.Scope == manifest.Constraints || c.config.IsPrivate(q.Name) || !c.config.RequireFloor && !c.config.Cap.Require {
		return
	}
	lower, upper := true, true
	for _, d := range c.declared(q) {
		bands := d.Set().Intervals()
		if len(bands) > 0 {
			lower = lower && !bands[0].Lower.Unbounded()
			upper = upper && !bands[len(bands)-1].Upper.Unbounded()
		}
	}
	switch {
	case c.config.RequireFloor && !lower && c.everUsed(q):
		v.Answer, v.Message = ByPolicy, "it has no lower bound, which the policy asks for (require_floor): write the lowest version that is tested and safe"
		c.rate(v, q, ruleMissing, config.Fail)
	case c.config.Cap.Require && !upper && c.everUsed(q):
		v.Answer, v.Message = ByPolicy, "it has no upper bound, which the policy asks for (cap.require): write the first version that is not tested"
		c.rate(v, q, ruleCap, config.Fail)
	}
	if v.Answer == ByPolicy {
		c.exempt(v, q)
	}
}

// exempt lets an exception for the whole project lift what the policy asks for.
func (c *checker) exempt(v *Verdict, q *manifest.Requirement) {
	if h := c.hold(q, c.about(q.Name)); h.all != nil {
		*v = c.accept(*v, *h.all)
	}
}

// at is a place as people read it.
func at(file string, s manifest.Span) string {
	switch {
	case s.Start.Line == 0:
		return file
	case s.Start.Column == 0:
		return fmt.Sprintf("%s:%d", file, s.Start.Line)
	}
	return fmt.Sprintf("%s:%d:%d", file, s.Start.Line, s.Start.Column)
}

// note answers for what was noted when a file was read.
func (c *checker) note(n manifest.Note) Verdict {
	v := Verdict{Answer: Answer(n.Answer), File: n.File, Table: n.Table, Span: n.Span, Message: n.Message}
	switch n.Answer {
	case manifest.Unprovable:
		c.rate(&v, nil, ruleUnprovable, c.config.UnprovableLevel())
	case manifest.Policy:
		c.rate(&v, nil, rulePolicy, config.Fail)
	case manifest.Check:
		c.rate(&v, nil, ruleNote, config.Fail)
	case manifest.NotApplicable:
	default:
		v.Answer, v.Message = Broken, strings.TrimSpace(n.Message+" (a note of the unknown kind "+string(n.Answer)+")")
	}
	return v
}
