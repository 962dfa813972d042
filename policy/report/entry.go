package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// entry is a finding as it is written: redacted, and with its severity as it
// counts.
type entry struct {
	lens.Shadowed
	severity policy.Severity
	// rule is the rule's name, behind that of a foreign tool and a slash.
	rule string
}

// entries are the findings of r, by file, place, rule and text.
func entries(r *Report) []entry {
	all := make([]entry, 0, len(r.Findings))
	for _, s := range r.Findings {
		e := entry{Shadowed: redacted(s), severity: r.severity(s.Severity)}
		e.rule = cmp.Or(e.Rule, "finding")
		if r.foreign(s.Finding) {
			e.rule = e.Tool.Name + "/" + e.rule
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, compare)
	return all
}

// redacted returns s with texts that can be shown, as [lens.Apply] makes them,
// and judged as it is. A fix that would show a secret is left out.
func redacted(s lens.Shadowed) lens.Shadowed {
	out := lens.Apply(s.Finding)
	if _, err := policy.ParseClass(string(s.Class)); err == nil {
		out.Class = s.Class
	}
	out.Severity = judged(s).Severity
	out.Fingerprint = cmp.Or(policy.Line(s.Fingerprint), out.Fingerprint)
	out.Lens, out.Elevated = cmp.Or(s.Lens, out.Lens), policy.Line(s.Elevated)
	if a := s.Acknowledged; a != nil {
		out.Acknowledged = &lens.Acknowledgement{
			Owner: policy.Line(a.Owner), Reason: policy.Line(a.Reason), Expires: policy.Line(a.Expires), Unsigned: a.Unsigned,
		}
	}
	if slices.ContainsFunc(out.Fix, func(e policy.Edit) bool { return policy.Redact(e.New) != e.New }) {
		out.Fix = nil
	}
	return out
}

// foreign reports whether another tool made the finding.
func (r *Report) foreign(f policy.Finding) bool {
	return f.Tool.Name != "" && policy.Line(f.Tool.Name) != r.Tool.Name
}

// at is where the finding is; the zero Location for a finding about no file.
func (e *entry) at() policy.Location {
	if e.Location == nil {
		return policy.Location{}
	}
	return *e.Location
}

// told is what became of the finding, in words for people; "" while it is open.
func (e *entry) told() string {
	switch a := e.Acknowledged; {
	case a != nil:
		return a.String()
	case e.State() == lens.Resolved:
		return "resolved: " + e.claimed()
	}
	return ""
}

// claimed is what the input says against the finding.
func (e *entry) claimed() string {
	var all []string
	for _, c := range e.Claims {
		text := c.By + " " + c.State
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func compare(a, b entry) int {
	p, q := a.at(), b.at()
	return cmp.Or(
		strings.Compare(p.File, q.File), comparePositions(p.Start, q.Start), comparePositions(p.End, q.End),
		strings.Compare(a.rule, b.rule), strings.Compare(a.Message, b.Message),
		strings.Compare(a.Fingerprint, b.Fingerprint), strings.Compare(a.told(), b.told()),
		strings.Compare(a.Evidence, b.Evidence), strings.Compare(string(a.severity), string(b.severity)),
		strings.Compare(string(a.Class), string(b.Class)), strings.Compare(fmt.Sprint(a.Fix), fmt.Sprint(b.Fix)),
	)
}

func comparePositions(a, b policy.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// problems are those of r, in order, redacted.
func problems(r *Report) []Problem {
	all := slices.Clone(r.Problems)
	for i, p := range all {
		all[i].File, all[i].Message = policy.Redact(p.File), policy.Line(p.Message)
	}
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Message, b.Message))
	})
	return all
}

// String is "FILE:LINE: message" as far as it is known, and only text.
func (p Problem) String() string {
	where := place(policy.Location{File: p.File, Start: policy.Position{Line: p.Line}})
	if where == "" {
		return plain.Text(p.Message)
	}
	return where + ": " + plain.Text(p.Message)
}

// place is "FILE:LINE:COLUMN" as far as it is known, and only text.
func place(at policy.Location) string {
	if at.File == "" {
		return ""
	}
	where := plain.Text(at.File)
	for _, n := range []int{at.Start.Line, at.Start.Column} {
		if n <= 0 {
			break
		}
		where = fmt.Sprintf("%s:%d", where, n)
	}
	return where
}

// WithheldInOrder are the findings that were taken out, by family, redacted.
func (r *Report) WithheldInOrder() []Withheld { return withheld(r) }

// withheld are those of r, in order.
func withheld(r *Report) []Withheld {
	all := slices.Clone(r.Withheld)
	for i, held := range all {
		all[i].Family = policy.Line(held.Family)
	}
	slices.SortFunc(all, func(a, b Withheld) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(string(a.Severity), string(b.Severity)), cmp.Compare(a.Count, b.Count))
	})
	return all
}

// sentence tells how many findings are withheld, and where they are.
func (w Withheld) sentence(r *Report) string {
	are := "findings are"
	if w.Count == 1 {
		are = "finding is"
	}
	text := fmt.Sprintf("%d sensitive %s not shown here", w.Count, are)
	if r.Pointer != "" {
		text += "; " + policy.Line(r.Pointer)
	}
	return text
}
