package floors

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// knowledge is what a project is held to, wherever it is declared.
type knowledge struct {
	floors []config.Floor
	// advisories are those that are believed and bad enough.
	advisories []osv.Advisory
	// left are those that are not.
	left []left
}

// left is an advisory that does not count, in part or as a whole, and why.
type left struct {
	advisory osv.Advisory
	why      string
}

// empty reports whether there is nothing to hold a project to.
func (k *knowledge) empty() bool { return len(k.floors) == 0 && len(k.advisories) == 0 }

// about returns what is known of a project by its normalized name.
func (c *checker) about(name string) *knowledge {
	if k := c.known[name]; k != nil {
		return k
	}
	k := &knowledge{floors: c.config.Floors[name]}
	c.known[name] = k
	if c.in.Database == nil {
		return k
	}
	for _, a := range c.in.Database.Lookup(name) {
		if c.config.IsPrivate(name) {
			k.left = append(k.left, left{a, "the policy says that the project is private"})
			continue
		}
		c.weigh(k, a)
	}
	return k
}

// weigh adds an advisory to what counts, or to what does not.
func (c *checker) weigh(k *knowledge, a osv.Advisory) {
	kept, ok := a.Keep(c.believed)
	if ok {
		kept = c.preferred(kept)
	}
	switch {
	case !ok:
		k.left = append(k.left, left{a, "the policy ignores its records"})
	case !c.bad(kept):
		k.left = append(k.left, left{a, "it is below the minimum severity of the policy"})
	default:
		k.advisories = append(k.advisories, kept)
		if len(kept.Sources) < len(a.Sources) {
			k.left = append(k.left, left{a, "the policy believes only a part of its records"})
		}
	}
}

// believed reports whether the policy does not ignore a record.
func (c *checker) believed(s osv.Source) bool {
	return !slices.ContainsFunc(c.config.Advisories.Ignore, func(i config.Ignored) bool {
		return i.ID == s.ID && !config.Expired(i.Expires, c.in.Today)
	})
}

// preferred keeps the records of the first database, of those that the policy
// prefers, that has one.
func (c *checker) preferred(a osv.Advisory) osv.Advisory {
	for _, start := range c.config.Advisories.Prefer {
		if kept, ok := a.Keep(func(s osv.Source) bool { return strings.HasPrefix(s.ID, start) }); ok {
			return kept
		}
	}
	return a
}

// Uncounted returns what tells the advisories about a project, by its normalized
// name, that the policy does not count, in part or as a whole: each of their names,
// and why.
func (r *Report) Uncounted() func(project string) map[string]string {
	c := newChecker(r.in)
	return func(project string) map[string]string {
		all := map[string]string{}
		for _, l := range c.about(project).left {
			for _, id := range l.advisory.IDs {
				all[id] = l.why
			}
		}
		return all
	}
}

// held is what one requirement is held to, and what lifts the rest.
type held struct {
	floors     []config.Floor
	advisories []osv.Advisory
	accepted   []osv.Advisory
	// all is the exception for whatever is wrong, nil without; by are the
	// exceptions for single advisories.
	all *config.Exception
	by  []config.Exception
}

// hold returns what is held against a requirement.
func (c *checker) hold(q *manifest.Requirement, k *knowledge) held {
	h := held{advisories: k.advisories}
	for _, f := range k.floors {
		if f.Marker == nil || c.mayMeet(q, f.Marker) {
			h.floors = append(h.floors, f)
		}
	}
	for i := range c.config.Exceptions {
		e := &c.config.Exceptions[i]
		if config.Expired(e.Expires, c.in.Today) || !e.Covers(q.Name, q.File) || e.Marker != nil && !c.within(q, e.Marker) {
			continue
		}
		if e.ID == "" {
			h.all = e
			continue
		}
		h.except(*e)
	}
	return h
}

// except takes an advisory out.
func (h *held) except(e config.Exception) {
	var rest []osv.Advisory
	for _, a := range h.advisories {
		if slices.Contains(a.IDs, e.ID) {
			h.accepted = append(h.accepted, a)
			h.by = append(h.by, e)
		} else {
			rest = append(rest, a)
		}
	}
	h.advisories = rest
}

// floorSource is the id of the policy among the sources of an advisory.
const floorSource = "policy"

// asAdvisory is a floor of the policy as an advisory that says the same.
func asAdvisory(f config.Floor) osv.Advisory {
	bound := pep440.At(f.Version, pep440.Before)
	if f.Above {
		bound = pep440.At(f.Version, pep440.PastLocals)
	}
	below := pep440.Stretch(pep440.Bound{}, bound)
	return osv.Advisory{
		IDs: []string{floorSource}, Affected: below,
		Sources: []osv.Source{{ID: floorSource, Names: []string{floorSource}, Affected: below}},
	}
}

// asBound is a floor of the policy as a bound.
func asBound(f config.Floor) osv.Bound {
	if f.Above {
		return osv.Bound{Op: pep440.Greater, Version: f.Version}
	}
	return osv.Bound{Op: pep440.GreaterEqual, Version: f.Version}
}
