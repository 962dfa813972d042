// Package osv reads security advisories in the Open Source Vulnerability
// format and says which versions of a Python project they affect, and from
// which version on a project is safe. It is pure: package feed brings the
// text.
//
// The format is that of https://ossf.github.io/osv-schema/, version 1.7; "the
// schema" below is that document.
package osv

import (
	"strings"
	"time"
)

// Record is one entry of an advisory database. Strings are foreign text: they
// may hold anything that UTF-8 can.
type Record struct {
	// ID is never empty.
	ID string
	// Aliases are names of the same vulnerability in other databases; Upstream
	// and Related are those of others (a distribution's record names the CVE
	// that it fixes in Upstream).
	Aliases, Upstream, Related []string
	// Published, Modified and Withdrawn are zero where the record has none.
	Published, Modified, Withdrawn time.Time
	// Summary is one line, Details is Markdown; either may be empty.
	Summary, Details string
	Severity         []Severity
	// Rating is the database's own word for the severity ("HIGH"), or "".
	Rating     string
	Affected   []Affected
	References []Reference
	// Notes say what is odd about the record and was read anyway.
	Notes []string
}

// Severity is one score: Type names its form ("CVSS_V3"), Score is what a
// database wrote in that form.
type Severity struct{ Type, Score string }

// Reference is a page about the vulnerability: Type says what it is ("FIX",
// "ADVISORY").
type Reference struct{ Type, URL string }

// Affected is a package that a record is about, and which of its versions.
type Affected struct {
	// Ecosystem says what versions mean, with the release of a distribution
	// behind a colon ("PyPI", "Debian:12").
	Ecosystem string
	// Name is as the record has it, not normalized.
	Name string
	// PURL is the package URL, or "".
	PURL     string
	Severity []Severity
	Ranges   []Range
	Versions []string
	// Binaries are the packages that are built from a distribution's source
	// package, as far as its database names them: Ubuntu's names those that are
	// fixed.
	Binaries []Binary
}

// Binary is a package with the version that is fixed; "" if none is said.
type Binary struct{ Name, Version string }

// Range says which versions are affected, by its events.
type Range struct {
	// Type is "ECOSYSTEM", "SEMVER" or "GIT".
	Type string
	// Repo is the repository of a GIT range.
	Repo   string
	Events []Event
}

// Event is a version at which something changes. The schema gives it one
// field; Broken is set where a record has none or several.
type Event struct {
	Kind    EventKind
	Version string
	Broken  bool
}

// EventKind says what changes at the version of an event.
type EventKind uint8

// The kinds of events, in the order in which those of one version are read.
const (
	Introduced EventKind = iota
	Fixed
	LastAffected
	Limit
)

// String returns the schema's name.
func (k EventKind) String() string {
	return [...]string{"introduced", "fixed", "last_affected", "limit"}[k]
}

// IsPyPI reports whether the package is a Python project. The schema writes the
// name "PyPI"; other spellings count too, since a record that is not seen is a
// silent pass.
func (a *Affected) IsPyPI() bool {
	name, _, _ := strings.Cut(a.Ecosystem, ":")
	return strings.EqualFold(name, "PyPI")
}

// IsWithdrawn reports whether the record has been taken back.
func (r *Record) IsWithdrawn() bool { return !r.Withdrawn.IsZero() }
