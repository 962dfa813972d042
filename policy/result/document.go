package result

import (
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// Document is a Result as JSON shows it; "loopxctl schema lens" describes it.
// Lists are empty where there is nothing, never null.
type (
	Document struct {
		Lens          lens.Lens           `json:"lens,omitempty"`
		Blocking      bool                `json:"blocking"`
		Decision      Decision            `json:"decision"`
		BlockingCodes []string            `json:"blocking_codes"`
		Guardrails    map[lens.Lens]State `json:"guardrails"`
		Findings      []FindingDocument   `json:"findings"`
		Validations   []CheckDocument     `json:"validations"`
	}
	// FindingDocument is one finding.
	FindingDocument struct {
		Lens             lens.Lens             `json:"lens"`
		Blocking         bool                  `json:"blocking"`
		Class            policy.Class          `json:"class"`
		Severity         policy.Severity       `json:"severity"`
		Status           lens.State            `json:"status"`
		Rule             string                `json:"rule,omitempty"`
		Message          string                `json:"message"`
		File             string                `json:"file,omitempty"`
		Line             int                   `json:"line,omitempty"`
		Column           int                   `json:"column,omitempty"`
		EndLine          int                   `json:"end_line,omitempty"`
		EndColumn        int                   `json:"end_column,omitempty"`
		Evidence         string                `json:"evidence,omitempty"`
		Fingerprint      string                `json:"fingerprint"`
		Tool             *ToolDocument         `json:"tool,omitempty"`
		Tags             []string              `json:"tags,omitempty"`
		Elevated         string                `json:"elevated,omitempty"`
		Claims           []ClaimDocument       `json:"claims,omitempty"`
		Acknowledgement  *AcknowledgedDocument `json:"acknowledgement,omitempty"`
		ToolFingerprints []NameDocument        `json:"tool_fingerprints,omitempty"`
	}
	// ToolDocument names a tool.
	ToolDocument struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	// ClaimDocument is what the input says against a finding.
	ClaimDocument struct {
		By     string `json:"by"`
		State  string `json:"state"`
		Reason string `json:"reason,omitempty"`
	}
	// AcknowledgedDocument is what a reviewer signed for.
	AcknowledgedDocument struct {
		Owner    string `json:"owner"`
		Reason   string `json:"reason"`
		Expires  string `json:"expires"`
		Unsigned bool   `json:"unsigned,omitempty"`
	}
	// NameDocument is one of the names that the tool gave a finding.
	NameDocument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	// CheckDocument is one validation.
	CheckDocument struct {
		Name     string        `json:"name"`
		Status   policy.Status `json:"status"`
		Required bool          `json:"required"`
		Blocking bool          `json:"blocking"`
		Lens     lens.Lens     `json:"lens"`
		Message  string        `json:"message,omitempty"`
		Tool     *ToolDocument `json:"tool,omitempty"`
	}
)

// Document returns the public shape of r.
func (r Result) Document() Document {
	return Document{
		Lens: r.Lens, Blocking: r.Blocking, Decision: r.Decision,
		BlockingCodes: append([]string{}, r.Codes...),
		Guardrails:    r.Guardrails,
		Findings:      each(r.Findings, newFinding),
		Validations:   each(r.Checks, newCheck),
	}
}

func newFinding(s lens.Shadowed) FindingDocument {
	d := FindingDocument{
		Lens: s.Lens, Blocking: s.Blocks(), Class: s.Class, Severity: s.Severity, Status: s.State(),
		Rule: s.Rule, Message: s.Message, Evidence: s.Evidence, Fingerprint: s.Fingerprint,
		Tool: newTool(s.Tool), Tags: s.Tags, Elevated: s.Elevated,
		Claims:           each(s.Claims, func(c policy.Claim) ClaimDocument { return ClaimDocument(c) }),
		ToolFingerprints: each(s.ToolFingerprints, func(f policy.ToolFingerprint) NameDocument { return NameDocument(f) }),
	}
	if at := s.Location; at != nil {
		d.File = at.File
		d.Line, d.Column = at.Start.Line, at.Start.Column
		d.EndLine, d.EndColumn = at.End.Line, at.End.Column
	}
	if s.Acknowledged != nil {
		d.Acknowledgement = NewAcknowledged(*s.Acknowledged)
	}
	return d
}

// NewAcknowledged returns the public shape of an acknowledgement.
func NewAcknowledged(a lens.Acknowledgement) *AcknowledgedDocument {
	d := AcknowledgedDocument(a)
	return &d
}

func newCheck(c policy.Check) CheckDocument {
	return CheckDocument{
		Name: policy.Line(c.Name), Status: c.Status, Required: c.Required, Blocking: c.Blocks(),
		Lens: checkLens(c), Message: policy.Line(c.Message), Tool: newTool(c.Tool),
	}
}

func newTool(t policy.Tool) *ToolDocument {
	if t == (policy.Tool{}) {
		return nil
	}
	return &ToolDocument{policy.Line(t.Name), t.Version}
}

func each[T, D any](list []T, f func(T) D) []D {
	out := make([]D, 0, len(list))
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}
