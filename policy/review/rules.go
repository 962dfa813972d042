package review

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
)

// rule is one of this package.
type rule struct {
	name, description string
	severity          policy.Severity
}

// The names of the rules. What they are about is whether all that had to be looked
// at was.
const (
	ruleNotChecked = "NotChecked"
	ruleUnprovable = "UnprovableBuildStep"
	ruleMalformed  = "MalformedTree"
	ruleCollision  = "CaseCollision"
	ruleOutside    = "LinkOutOfTree"
	ruleTrust      = "GateTrustChanged"
	ruleConfig     = "GateConfigChanged"
	ruleSilenced   = "CheckSilenced"
	ruleSyntax     = "SyntaxChanged"
	ruleSubmodule  = "SubmoduleChanged"
)

// rules are all of them.
func rules() []rule {
	return []rule{
		{ruleNotChecked, "A file can't be read, so what is in it is not known.", policy.Blocker},
		{ruleUnprovable, "It can't be told which Dockerfile a build takes.", policy.Warning},
		{ruleMalformed, "A commit has a file that git does not check out.", policy.Blocker},
		{ruleCollision, "Two files differ in the case of their names alone.", policy.Warning},
		{ruleOutside, "A symbolic link leads out of the repository.", policy.Warning},
		{ruleTrust, "The change edits who may sign for findings, or the rules of it.", policy.Blocker},
		{ruleConfig, "The change edits what it is held to, or what calls the check.", policy.Warning},
		{ruleSilenced, "The change adds a comment that silences a check.", policy.Warning},
		{ruleSyntax, "The change has another frontend build a Dockerfile.", policy.Warning},
		{ruleSubmodule, "The change adds or moves a submodule, which is not looked into.", policy.Warning},
	}
}

// page describes the rules.
const page = "https://github.com/loopx/loopx-frontend/blob/main/docs/review.md"

// Rules describes the rules of this package.
func Rules() []report.Rule {
	var all []report.Rule
	for _, r := range rules() {
		all = append(all, report.Rule{Name: r.name, Description: r.description, Class: policy.Validation, Severity: r.severity, Help: page, Family: "review"})
	}
	return all
}

// add makes a finding. line is 0 where no line is meant; evidence tells the finding
// from others of the rule in the file.
func (o *own) add(name, file string, line int, message, evidence string) {
	i := slices.IndexFunc(rules(), func(r rule) bool { return r.name == name })
	o.addAs(rules()[i].severity, name, file, line, message, evidence)
}

// addAs is add with another severity than the rule's.
func (o *own) addAs(severity policy.Severity, name, file string, line int, message, evidence string) {
	f := policy.Finding{
		Rule: name, Class: policy.Validation, Severity: severity, Message: message, Evidence: evidence, Tool: policy.Tool{Name: policy.ToolName},
	}
	if file != "" {
		f.Location = &policy.Location{File: file, Start: policy.Position{Line: line}}
	}
	shadowed := lens.Apply(f)
	o.findings, o.subjects = append(o.findings, shadowed), append(o.subjects, ack.NewSubject(shadowed.Finding, ""))
}
