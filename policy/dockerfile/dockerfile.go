// Package dockerfile makes findings of what package rewrite plans for a
// Dockerfile, so that they are judged, acknowledged and reported like those of
// any tool.
package dockerfile

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/rewrite"
)

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

// classes are those of the rules, by name.
var classes = sync.OnceValue(func() map[string]policy.Class {
	all := map[string]policy.Class{}
	for _, r := range rewrite.Rules() {
		all[r.Name] = policy.Class(r.Class)
	}
	return all
})

// Source is a Dockerfile and what is planned for it.
type Source struct {
	// Name is what findings call the file.
	Name string
	// Path is the file's path from the root of its repository, with slashes; it
	// goes into the fingerprints. "" is Name.
	Path string
	Text []byte
	Plan *rewrite.Plan
}

// Findings returns those of the plan, in its order, each seen through its lens.
// The evidence is the text that a finding is about, redacted, unless a secret of
// any shape may stand on one of its lines.
func (s Source) Findings() []lens.Shadowed {
	secret := secretLines(s.Plan)
	all := make([]lens.Shadowed, 0, len(s.Plan.Findings))
	for _, f := range s.Plan.Findings {
		out := policy.Finding{
			Rule: f.Rule, Class: classes()[f.Rule], Severity: policy.Severity(f.Severity), Message: f.Message,
			Location: &policy.Location{File: s.path(), Start: position(f.Range.Start), End: position(f.Range.End)},
			Tool:     policy.Tool{Name: policy.ToolName},
		}
		if familyOf(f.Rule) == credential {
			out.Tags = []string{policy.SensitiveTag}
		}
		if !meets(secret, f.Range) {
			out.Evidence = evidence(s.Text, f.Range)
		}
		for _, e := range append(f.Edits[:len(f.Edits):len(f.Edits)], f.Fix...) {
			out.Fix = append(out.Fix, policy.Edit(e))
		}
		shadowed := lens.Apply(out) // makes the fingerprint, of the path
		shadowed.Location.File = policy.CleanFile(s.Name)
		all = append(all, shadowed)
	}
	return all
}

// Subjects returns what a reviewer signs for, of each of what Findings returned.
func (s Source) Subjects(findings []lens.Shadowed) []ack.Subject {
	out := make([]ack.Subject, len(findings))
	for i, f := range findings {
		out[i] = s.Subject(f, s.Plan.Findings[i])
	}
	return out
}

// Subject returns what a reviewer signs for, of one of the findings and what it
// was made of.
func (s Source) Subject(f lens.Shadowed, planned rewrite.Finding) ack.Subject {
	at := *f.Location
	at.File = s.path()
	f.Location = &at
	return ack.NewSubject(f.Finding, s.Plan.Instruction(planned))
}

func (s Source) path() string {
	if s.Path != "" {
		return s.Path
	}
	return policy.CleanFile(s.Name)
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
