// Package floors answers whether what a project declares keeps out the versions
// of its dependencies that are below their security floor. The floors come from
// the project's policy (package config), or follow from advisories (package
// osv).
//
// It is a question about sets: a requirement passes if no version that it admits
// is affected, whatever is on an index today. What can't be proved is never a
// pass.
package floors

import (
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Answer is what is said of one requirement, or of what was noted when a file
// was read.
type Answer string

// The answers. Broken is about a file that can't be read: what it declares is
// not known.
const (
	Pass          Answer = "pass"
	NotApplicable Answer = "not-applicable"
	Look          Answer = "check"
	ByPolicy      Answer = "policy"
	Unprovable    Answer = "unprovable"
	Conflict      Answer = "conflict"
	Violation     Answer = "violation"
	Broken        Answer = "error"
)

// Answers returns all of them, from the best to the worst.
func Answers() []Answer {
	return []Answer{Pass, NotApplicable, Look, ByPolicy, Unprovable, Conflict, Violation, Broken}
}

// Input is what a check goes by.
type Input struct {
	Reading manifest.Reading
	// Config may be nil, which is an empty file.
	Config *config.Config
	// Database is nil without advisories. Snapshot says which state of them it
	// is.
	Database *osv.Database
	Snapshot osv.Snapshot
	// Today is the time of the check.
	Today time.Time
	// Pins lets fixes move what is pinned to one version; Holes prefers fixes
	// that leave single versions or families out to those that raise the bound.
	Pins, Holes bool
	// Instruction returns the text of the instruction of a Dockerfile that a
	// line is in, after ARG and ENV: what a reviewer signs for. It may be nil.
	Instruction func(file string, line int) string
}

// Report is the result of a check.
type Report struct {
	// Verdicts are those about malicious packages, then all others by file and
	// place.
	Verdicts []Verdict
	// Database is what the check knew of advisories.
	Database Database
	// Config is the policy that it went by.
	Config *config.Config

	in Input
}

// Database says which advisories a check had.
type Database struct {
	// Loaded is false if there were none.
	Loaded   bool
	Snapshot osv.Snapshot
	// Records counts those about Python projects.
	Records int
}

// Verdict is the answer to one requirement, note, or error of a reading, or
// about the policy itself.
type Verdict struct {
	Answer Answer
	// Rule and Severity are those of the finding; both "" if there is none.
	Rule     string
	Severity policy.Severity
	// Requirement is nil for what is about none.
	Requirement *manifest.Requirement
	File, Table string
	Span        manifest.Span
	// Message is one line without secrets, "" if there is nothing to say. It
	// does not name the place.
	Message string
	// Proof is what makes a violation, a conflict, or what was accepted; nil
	// without.
	Proof *Proof
	// Fix is nil where there is nothing to mend.
	Fix *Fix
	// With is the requirement that this one is bound together with, and that
	// the finding is about; nil if it is this one.
	With *manifest.Requirement
	// Accepted are the exceptions that lift something here.
	Accepted []config.Exception
}

// Proof says which versions that are admitted are affected, and by what.
type Proof struct {
	// Affected are the versions that an installer may pick and must not.
	Affected pep440.Set
	// Hits are the advisories, malicious ones first. Shared; not to be changed.
	Hits []osv.Hit
	// Floors are the policy's that are broken.
	Floors []config.Floor
	// Needed is the lowest bound above which nothing that is declared is
	// affected, and Derived the same by advisories alone. Both are zero if there
	// is none.
	Needed, Derived osv.Bound
	// Safe: a version is admitted that is not affected.
	Safe bool
	// NoFix: there is no version above the affected ones.
	NoFix bool
	// Malicious: a hit says that the package is an attack.
	Malicious bool
}

// Fix is what mends a requirement, or says why nothing does by itself.
type Fix struct {
	// Edits are of the requirement's file, sorted; none if Why says why.
	Edits []policy.Edit
	// Text is the requirement after the edits.
	Text string
	// Why says why there are no edits, and Suggest is what a person could write
	// instead; each may be "".
	Why, Suggest string
	// Other is another way to write it that would do too; "" if there is none.
	Other string
	// Command is what the tool that writes the file is to be asked; "" if
	// none.
	Command string

	// admits is what the requirement admits after the edits.
	admits []pep440.Specifiers
}
