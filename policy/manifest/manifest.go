// Package manifest finds every place where a Python project declares a
// dependency, and reads it: pyproject.toml with the tables of its tools,
// setup.cfg and setup.py, requirements and constraints files, Pipfiles, lock
// files, scripts with inline metadata, and the RUN instructions of
// Dockerfiles. Each requirement comes with its exact place in its file.
//
// It is pure: files come from an [fs.FS], and nothing is fetched or run. The
// environment of the process is never read; variables that a file refers to
// are an input.
package manifest

import (
	"fmt"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// Scope says what a requirement is for.
type Scope string

// The scopes. Runtime is what everyone who installs the project gets; Optional
// is its extras.
const (
	Build        Scope = "build"
	Runtime      Scope = "runtime"
	Optional     Scope = "optional"
	Groups       Scope = "groups"
	Requirements Scope = "requirements"
	Constraints  Scope = "constraints"
	Locks        Scope = "locks"
	Dockerfile   Scope = "dockerfile"
)

// Requirement is one dependency as one place declares it. A place that two
// scopes use, a requirements file that is also a project's dynamic
// dependencies, is listed for each.
type Requirement struct {
	// File is the slash path of the file where it stands, relative to the root.
	File string
	// Span is the whole requirement, without quotes around it; Spec is its
	// specifier, and where none is written the empty place where one would be.
	Span, Spec Span
	// Text is the requirement as its tool reads it. It may hold secrets in a
	// URL: print it through route.RedactText.
	Text string
	// Name is normalized by PEP 503; Written is the name as it stands. Both are
	// "" for a path or a URL that names no project.
	Name, Written string
	Extras        []string
	// Admits is what it admits: the versions of any of these. It is empty where
	// Unprovable says why nothing is known, and for what is Local.
	Admits []pep440.Specifiers
	// Marker is nil if it holds everywhere.
	Marker *pep508.Marker
	// Source is where it is taken from, if not from an index.
	Source Source
	// Table is the list that it stands in: "build-system.requires",
	// "optional-dependencies.gpu", "dependency-groups.dev", "pip install".
	Table string
	Scope Scope
	// Groups are the dependency groups that have it: the one where it stands,
	// then those that include it. Of Poetry's optional dependencies they are the
	// extras.
	Groups []string
	// Sets name what it is resolved with: the requirements of one name that
	// share a set bind together. A set is one list of one file, a requirements
	// file with its -r and -c, or one command line.
	Sets []string
	// Pre is true if its file or command asks for pre-releases.
	Pre bool
	// Hashed is true if hashes bind it to files that are known.
	Hashed bool
	// Quote are the quotes around it in the file, "" if there are none.
	Quote string
	// Syntax is how Spec is written.
	Syntax Syntax
	// Fixed says why it can't be edited in place, "" if it can.
	Fixed string
	// Lost is what the shell takes for a redirection and was meant for a
	// version, right behind the requirement; its Span is empty if there is none.
	Lost Lost
	// Unprovable says why what it admits is not known, "" if it is.
	Unprovable string
}

// Syntax is how a specifier is written.
type Syntax string

// The syntaxes. In the last one a version alone is meant as ==.
const (
	Specifiers       Syntax = ""       // PEP 440
	PoetryConstraint Syntax = "poetry" // ^1.2, ~1.2, 1.2, ||
	BareVersion      Syntax = "version"
)

// Lost is text that was meant for a version.
type Lost struct {
	Span Span
	Text string // ">=83.0.0"
}

// EffectiveIn returns the versions of within that an installer may pick by the
// requirement alone.
func (r Requirement) EffectiveIn(within pep440.Set) pep440.Set {
	out := pep440.None()
	for _, s := range r.Admits {
		out = out.Union(s.EffectiveIn(within, r.Pre))
	}
	return out
}

// Local reports whether it is a part of the project's own tree, and no
// dependency from outside.
func (r Requirement) Local() bool {
	switch r.Source.Kind {
	case Path, Workspace, Self:
		return true
	}
	return false
}

// SourceKind says where a requirement is taken from.
type SourceKind string

// The kinds of sources. An archive is a URL of a file, a local file: URL
// included; VCS is a repository.
const (
	Index     SourceKind = ""
	Archive   SourceKind = "archive"
	VCS       SourceKind = "vcs"
	Path      SourceKind = "path"
	Workspace SourceKind = "workspace"
	Self      SourceKind = "self"
)

// Source is where a requirement is taken from.
type Source struct {
	Kind SourceKind
	// Place is the URL, without secrets, or the path.
	Place string
	// Version is what the name of the file proves, in normal form, "" if it
	// proves none.
	Version string
	// Hint is the tag or branch of a repository, which proves nothing.
	Hint string
	// By is the table that says so if it is not the requirement itself.
	By string
}

// Span is a half-open place in a file.
type Span struct{ Start, End Position }

// Empty reports whether there is no text in it.
func (s Span) Empty() bool { return s.Start.Offset == s.End.Offset }

// Position is a point of a file. Offset counts bytes from 0 and wins; Line and
// Column count from 1, by line feeds alone and in bytes, a byte order mark not
// counted. Offset is -1 where only the line is known.
type Position struct{ Offset, Line, Column int }

// Answer is what a note means for a check.
type Answer string

// The answers of notes.
const (
	// Policy is for the project to decide.
	Policy Answer = "policy"
	// Unprovable is a dependency that can't be known from the files.
	Unprovable Answer = "unprovable"
	// Check is something to look at that the check takes into account as far
	// as it can.
	Check Answer = "check"
	// NotApplicable is something that the check is not about.
	NotApplicable Answer = "not-applicable"
)

// Note is something that a person should know about how a file was read.
type Note struct {
	File   string
	Span   Span
	Answer Answer
	// Table is the list that it is about, "" for none.
	Table string
	// Message is one line, without secrets, and says what to do.
	Message string
}

// Error says that something can't be read. It is never a pass: what the file
// declares is not known.
type Error struct {
	File string
	// At is the zero Position if the file as a whole is at fault.
	At Position
	// Message is one line, without secrets, and says what to do.
	Message string
}

// Error gives "file:line:column: message".
func (e *Error) Error() string {
	if e.At.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.At.Line, e.At.Column, e.Message)
}

// Python is what a file says about the versions of Python that it is for.
type Python struct {
	File string
	Span Span
	Text string
	// Versions are all versions of Python that it admits.
	Versions pep440.Set
}

// Reading is what was read.
type Reading struct {
	Requirements []Requirement
	Notes        []Note
	Errors       []*Error
	// Python is what each file that says so requires.
	Python []Python
	// Follows are the files that were read because another one names them, in
	// the order in which they were read first.
	Follows []string
}

// most is how many bytes of a file's text a message shows.
const most = 80

// shorten is a text of a file as a message shows it: one line of text without
// secrets, and not long.
func shorten(s string) string { return cut(plain.Text(policy.Redact(s[:min(len(s), 4*most)]))) }

// label is a name of a file's list as a message shows it.
func label(s string) string { return cut(plain.Text(s[:min(len(s), 4*most)])) }

func cut(s string) string {
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
