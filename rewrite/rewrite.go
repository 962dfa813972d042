// Package rewrite plans the edits that move a Dockerfile's fetches to TLS. It
// does no I/O: bytes and a Config in, a Plan out.
package rewrite

import (
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Config is what the plan depends on beside the Dockerfile.
type Config struct {
	// Route is the operator's mirrors and host rules.
	Route route.Config
	// BuildArgs are values given on the command line; they override the
	// defaults of ARG instructions and are never edited.
	BuildArgs map[string]string
	// Carry says what the text itself lends to RUNs; nil if that is nothing more
	// than it does already.
	Carry *Carry
}

// Edit replaces bytes of the file; it never adds or removes a newline.
type Edit = textmap.Edit

// Position is a place in the file: the byte offset wins; line and column
// (in bytes) count from 1.
type Position struct{ Offset, Line, Column int }

// Range is half-open.
type Range struct{ Start, End Position }

// Severity of a Finding.
type Severity string

// Severities, worst first. Only a Blocker fails a build.
const (
	Blocker  Severity = "blocker"
	Warning  Severity = "warning"
	Advisory Severity = "advisory"
)

// Finding is one thing to tell a person about the file.
type Finding struct {
	Rule     string // a name from Rules
	Severity Severity
	Range    Range
	// Message is one line, without userinfo, and says what to do.
	Message string
	// Edits are the fix, taken whole or not at all; they are in Plan.Edits.
	Edits []Edit
	// Fix is a fix that is no part of the plan, since it has nothing to do
	// with TLS: it is made only where a person asks for it.
	Fix []Edit
}

// Fetch is one URL of the file with its decision, for explain.
type Fetch struct {
	words.Fetch
	Range       Range
	Instruction string // "RUN", "ADD", "ENV", … in upper case
	Stage       string // name, or index from 0
}

// Guard is a RUN that needs help at the point of fetch.
type Guard struct {
	Range  Range // the instruction
	Stage  string
	Reason string // "runs apt-get", "make may run apt"
	// Certain is false if the RUN may run apt but its text doesn't say so.
	Certain bool
	// Opaque is true if what the RUN runs belongs to the author and is not
	// shown: a script, a makefile, a variable; or if it is not read as commands and
	// names apt. False if it is a program that is not known never to run apt.
	Opaque bool
	Needs  string // "apt", "ca" or "both"
	// Shown is true if apt's sources stand in the file's own text, so that
	// an edited text is enough; false if they come from the base image or
	// from a file that the text does not show.
	Shown bool
	// Carried is true if the text, once edited, lends the RUN what serves its apt
	// over TLS: its addresses need not be shown then.
	Carried bool
	// Lender is the image that the text, before it is edited, lends it from; "" if
	// it is not carried so.
	Lender string
	// Edits make the text lend what the RUN needs; they are in Plan.Edits.
	Edits []Edit
	// Unfit says why the text can't lend it, and what to do: two clauses. "" if it
	// can, or if Config.Carry asks for nothing.
	Unfit string
	// Lacks is true if the text would lend it what serves apt, but Carry names no
	// image.
	Lacks bool
}

// Plan is what would change and why.
type Plan struct {
	Edits    []Edit // sorted, disjoint, in bounds
	Findings []Finding
	Guards   []Guard
	Fetches  []Fetch // every URL of every instruction, in file order

	src    []byte
	scopes []scope // one for each instruction, in file order
	escape byte
	// naming are the instructions by the words that they name.
	naming func() map[string][]int
}
