// Package result judges findings and validations: it derives the state of each
// lens' guardrail, and whether the whole passes. It is pure, and the only place
// where the verdict is made.
package result

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// State is that of the guardrail of one lens.
type State string

// The states of a guardrail.
const (
	// Blocked: a blocker is open, or a validation blocks.
	Blocked State = "blocked"
	// Risk: what is open does not block.
	Risk State = "risk"
	// Resolved: there were findings, and none is open.
	Resolved State = "resolved"
	// Satisfied: no findings, and a validation passed.
	Satisfied State = "satisfied"
	// NotTriggered: nothing was looked at through the lens.
	NotTriggered State = "not_triggered"
)

// Decision is the verdict.
type Decision string

// The verdicts.
const (
	Pass Decision = "pass"
	Fail Decision = "fail"
)

// Blocking codes that name no class of findings.
const (
	FailedValidation  = "validation_failed"
	SkippedValidation = "validation_skipped"
)

// Result is the answer about a set of findings and validations.
type Result struct {
	Decision Decision
	// Blocking is true if something stops the change; Decision is Fail then,
	// and only then.
	Blocking bool
	// Codes say what blocks, sorted and each once: classes of findings,
	// [FailedValidation], [SkippedValidation].
	Codes []string
	// Lens is where to look first: security_release if it is not left alone,
	// else the first of lens.All in the worst state. "" if no guardrail is
	// blocked or at risk.
	Lens       lens.Lens
	Guardrails map[lens.Lens]State
	Findings   []lens.Shadowed
	Checks     []policy.Check
}

// Process judges findings that went through [lens.Apply], in their order.
func Process(shadowed ...lens.Shadowed) Result { return Judge(shadowed, nil) }

// Judge judges findings together with validations. A finding without a lens
// goes through [lens.Apply] first. A validation blocks if it failed, or if it
// was skipped and is required.
func Judge(shadowed []lens.Shadowed, checks []policy.Check) Result {
	r := Result{
		Decision: Pass, Findings: slices.Clone(shadowed), Checks: checks,
		Guardrails: map[lens.Lens]State{},
	}
	for _, l := range lens.All() {
		r.Guardrails[l] = NotTriggered
	}
	for _, c := range checks {
		r.raise(checkLens(c), checkState(c))
		if c.Blocks() {
			r.block(checkCode(c))
		}
	}
	for i, s := range r.Findings {
		if s.Lens == "" {
			s = lens.Apply(s.Finding)
			r.Findings[i] = s
		}
		r.raise(s.Lens, findingState(s))
		if s.Blocks() {
			r.block(string(s.Class))
		}
	}
	slices.Sort(r.Codes)
	r.Codes = slices.Compact(r.Codes)
	r.Lens = r.first()
	return r
}

// order is from harmless to worst.
var order = [...]State{NotTriggered, Satisfied, Resolved, Risk, Blocked}

func rank(s State) int { return slices.Index(order[:], s) }

// raise makes a guardrail's state s, if that is worse than what it is.
func (r *Result) raise(l lens.Lens, s State) {
	if rank(s) > rank(r.Guardrails[l]) {
		r.Guardrails[l] = s
	}
}

func (r *Result) block(code string) {
	r.Decision, r.Blocking = Fail, true
	r.Codes = append(r.Codes, code)
}

func (r *Result) first() lens.Lens {
	for _, state := range []State{Blocked, Risk} {
		if r.Guardrails[lens.SecurityRelease] == state {
			return lens.SecurityRelease
		}
		for _, l := range lens.All() {
			if r.Guardrails[l] == state {
				return l
			}
		}
	}
	return ""
}

func findingState(s lens.Shadowed) State {
	switch {
	case s.Blocks():
		return Blocked
	case s.State() == lens.Open:
		return Risk
	}
	return Resolved
}

// checkLens is the lens of a validation; a class that is not known leads to
// test_validation.
func checkLens(c policy.Check) lens.Lens {
	for _, l := range lens.All() {
		if slices.Contains(l.Classes(), c.Class) {
			return l
		}
	}
	return lens.TestValidation
}

func checkState(c policy.Check) State {
	switch {
	case c.Blocks():
		return Blocked
	case c.Status == policy.Passed:
		return Satisfied
	}
	return NotTriggered
}

func checkCode(c policy.Check) string {
	if c.Status == policy.Skipped {
		return SkippedValidation
	}
	return FailedValidation
}
