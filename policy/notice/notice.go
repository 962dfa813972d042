// Package notice answers, of security notices, which Dockerfiles, stages,
// manifests and locks of a project they are about, and what to do: raise a floor,
// move a pin, rebuild, wait.
//
// A notice is one vulnerability or one batch of fixes, however many records of
// databases tell of it. Python projects are judged by the floors of package
// floors. Packages of Debian and Ubuntu are those that a stage tells apt to
// install by name, those of a base image whose list is at hand, and those of bills
// of materials. Images are those that FROM, COPY --from and mounts name.
//
// What is not known is never a pass: it is a possible answer, and says what would
// make it a certain one. The package is pure.
package notice

import (
	"time"

	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// Input is what notices are held against.
type Input struct {
	// Records are the notices: those of one vulnerability are told as one. Of two
	// with one id, the one that was modified later counts.
	Records []osv.Record
	// Floors is the project as package floors reads it. Its Database should hold
	// the Records and all else that is known, so that a floor is above all of it;
	// if it is nil, it is made of the Records. Instruction is used for Dockerfiles.
	Floors floors.Input
	// Dockerfiles are looked at for packages and images; what they install of
	// Python is in Floors.
	Dockerfiles []Dockerfile
	// BuildArgs replace the defaults of ARG instructions.
	BuildArgs map[string]string
	// Bases are what is known of base images.
	Bases []Base
	// Index says which source packages binary packages are built from, beside what
	// the records and the lists themselves say. It may be nil.
	Index *inventory.Index
	// Bills are lists of what was built: answers of their own.
	Bills []Bill
	// Rebuilt is the time of the last build without a cache, zero if there was
	// none: what a rebuild alone mends, and was published before, is mended.
	Rebuilt time.Time
}

// Dockerfile is one of the project.
type Dockerfile struct {
	// Name is as [floors.Input] names files.
	Name string
	Text []byte
}

// Base is what is known of an image that Dockerfiles name.
type Base struct {
	// Image is a reference as FROM has it; its tag and digest count only where it
	// has them.
	Image string
	// OS is its release; zero if it is not known.
	OS distro.OS
	// Packages are what is installed in it; nil if it is not known.
	Packages []inventory.Package
}

// Bill is a list of what is installed in something that was built.
type Bill struct {
	// Name is that of the file.
	Name     string
	Packages []inventory.Package
}

// State is what a notice means for a place, or for the whole project.
type State string

// The states, worst first. Accepted is what an exception of the policy lifts.
// Unchecked is a notice about nothing that is looked at here.
const (
	Affected   State = "affected"
	Possible   State = "possible"
	Accepted   State = "accepted"
	Mended     State = "mended"
	Unaffected State = "unaffected"
	Unchecked  State = "not_checked"
	Withdrawn  State = "withdrawn"
)

// States returns all of them, worst first.
func States() []State {
	return []State{Affected, Possible, Accepted, Mended, Unaffected, Unchecked, Withdrawn}
}

// Action is what is to be done, in one word.
type Action string

// The actions. Rebuild is all that a place needs; Change is an edit of the place;
// Move is another base image; Wait is where there is no fix; Remove is an attack;
// Look is for a person to find out.
const (
	Rebuild Action = "rebuild"
	Change  Action = "change"
	Move    Action = "move"
	Wait    Action = "wait"
	Remove  Action = "remove"
	Look    Action = "look"
)

// Kind says what an answer is about.
type Kind string

// The kinds. BasePackage comes with the base image; BillPackage is one of a bill
// of materials.
const (
	Python      Kind = "python"
	Package     Kind = "package"
	BasePackage Kind = "base_package"
	Image       Kind = "image"
	BillPackage Kind = "bill_package"
)

// Report is the result of a check.
type Report struct {
	// Notices are sorted by id.
	Notices []Notice
	// Unread are places that may install what a notice is about, and don't tell
	// it: those of packages if a notice is about packages, and those of Python
	// projects if one is about these.
	Unread []Unread
	// Unmatched are packages that stages install by name, and whose source package
	// is not known while a notice names its packages by that: sorted.
	Unmatched []string

	in Input
	// broken are the Dockerfiles that can't be read.
	broken []Unread
}

// Unread is a place that could not be read in full.
type Unread struct {
	Place
	// Why is one line.
	Why string
	// Package is the package whose source package is not known; "" if the place is
	// not read for another reason.
	Package string
}

// Place is where something stands. Line and Column count from 1, 0 if unknown;
// the end is exclusive.
type Place struct {
	File               string
	Line, Column       int
	EndLine, EndColumn int
	// Stage is the name or the index of a Dockerfile's stage, "" if it is in none;
	// Stages are those that are built from it, directly or not.
	Stage  string
	Stages []string
}

// Notice is one vulnerability, or one batch of fixes.
type Notice struct {
	// ID is that of the first of the records, IDs all names, sorted.
	ID  string
	IDs []string
	// Records are the ids of the records.
	Records []string
	// Published is the earliest, Modified the latest time of a record; zero if
	// none has one.
	Published, Modified time.Time
	// Summary, Page and Rating are those of the first record that has them. They
	// are foreign text.
	Summary, Page, Rating string
	Malicious             bool
	State                 State
	// Why says what makes the state, where no answer does.
	Why string
	// Answers are by file and place, those that are Unaffected too.
	Answers []Answer
}

// Answer is what a notice means for one place.
type Answer struct {
	State State
	Kind  Kind
	Place
	// Text is what stands there, Table the list or the command that it is in.
	Text, Table string
	// Package is what is installed, Source the record's name for it.
	Package, Source string
	// OS is the release in which it is installed; zero for what has none.
	OS distro.OS
	// Version is what is pinned or installed, "" if any will do.
	Version string
	// Fixed is the first version that is not affected, "" if there is none or it
	// is not known.
	Fixed  string
	Action Action
	// Message is what is wrong and what to do, one line.
	Message string
	// Held says what keeps a rebuild from picking up the fix, one line each.
	Held []string
	// Fix mends a Python requirement; nil for all else.
	Fix *floors.Fix
}
