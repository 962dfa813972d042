// Package policy holds what the checks of the project share: one type of
// finding for all sources, ours and foreign. It is pure: no files, no network,
// no clock.
package policy

import (
	"slices"
	"strings"
)

// Severity says what a finding does to a build or a gate.
type Severity string

// Severities, worst first. Only a Blocker fails.
const (
	Blocker  Severity = "blocker"
	Warning  Severity = "warning"
	Advisory Severity = "advisory"
)

// Class says what a finding is about. It decides the lens.
type Class string

// The classes. ReleaseCompatibility is about what a release promises to who
// uses it already.
const (
	Correctness          Class = "correctness"
	SecurityPrivacy      Class = "security_privacy"
	APIContract          Class = "api_contract"
	Validation           Class = "validation"
	Complexity           Class = "complexity"
	Efficiency           Class = "efficiency"
	ErrorSupervision     Class = "error_supervision"
	Documentation        Class = "documentation"
	ReleaseCompatibility Class = "release_compatibility"
)

// SensitiveTag makes a finding of any class one of SecurityPrivacy.
const SensitiveTag = "private_or_security_sensitive"

// IsSensitive reports whether a tag is [SensitiveTag]. Case, blanks, "-" and "_"
// do not matter.
func IsSensitive(tag string) bool {
	letters := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	return letters(tag) == letters(SensitiveTag)
}

// Sensitive reports whether the finding has [SensitiveTag]: then nothing of it is
// for the public but that there is one.
func (f *Finding) Sensitive() bool { return slices.ContainsFunc(f.Tags, IsSensitive) }

// Position is a place in a file. Lines count from 1, columns from 1 in bytes;
// 0 means unknown.
type Position struct{ Line, Column int }

// Location is where a finding is. End is exclusive, and zero where only a
// point or a line is known.
type Location struct {
	// File is a path with slashes, relative to the root that was checked.
	File       string
	Start, End Position
}

// Edit replaces bytes of a file: half-open offsets from 0.
type Edit struct {
	Start, End int
	New        string
}

// ToolName is the name of this project in its findings.
const ToolName = "loopxctl"

// Tool names what made a finding.
type Tool struct{ Name, Version string }

// Finding is one thing to tell a person.
type Finding struct {
	// Rule is the tool's name for the kind of finding.
	Rule     string
	Class    Class
	Severity Severity
	// Message is one line and says what to do.
	Message string
	// Location is nil for a finding about no file.
	Location *Location
	// Evidence is what was seen, with secrets and userinfo redacted; "" if
	// there is nothing to show.
	Evidence string
	// Fix are edits of Location's file, taken whole or not at all.
	Fix []Edit
	// Fingerprint names the finding across runs: it is made from redacted
	// text, and stays when lines move. "" until it is made.
	Fingerprint string
	Tool        Tool
	Tags        []string
	// Claims are what the input says against the finding. They resolve no
	// blocker.
	Claims []Claim
	// ToolFingerprints are the names that the tool itself gave the finding,
	// sorted by key; nothing is decided by them.
	ToolFingerprints []ToolFingerprint
}

// Claim is the word of whoever made an input that a finding is dealt with.
type Claim struct {
	// By is what makes it: "inSource suppression" or "external suppression",
	// "baseline" (all of SARIF), or "status".
	By string
	// State is the input's own word: "accepted", "underReview", "rejected",
	// "absent", "resolved".
	State string
	// Reason is the justification that comes with it; "" if there is none.
	Reason string
}

// ToolFingerprint is one entry of SARIF's fingerprints or
// partialFingerprints.
type ToolFingerprint struct{ Name, Value string }
