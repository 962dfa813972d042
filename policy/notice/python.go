package notice

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// projects are the Python projects that a notice is about, by normalized name;
// none if it was withdrawn.
func (n *gathered) projects() []string {
	var names []string
	for _, r := range n.records {
		for i := range r.Affected {
			if a := &r.Affected[i]; a.IsPyPI() && !r.IsWithdrawn() {
				names = append(names, pep503.Normalize(a.Name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// requirement answers for one requirement by the verdict about it. known are the
// advisories about its project.
func requirement(n *gathered, v *floors.Verdict, known []osv.Advisory, uncounted func(string) map[string]string) Answer {
	q := v.Requirement
	a := Answer{
		State: Unaffected, Kind: Python, Message: "what it admits is not affected", Text: q.Text, Table: v.Table, Package: q.Name, Source: q.Name,
		Place: spanPlace(v.File, v.Span),
	}
	hit := hitBy(n, v)
	switch {
	case hit != nil && v.Answer == floors.ByPolicy && len(v.Accepted) > 0:
		a.State, a.Message = Accepted, v.Message
	case hit != nil && (v.Answer == floors.Violation || v.Answer == floors.Conflict):
		a.violation(v, hit)
	case hit != nil:
		a.Message = v.Message
	default:
		a.without(n, v, known, uncounted(q.Name))
	}
	return a
}

// spanPlace is a part of a file.
func spanPlace(file string, s manifest.Span) Place {
	return Place{File: file, Line: s.Start.Line, Column: s.Start.Column, EndLine: s.End.Line, EndColumn: s.End.Column}
}

// without answers for a requirement that no advisory of the notice hits: an
// exception may be why, or nobody can tell. The verdict is about all advisories, so
// that it does not say which of them this is about.
func (a *Answer) without(n *gathered, v *floors.Verdict, known []osv.Advisory, left map[string]string) {
	for _, id := range n.IDs {
		if why := left[id]; why != "" {
			a.State, a.Message = Accepted, why
		}
	}
	if a.State == Accepted {
		return
	}
	q := v.Requirement
	if v.Answer == floors.Unprovable && (q.Unprovable != "" || slices.ContainsFunc(q.Admits, pep440.Specifiers.Opaque)) {
		a.possible(v.Message)
		return
	}
	for i := range known {
		if why := known[i].Unprovable; why != "" && sharesRecord(n, known[i]) {
			a.possible("the notice does not say which versions it is about: " + why)
			return
		}
	}
}

// hitBy returns the advisory of the notice that a verdict rests on, nil if it
// rests on others.
func hitBy(n *gathered, v *floors.Verdict) *osv.Hit {
	if v.Proof == nil {
		return nil
	}
	i := slices.IndexFunc(v.Proof.Hits, func(h osv.Hit) bool {
		return slices.ContainsFunc(h.Records, func(id string) bool { return slices.Contains(n.Records, id) })
	})
	if i < 0 {
		return nil
	}
	return &v.Proof.Hits[i]
}

// violation answers for a requirement that admits an affected version. What fails
// nothing by the policy, such as the bounds of a library, is for a person.
func (a *Answer) violation(v *floors.Verdict, hit *osv.Hit) {
	a.Fix = v.Fix
	if !v.Proof.Needed.IsZero() {
		a.Fixed = v.Proof.Needed.Version.String()
	}
	text, todo := v.Message, v.Fix.Todo()
	switch {
	case strings.HasPrefix(todo, text):
		text = todo
	case todo != "":
		text += "; " + todo
	}
	switch {
	case v.Severity != policy.Blocker:
		a.possible(text)
	case hit.Advisory.Malicious:
		a.affected(Remove, text)
	case v.Proof.NoFix:
		a.affected(Wait, text)
	default:
		a.affected(Change, text)
	}
}
