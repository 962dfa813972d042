// Package dockerfile makes findings of what package rewrite plans for a
// Dockerfile, so that they are judged, acknowledged and reported like those of
// any tool.
package dockerfile

import (
	"slices"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/rewrite"
)

// Tool is the name of this project in its findings.
const Tool = "loopxctl"

// maxEvidence is how much of a finding's text is kept, in bytes.
const maxEvidence = 2000

// families are the rules by what they are about; package report tells no more of
// a rule in public.
var families = map[string][]string{
	"clear-text":   {"ClearTextFetch", "ClearTextRefused", "NotEdited", "RuntimeClearText"},
	"apt-guard":    {"AptUnguarded", "AptMayBeUnguarded", "GuardTampering"},
	"verification": {"VerificationOff", "SignatureOff", "ValidityOff", "KeyAutoImport", "AptKey"},
	credential:     {"CredentialInFile", "CredentialInVariable"},
	"download":     {"CurlPipeShell", "DownloadNotVerified", "AddNotVerified", "AddWithoutChecksum"},
	"dockerfile":   {"MaskMismatch", "UnparsedShell", "UnusedIgnore", "UnquotedRequirement", "MisplacedDirective", "EndOfLifeBase"},
}

// credential is the family of rules about secrets that stand in the text.
const credential = "credential"

// Rules describes the rules of package rewrite.
func Rules() []report.Rule {
	var all []report.Rule
	for _, r := range rewrite.Rules() {
		family := familyOf(r.Name)
		all = append(all, report.Rule{
			Name: r.Name, Description: r.Description, Class: policy.Class(r.Class), Severity: policy.Severity(r.Severity),
			Help: r.Page(), Family: family, Secret: family == credential,
		})
	}
	return all
}

func familyOf(rule string) string {
	for family, rules := range families {
		if slices.Contains(rules, rule) {
			return family
		}
	}
	return ""
}

// Findings returns those of a plan, in its order. file is the name of the
// Dockerfile, and src its text. Their severity is that of the plan. The evidence
// is the text that a finding is about, redacted, unless a secret of any shape
// may stand on one of its lines.
func Findings(file string, src []byte, plan *rewrite.Plan) []policy.Finding {
	classes := map[string]policy.Class{}
	for _, r := range rewrite.Rules() {
		classes[r.Name] = policy.Class(r.Class)
	}
	secret := secretLines(plan)
	all := make([]policy.Finding, 0, len(plan.Findings))
	for _, f := range plan.Findings {
		out := policy.Finding{
			Rule: f.Rule, Class: classes[f.Rule], Severity: policy.Severity(f.Severity), Message: f.Message,
			Location: &policy.Location{File: policy.CleanFile(file), Start: position(f.Range.Start), End: position(f.Range.End)},
			Tool:     policy.Tool{Name: Tool},
		}
		if !meets(secret, f.Range) {
			out.Evidence = evidence(src, f.Range)
		}
		for _, e := range append(f.Edits[:len(f.Edits):len(f.Edits)], f.Fix...) {
			out.Fix = append(out.Fix, policy.Edit(e))
		}
		out.Fingerprint = policy.Fingerprint(out)
		all = append(all, out)
	}
	return all
}

// secretLines are the ranges of findings about secrets.
func secretLines(plan *rewrite.Plan) []rewrite.Range {
	var all []rewrite.Range
	for _, f := range plan.Findings {
		if familyOf(f.Rule) == credential {
			all = append(all, f.Range)
		}
	}
	return all
}

// meets reports whether r has a line of one of the ranges.
func meets(ranges []rewrite.Range, r rewrite.Range) bool {
	for _, s := range ranges {
		if r.Start.Line <= s.End.Line && s.Start.Line <= r.End.Line {
			return true
		}
	}
	return false
}

func evidence(src []byte, r rewrite.Range) string {
	if r.Start.Offset < 0 || r.End.Offset > len(src) || r.Start.Offset > r.End.Offset {
		return ""
	}
	text := policy.Redact(string(src[r.Start.Offset:r.End.Offset]))
	if len(text) <= maxEvidence {
		return text
	}
	n := maxEvidence
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func position(p rewrite.Position) policy.Position {
	return policy.Position{Line: p.Line, Column: p.Column}
}
