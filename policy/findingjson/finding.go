package findingjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// draft is a finding of which some fields are read.
type draft struct {
	json   *jsonstream.Reader
	reader *reader
	line   int
	plain  bool // it stands in "findings" and holds no lists
	fields int  // that belong to a finding
	lists  bool // it holds "findings" or "validations"

	class, kind, message, detail *string
	severity, status, reason     string
	sensitive                    bool
	out                          policy.Finding
	at                           policy.Location
}

// field reads one field of the object.
func (d *draft) field(name string) error {
	if !d.plain {
		switch name {
		case "schema_version":
			return d.version()
		case "findings":
			d.lists = true
			return d.json.Array(d.reader.item)
		case "validations":
			d.lists = true
			return d.json.Array(d.reader.validation)
		case "runs":
			return ErrSARIF
		}
	}
	if isCarried(name) {
		return d.json.Skip()
	}
	target := d.target(name)
	if target == nil {
		return d.reader.unknown(name)
	}
	d.fields++
	return named(name, d.json.Value(target))
}

// target is what a field is decoded into; nil if there is no such field.
func (d *draft) target(name string) any {
	switch name {
	case "type":
		return &d.kind
	case "class":
		return &d.class
	case "detail":
		return &d.detail
	case "message":
		return &d.message
	case "severity":
		return &d.severity
	case "rule":
		return &d.out.Rule
	case "file":
		return &d.at.File
	case "line":
		return (*count)(&d.at.Start.Line)
	case "column":
		return (*count)(&d.at.Start.Column)
	case "end_line":
		return (*count)(&d.at.End.Line)
	case "end_column":
		return (*count)(&d.at.End.Column)
	case "evidence":
		return &d.out.Evidence
	case "tags":
		return (*words)(&d.out.Tags)
	case policy.SensitiveTag:
		return &d.sensitive
	case "tool":
		return (*tool)(&d.out.Tool)
	case "status":
		return &d.status
	case "reason":
		return &d.reason
	}
	return nil
}

// isCarried reports whether a field is known and decides nothing: free-form
// properties, and what "loopxctl lens" adds to what it reads, so that its output
// can be read again.
func isCarried(name string) bool {
	switch name {
	case "properties", "fingerprint", "lens", "blocking", "elevated", "claims", "acknowledgement", "tool_fingerprints",
		"command", "decision", "blocking_codes", "guardrails":
		return true
	}
	return false
}

func (d *draft) version() error {
	var version int
	if err := d.json.Value(&version); err != nil {
		return named("schema_version", err)
	}
	if version != 1 {
		return d.json.Fail("schema_version is %d; this release reads 1", version)
	}
	return nil
}

// finding checks that all is there.
func (d *draft) finding() (policy.Finding, error) {
	class, err := same("type", d.kind, "class", d.class)
	if err != nil {
		return policy.Finding{}, err
	}
	if d.out.Class, err = policy.ParseClass(class); err != nil {
		return policy.Finding{}, fmt.Errorf("the field \"type\": %w", err)
	}
	if d.out.Message, err = same("detail", d.detail, "message", d.message); err != nil {
		return policy.Finding{}, err
	}
	d.out.Severity = policy.Warning
	if d.severity != "" {
		if d.out.Severity, err = policy.ParseSeverity(d.severity); err != nil {
			return policy.Finding{}, fmt.Errorf("the field \"severity\": %w", err)
		}
	}
	if d.at != (policy.Location{}) {
		d.out.Location = &d.at
	}
	if d.sensitive && !d.out.Sensitive() {
		d.out.Tags = append(d.out.Tags, policy.SensitiveTag)
	}
	if d.at.File == "" && d.out.Location != nil {
		return policy.Finding{}, errors.New(`a finding has a line and no "file"`)
	}
	return d.out, d.claim()
}

// claim reads the status of a finding.
func (d *draft) claim() error {
	switch d.status {
	case "", "open":
	case "resolved", "acknowledged": // the latter is printed by loopxctl
		d.out.Claims = []policy.Claim{{By: "status", State: d.status, Reason: d.reason}}
	default:
		return fmt.Errorf("the field \"status\": %.60q is no status; write one of: open, resolved", d.status)
	}
	return nil
}

// same is the value of a field that has two names.
func same(a string, first *string, b string, second *string) (string, error) {
	switch {
	case first == nil && second == nil:
		return "", fmt.Errorf("a finding lacks %q (or %q, which is another name of it)", a, b)
	case first != nil && second != nil && *first != *second:
		return "", fmt.Errorf("a finding has %q and %q, which say different things", a, b)
	case first == nil:
		first = second
	}
	if strings.TrimSpace(*first) == "" {
		return "", fmt.Errorf("a finding has an empty %q", a)
	}
	return *first, nil
}

// named tells in which field an error is.
func named(field string, err error) error {
	if e, ok := errors.AsType[*jsonstream.Error](err); ok {
		return &jsonstream.Error{Line: e.Line, Message: fmt.Sprintf("the field %.60q: %s", field, e.Message)}
	}
	return err
}
