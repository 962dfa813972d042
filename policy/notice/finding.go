package notice

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

// Rule is the name of the rule that an answer breaks, "" if it breaks none.
func (a *Answer) Rule() string {
	switch {
	case a.State == Possible:
		return RulePossible
	case a.State != Affected:
		return ""
	case a.Action == Remove:
		return RuleMalicious
	case a.Action == Rebuild:
		return RuleRebuild
	}
	return RuleAffected
}

// Findings returns what the answers tell that break a rule, by notice and place,
// and then the places that are unread; each seen through its lens.
func (r *Report) Findings() []lens.Shadowed {
	var all []lens.Shadowed
	for n, a := range r.told() {
		all = append(all, lens.Apply(finding(n, a)))
	}
	for i := range r.Unread {
		all = append(all, lens.Apply(unread(&r.Unread[i])))
	}
	return all
}

// told yields the answers that break a rule, in the order of the findings.
func (r *Report) told() func(yield func(*Notice, *Answer) bool) {
	return func(yield func(*Notice, *Answer) bool) {
		for i := range r.Notices {
			n := &r.Notices[i]
			for k := range n.Answers {
				if n.Answers[k].Rule() != "" && !yield(n, &n.Answers[k]) {
					return
				}
			}
		}
	}
}

// Subjects returns what a reviewer signs for, of each of the Findings.
func (r *Report) Subjects() []ack.Subject {
	var all []ack.Subject
	for n, a := range r.told() {
		all = append(all, ack.NewSubject(lens.Apply(finding(n, a)).Finding, r.instruction(a.Place)))
	}
	for i := range r.Unread {
		all = append(all, ack.NewSubject(lens.Apply(unread(&r.Unread[i])).Finding, r.instruction(r.Unread[i].Place)))
	}
	return all
}

// instruction is the text of the instruction that a place is in, "" if it is in
// none.
func (r *Report) instruction(p Place) string {
	kind, _ := manifest.KindOf(p.File)
	if r.in.Floors.Instruction == nil || p.Line == 0 || p.Stage == "" && kind != manifest.DockerfileKind {
		return ""
	}
	return r.in.Floors.Instruction(p.File, p.Line)
}

// Problems are the files that could not be read. They are no verdict, and never a
// pass.
func (r *Report) Problems() []report.Problem {
	var all []report.Problem
	add := func(p report.Problem) {
		same := func(o report.Problem) bool { return o.File == p.File && o.Line == p.Line }
		if !slices.ContainsFunc(all, same) {
			all = append(all, p)
		}
	}
	for _, e := range r.in.Floors.Reading.Errors {
		add(report.Problem{File: e.File, Line: e.At.Line, Message: e.Message})
	}
	for _, u := range r.broken {
		add(report.Problem{File: u.File, Line: u.Line, Message: u.Why})
	}
	return all
}

func finding(n *Notice, a *Answer) policy.Finding {
	rule := ruleNamed(a.Rule())
	f := policy.Finding{
		Rule: rule.Name, Class: rule.Class, Severity: rule.Severity, Tool: policy.Tool{Name: policy.ToolName},
		Message:  fmt.Sprintf("%s: %s %s: %s", n.ID, word(a.State), policy.Line(a.Text), a.Message),
		Evidence: evidence(n, a), Location: location(a.Place),
	}
	if a.Fix != nil {
		f.Fix = a.Fix.Edits
	}
	return f
}

// evidence is what stands at the place, and the records: a reviewer who accepts
// this has not accepted what another notice says. What the notice says today is
// not in it, so that a correction of its text is no new finding.
func evidence(n *Notice, a *Answer) string {
	return fmt.Sprintf("%s: %s (%s)", a.Table, policy.Line(a.Text), strings.Join(n.Records, ", "))
}

// word is a state in front of what is affected.
func word(s State) string {
	if s == Possible {
		return "may affect"
	}
	return "affects"
}

func unread(u *Unread) policy.Finding {
	rule := ruleNamed(RuleUnread)
	return policy.Finding{
		Rule: rule.Name, Class: rule.Class, Severity: rule.Severity, Tool: policy.Tool{Name: policy.ToolName},
		Message: u.Why + ": no notice is held against what it installs", Evidence: u.Why, Location: location(u.Place),
	}
}

func location(p Place) *policy.Location {
	l := &policy.Location{File: p.File, Start: policy.Position{Line: p.Line, Column: p.Column}}
	if p.EndLine > 0 && (p.EndLine != p.Line || p.EndColumn != p.Column) {
		l.End = policy.Position{Line: p.EndLine, Column: p.EndColumn}
	}
	return l
}
