// Package report holds what loopxctl found out about Dockerfiles, and prints
// it. The verdict is made here, before and apart from any format, so that all
// formats exit alike.
package report

import (
	"bytes"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Report is the answer of one command.
type Report struct {
	// Command is the command's name: "rewrite", "explain" or "check".
	Command string
	// Notes are about the operator's configuration.
	Notes []route.Note
	Files []*File
}

// Policy is what the operator lets pass.
type Policy struct {
	// Audit makes every blocker a warning.
	Audit bool
	// Text is true if the text alone must be safe, for a builder that does
	// not run the frontend: what no edit can move is a blocker then.
	Text bool
	// IgnoreApt accepts that apt's sources are not in the text.
	IgnoreApt bool
}

// notEdited is the rule of rewrite.Rules for a fetch that could travel over
// TLS, but whose text cannot be edited.
const notEdited = "NotEdited"

// blocks reports whether a finding is a blocker.
func (p Policy) blocks(f rewrite.Finding) bool {
	return f.Severity == rewrite.Blocker || p.Text && f.Rule == notEdited
}

// File is one Dockerfile. If Problem is set, Plan is nil.
type File struct {
	// Name as the person wrote it, or "<stdin>".
	Name           string
	Source, Output []byte
	Plan           *rewrite.Plan
	Problem        *fault.Error
	// Path is the file's path from the root of its repository, with slashes; ""
	// if it is in none: standard input, or a file elsewhere.
	Path string
	// Below is the file's path from the folder that was named, with slashes; ""
	// if the file was named itself.
	Below string
	// Findings are those of Plan, in its order, as they are judged; nil before.
	Findings []lens.Shadowed
	// Policy is the one that this file is judged by.
	Policy Policy
	// Target is the file that Output is to be written to; "" for none.
	Target string
	// Written is the file that now holds Output, or is empty.
	Written string
	// Fixed is true if Plan is about Output, and not about Source.
	Fixed bool
	// Fixes is how many findings were fixed.
	Fixes int
	// OtherNames is the number of hard links to the file that Written
	// replaced; they still hold its old text.
	OtherNames int
}

// Changed reports whether the text would change.
func (f *File) Changed() bool { return f.Plan != nil && !bytes.Equal(f.Source, f.Output) }

// Moved returns how many addresses the edits move.
func (f *File) Moved() int {
	n := 0
	if f.Plan != nil {
		for _, finding := range f.Plan.Findings {
			if len(finding.Edits) > 0 {
				n++
			}
		}
	}
	return n
}

// Lent returns how many RUN instructions the edits lend something to.
func (f *File) Lent() int {
	n := 0
	if f.Plan != nil {
		for _, guard := range f.Plan.Guards {
			if len(guard.Edits) > 0 {
				n++
			}
		}
	}
	return n
}

// HiddenApt returns the RUN instructions that run apt on sources which the
// text does not show, so that no edit of the text can move them, and which the text
// lends nothing. A script or a
// variable of the author's may well run it; of the programs that are only not
// known never to (npm, pip, …) nearly none does, so they stop no rewriting.
func (f *File) HiddenApt() []rewrite.Guard {
	var hidden []rewrite.Guard
	if f.Plan != nil {
		for _, guard := range f.Plan.Guards {
			if (guard.Certain || guard.Opaque) && !guard.Shown && !guard.Carried {
				hidden = append(hidden, guard)
			}
		}
	}
	return hidden
}

// Blocked reports whether the policy lets f not pass: a finding is a blocker
// that nobody acknowledged, or the text must be safe and apt's sources are hidden.
func (f *File) Blocked() bool {
	if f.Plan == nil || f.Policy.Audit {
		return false
	}
	for i, finding := range f.Plan.Findings {
		if f.Policy.blocks(finding) && f.acknowledged(i) == nil {
			return true
		}
	}
	return f.Policy.Text && !f.Policy.IgnoreApt && len(f.HiddenApt()) > 0
}

// Failed reports whether a file could not be read or written.
func (r *Report) Failed() bool {
	for _, f := range r.Files {
		if f.Problem != nil {
			return true
		}
	}
	return false
}

// Verdict sums f up in one word: "error", "blocked", "changed" or "clean".
func (f *File) Verdict() string {
	switch {
	case f.Problem != nil:
		return "error"
	case f.Blocked():
		return "blocked"
	case f.Changed():
		return "changed"
	}
	return "clean"
}
