package lens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
)

// Shadowed is a finding with the lens that it is seen through. The finding is
// as it is judged: its class and severity are those after elevation, its texts
// are redacted, and it has its fingerprint.
type Shadowed struct {
	policy.Finding
	Lens Lens
	// Elevated says in words why class or severity are not those that the
	// finding came with; "" if they are.
	Elevated string
	// Acknowledged is set by whoever has verified a reviewer's signature, and
	// by nobody else: it is all that lifts a blocker.
	Acknowledged *Acknowledgement
}

// Acknowledgement is what a reviewer signed for.
type Acknowledgement struct {
	Owner, Reason string
	// Expires is a date, YYYY-MM-DD.
	Expires string
	// Unsigned says that nobody signed, which the trusted policy allows.
	Unsigned bool
}

// String says who lifted a finding, until when and why.
func (a Acknowledgement) String() string {
	how := "acknowledged"
	if a.Unsigned {
		how += ", without a signature,"
	}
	return fmt.Sprintf("%s by %s until %s: %s", how, a.Owner, a.Expires, a.Reason)
}

// State is what became of a finding.
type State string

// The states of a finding. Resolved is only what does not block.
const (
	Open         State = "open"
	Resolved     State = "resolved"
	Acknowledged State = "acknowledged"
)

// State returns what became of the finding. Claims that the input makes against
// it resolve it, unless it is a blocker, or one of them says otherwise.
func (s Shadowed) State() State {
	switch {
	case s.Acknowledged != nil:
		return Acknowledged
	case s.Severity != policy.Blocker && len(s.Claims) > 0 && !slices.ContainsFunc(s.Claims, denied):
		return Resolved
	}
	return Open
}

// denied reports whether a claim does not say that the finding is dealt with: a
// suppression that nobody has accepted yet, or that was rejected (SARIF 3.35.3).
func denied(c policy.Claim) bool {
	return !slices.Contains([]string{"accepted", "absent", "resolved", "acknowledged"}, c.State)
}

// Blocks reports whether the finding stops what it is asked about.
func (s Shadowed) Blocks() bool { return s.Severity == policy.Blocker && s.State() == Open }

// Apply classifies a finding and elevates it:
//
//   - the tag "private_or_security_sensitive" ([policy.SensitiveTag]; see
//     [policy.IsSensitive]) makes its class security_privacy;
//   - a class that is not known counts as security_privacy;
//   - the class security_privacy makes it a blocker, whatever severity it came
//     with, and is seen through security_release;
//   - a severity that is not known counts as blocker;
//   - the rule "reuse", and rules that begin with "reuse" and "/", "-", "_" or
//     ":", are seen through reuse; other findings through the lens of their
//     class.
//
// Nothing here lowers a finding. The fingerprint is made anew, of what is
// left after redaction.
func Apply(f policy.Finding) Shadowed {
	s := Shadowed{Finding: redacted(f)}
	s.Elevated = strings.Join(elevate(&s.Finding), "; ")
	s.Lens, _ = ofClass(s.Class)
	if s.Class != policy.SecurityPrivacy && isReuse(f.Rule) {
		s.Lens = Reuse
	}
	s.Fingerprint = policy.Fingerprint(s.Finding)
	return s
}

// elevate raises the class and the severity of f and returns why.
func elevate(f *policy.Finding) []string {
	var why []string
	if _, ok := ofClass(f.Class); !ok {
		why = append(why, fmt.Sprintf("%q is no class", f.Class))
		f.Class = policy.SecurityPrivacy
	}
	if f.Class != policy.SecurityPrivacy && f.Sensitive() {
		why = append(why, fmt.Sprintf("the tag %s makes %s %s", policy.SensitiveTag, f.Class, policy.SecurityPrivacy))
		f.Class = policy.SecurityPrivacy
	}
	if f.Severity == policy.Blocker {
		return why
	}
	switch {
	case f.Class == policy.SecurityPrivacy:
		why = append(why, fmt.Sprintf("%s is a blocker, also as %s", policy.SecurityPrivacy, cmp.Or(f.Severity, "no severity")))
		f.Severity = policy.Blocker
	case !slices.Contains(policy.Severities(), f.Severity):
		why = append(why, fmt.Sprintf("%q is no severity", f.Severity))
		f.Severity = policy.Blocker
	}
	return why
}

func isReuse(rule string) bool {
	rest, ok := strings.CutPrefix(rule, string(Reuse))
	return ok && (rest == "" || strings.ContainsAny(rest[:1], "/-_:"))
}

// redacted returns f with texts that can be shown and published.
func redacted(f policy.Finding) policy.Finding {
	f.Rule, f.Message = policy.Line(f.Rule), policy.Line(f.Message)
	f.Tool = policy.Tool{Name: policy.Line(f.Tool.Name), Version: policy.Line(f.Tool.Version)}
	f.Evidence = policy.Redact(f.Evidence)
	if f.Location != nil {
		at := *f.Location
		at.File = policy.Redact(policy.CleanFile(at.File))
		f.Location = &at
	}
	f.Tags = each(f.Tags, policy.Redact)
	f.Claims = each(f.Claims, func(c policy.Claim) policy.Claim {
		c.By, c.State, c.Reason = policy.Line(c.By), policy.Line(c.State), policy.Line(c.Reason)
		return c
	})
	f.ToolFingerprints = each(f.ToolFingerprints, func(t policy.ToolFingerprint) policy.ToolFingerprint {
		return policy.ToolFingerprint{Name: policy.Line(t.Name), Value: policy.Line(t.Value)}
	})
	return f
}

func each[T any](list []T, change func(T) T) []T {
	out := make([]T, len(list))
	for i, item := range list {
		out[i] = change(item)
	}
	return out
}
