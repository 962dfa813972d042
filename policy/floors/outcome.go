package floors

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// outcome is what floors and advisories mean for a declaration.
type outcome struct {
	// declared is what was looked at: a requirement with those that bind it.
	declared osv.Declared
	pre      bool
	// broken are the policy's floors that versions below are admitted of.
	broken []config.Floor
	// byPolicy and byAdvisory are the two halves, both is everything.
	byPolicy, byAdvisory, both osv.Derivation
	every, advisories          []osv.Advisory
	// unproved is what keeps a pass from being proved; "" if nothing does.
	unproved string
}

// evaluate holds floors and advisories against a declaration.
func evaluate(declared osv.Declared, pre bool, h held) outcome {
	o := outcome{declared: declared, pre: pre, advisories: h.advisories}
	for _, f := range h.floors {
		a := asAdvisory(f)
		o.every = append(o.every, a)
		if !declared.EffectiveIn(a.Affected, pre).Empty() {
			o.broken = append(o.broken, f)
		}
	}
	if len(o.broken) > 0 {
		o.byPolicy = osv.Derive(o.every, declared, pre)
	}
	if len(h.advisories) > 0 {
		o.byAdvisory = osv.Derive(h.advisories, declared, pre)
	}
	o.every = append(o.every, h.advisories...)
	switch {
	case o.byPolicy.Bands == 0:
		o.both = o.byAdvisory
	case o.byAdvisory.Bands == 0:
		o.both = o.byPolicy
	default:
		o.both = osv.Derive(o.every, declared, pre)
	}
	if u := o.byAdvisory.Unprovable; len(u) > 0 && o.both.Bands == 0 {
		o.unproved = u[0].Unprovable
	}
	return o
}

// holds reports whether nothing that is admitted is affected.
func (o *outcome) holds() bool { return o.both.Bands == 0 && len(o.byAdvisory.Hits) == 0 }

// conflicts reports whether no floor can be met within what is declared: nothing
// has a fix, or by the advisories alone all that a range admits is affected. A
// pin is one version, and a floor of the policy is there to be met by whoever
// moves the bounds, so these are violations.
func (o *outcome) conflicts() bool {
	if o.byAdvisory.NoEnd {
		return true
	}
	return o.byAdvisory.Bands > 0 && !o.byAdvisory.Safe && len(o.broken) == 0 && !pinnedIn(o.declared)
}

// badness orders outcomes: the worse is larger.
func (o *outcome) badness() int {
	switch {
	case slices.ContainsFunc(o.byAdvisory.Hits, func(h osv.Hit) bool { return h.Advisory.Malicious }):
		return 4
	case !o.holds() && o.conflicts():
		return 3
	case !o.holds():
		return 2
	case o.unproved != "":
		return 1
	}
	return 0
}

// proof returns what makes the declaration wrong, nil if nothing does.
func (o *outcome) proof() *Proof {
	if o.holds() {
		return nil
	}
	p := &Proof{
		Affected: o.both.Affected, Floors: o.broken, Safe: o.both.Safe,
		Hits: slices.Clone(o.byAdvisory.Hits), Needed: o.needed(),
	}
	if d := o.byAdvisory; d.Bands > 0 {
		p.Derived = reach(d, o.advisories)
	}
	p.NoFix = p.Needed.IsZero()
	rankHits(p.Hits)
	p.Malicious = len(p.Hits) > 0 && p.Hits[0].Advisory.Malicious
	return p
}

// needed is the lowest bound from which on nothing is affected that is declared;
// zero if there is none.
func (o *outcome) needed() osv.Bound { return reach(o.both, o.every) }

// reach is the floor of a derivation, moved up through all that is affected: a
// hole in what is declared may have cut a band short, and no one looks for a
// floor such as 82.dev0.
func reach(d osv.Derivation, every []osv.Advisory) osv.Bound {
	switch {
	case d.NoEnd || d.Bands == 0:
		return osv.Bound{}
	case d.Lift:
		return d.Beyond
	}
	from := pep440.At(d.Floor.Version, pep440.Before)
	if d.Floor.Op == pep440.Greater {
		from = pep440.At(d.Floor.Version, pep440.PastLocals)
	}
	sets := make([]pep440.Set, len(every))
	for i := range every {
		sets[i] = every[i].Affected
	}
	above := pep440.UnionOf(sets...).Intersect(pep440.Stretch(from, pep440.Bound{})).Intervals()
	if len(above) == 0 || !pep440.Stretch(from, above[0].Lower).Empty() || above[0].Upper.Unbounded() {
		return d.Floor
	}
	return lowerBound(above[0].Upper)
}

// lowerBound is the bound of what lies above a point.
func lowerBound(b pep440.Bound) osv.Bound {
	if b.Edge == pep440.Before {
		return osv.Bound{Op: pep440.GreaterEqual, Version: b.Version}
	}
	return osv.Bound{Op: pep440.Greater, Version: b.Version.Public()}
}

// worst evaluates a requirement in each of its sets, and returns the worst
// outcome.
func (c *checker) worst(i int, h held) *outcome {
	q := &c.all[i]
	var worst *outcome
	for _, d := range c.declared(q) {
		o := evaluate(d.Declared, d.pre, h)
		if worst == nil || o.badness() > worst.badness() {
			worst = &o
		}
	}
	return worst
}

// pinned reports whether a declaration is one version, or one of several.
func pinned(admits []pep440.Specifiers) bool {
	for _, s := range admits {
		if !slices.ContainsFunc(s.Clauses, isPin) {
			return false
		}
	}
	return len(admits) > 0
}

func pinnedIn(d osv.Declared) bool {
	switch d := d.(type) {
	case osv.AnyOf:
		return pinned(d)
	case pep440.Specifiers:
		return pinned([]pep440.Specifiers{d})
	}
	return false
}

func isPin(c pep440.Clause) bool {
	return c.Op == pep440.Equal && !c.Wildcard || c.Op == pep440.Arbitrary
}

// declaration is what a requirement admits with those that bind it.
type declaration struct {
	osv.Declared
	pre bool
}

// declared returns what a requirement admits in each of its sets.
func (c *checker) declared(q *manifest.Requirement) []declaration {
	return c.declaredAs(q, q.Admits)
}

// declaredAs is declared for a requirement that admits something else.
func (c *checker) declaredAs(q *manifest.Requirement, admits []pep440.Specifiers) []declaration {
	var all []declaration
	for _, set := range q.Sets {
		d := c.declaredIn(q, admits, set)
		all = append(all, d)
		if len(c.bound[member{set, q.Name}]) == 1 {
			break // alone in one set, it is as wide as it gets
		}
	}
	if len(all) == 0 {
		all = append(all, declaration{asDeclared(admits), q.Pre})
	}
	return all
}

// mostBranches is how many alternatives a declaration may have after all that
// binds it is put together; more are looked at without that.
const mostBranches = 64

// declaredIn returns what a requirement admits together with those of its name
// in a set that always hold when it does.
func (c *checker) declaredIn(q *manifest.Requirement, admits []pep440.Specifiers, set string) declaration {
	pre := q.Pre
	for _, j := range c.bound[member{set, q.Name}] {
		other := &c.all[j]
		if other == q || len(other.Admits) == 0 || other.Unprovable != "" || !holdsWith(q, other) {
			continue
		}
		pre = pre || other.Pre
		if len(admits)*len(other.Admits) <= mostBranches {
			admits = product(admits, other.Admits)
		}
	}
	return declaration{asDeclared(admits), pre}
}

// holdsWith reports whether other is known to hold wherever q does.
func holdsWith(q, other *manifest.Requirement) bool {
	return other.Marker == nil || q.Marker != nil && q.Marker.String() == other.Marker.String()
}

func product(a, b []pep440.Specifiers) []pep440.Specifiers {
	var all []pep440.Specifiers
	for _, x := range a {
		for _, y := range b {
			all = append(all, x.And(y))
		}
	}
	return all
}

func asDeclared(admits []pep440.Specifiers) osv.Declared {
	if len(admits) == 1 {
		return admits[0]
	}
	return osv.AnyOf(admits)
}

// lead returns the requirement that a finding is about, of those that bind each
// other: one that binds wherever the others do, the first that has a lower
// bound, or the first.
func (c *checker) lead(i int) int {
	q := &c.all[i]
	if q.Scope == manifest.Constraints || len(q.Sets) == 0 {
		return i
	}
	group := c.bound[member{q.Sets[0], q.Name}]
	if len(group) == 1 {
		return i
	}
	best, most := i, 0
	for _, j := range group {
		o := &c.all[j]
		if !binds(o, q) {
			continue
		}
		score := 1
		if o.Marker == nil {
			score += 2
		}
		if hasLower(o) {
			score++
		}
		if score > most {
			best, most = j, score
		}
	}
	return best
}

// binds reports whether o binds q in all of its sets, as one of its kind.
func binds(o, q *manifest.Requirement) bool {
	return o.Scope == q.Scope && o.Unprovable == "" && !o.Local() && slices.Equal(o.Sets, q.Sets) && holdsWith(q, o)
}

func hasLower(q *manifest.Requirement) bool {
	for _, s := range q.Admits {
		if bands := s.Set().Intervals(); len(bands) > 0 && bands[0].Lower.Unbounded() {
			return false
		}
	}
	return len(q.Admits) > 0
}

// follower answers for a requirement whose lead the finding is about.
func (c *checker) follower(v Verdict, lead int, k *knowledge) Verdict {
	judged := c.judge(Verdict{Answer: Pass}, lead, k)
	v.Answer = judged.Answer
	if judged.Answer != Pass {
		v.With = &c.all[lead]
		v.Message = "it binds together with " + at(v.With.File, v.With.Span)
	}
	return v
}
