package floors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Findings returns what the verdicts with a rule tell, in their order, each seen
// through its lens.
func (r *Report) Findings() []lens.Shadowed {
	var all []lens.Shadowed
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Rule != "" {
			all = append(all, lens.Apply(r.finding(v)))
		}
	}
	return all
}

// Subjects returns what a reviewer signs for, of each of the Findings.
func (r *Report) Subjects() []ack.Subject {
	var all []ack.Subject
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Rule != "" {
			all = append(all, ack.NewSubject(lens.Apply(r.finding(v)).Finding, r.instruction(v)))
		}
	}
	return all
}

// instruction is the text of the instruction that a verdict is about, "" if it
// is about none.
func (r *Report) instruction(v *Verdict) string {
	kind, _ := manifest.KindOf(v.File)
	if r.in.Instruction == nil || kind != manifest.DockerfileKind {
		return ""
	}
	return r.in.Instruction(v.File, v.Span.Start.Line)
}

// Problems are the files that could not be read. They are no verdict, and never
// a pass.
func (r *Report) Problems() []report.Problem {
	var all []report.Problem
	for _, v := range r.Verdicts {
		if v.Answer == Broken {
			all = append(all, report.Problem{File: v.File, Line: v.Span.Start.Line, Message: v.Message})
		}
	}
	return all
}

func (r *Report) finding(v *Verdict) policy.Finding {
	f := policy.Finding{
		Rule: v.Rule, Class: rules()[v.Rule].Class, Severity: v.Severity,
		Message: r.message(v), Evidence: r.evidence(v), Tool: policy.Tool{Name: policy.ToolName},
	}
	if v.File != "" {
		f.Location = &policy.Location{File: v.File, Start: position(v.Span.Start)}
		if !v.Span.Empty() {
			f.Location.End = position(v.Span.End)
		}
	}
	if v.Fix != nil {
		f.Fix = v.Fix.Edits
	}
	return f
}

func position(p manifest.Position) policy.Position {
	return policy.Position{Line: p.Line, Column: p.Column}
}

// evidence is the requirement, and all that is held against it: a reviewer who
// accepts this has not accepted what comes out later.
func (r *Report) evidence(v *Verdict) string {
	if v.Requirement == nil {
		return ""
	}
	text := policy.Line(v.Requirement.Text)
	if v.Table != "" {
		text = v.Table + ": " + text
	}
	var held []string
	if p := v.Proof; p != nil {
		for _, f := range p.Floors {
			held = append(held, "floor "+floorText(asBound(f)))
		}
		for _, h := range p.Hits {
			held = append(held, h.Records...)
		}
		slices.Sort(held)
		held = slices.Compact(held)
	}
	if len(held) > 0 {
		text += " (" + strings.Join(held, ", ") + ")"
	}
	return text
}

// message is the verdict in one line, with what to do.
func (r *Report) message(v *Verdict) string {
	q := v.Requirement
	if q == nil {
		return v.Message
	}
	text := fmt.Sprintf("%s: %s", shortText(q), v.Message)
	if p := v.Proof; p != nil {
		if names := headNames(p, 3); names != "" {
			text += " (" + names + ")"
		}
	}
	if todo := v.Fix.Todo(); todo != "" {
		text += "; " + todo
	}
	return text
}

// headNames are the names of the first advisories.
func headNames(p *Proof, most int) string {
	var names []string
	for i, h := range p.Hits {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(p.Hits)-i))
			break
		}
		head, _ := namesOf(h)
		names = append(names, head)
	}
	return strings.Join(names, ", ")
}

// Todo says what mends it, as a clause; "" if f is nil.
func (f *Fix) Todo() string {
	switch {
	case f == nil:
		return ""
	case len(f.Edits) > 0:
		return "write " + f.Text
	case f.Command != "":
		return "run " + f.Command
	case f.Suggest != "":
		return f.Why + ", for example " + f.Suggest
	}
	return f.Why
}

// mostText is how much of a requirement is shown, in bytes.
const mostText = 120

// shortText is a requirement as it is shown.
func shortText(q *manifest.Requirement) string {
	text := policy.Line(q.Text)
	if len(text) <= mostText {
		return text
	}
	n := mostText
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
