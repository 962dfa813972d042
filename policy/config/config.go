// Package config reads loopx.yaml, the file in which a project says how it is
// fetched and what its checks shall hold it to, and in which an organisation says
// it of all projects. It is strict: what it does not know, or would have to guess,
// is an error that tells the line and what to write instead.
//
// Each top-level key is read by one function, see sections, which also has what
// the JSON Schema says of it.
package config

import (
	"path"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// File is the name of the file: at the root of a project, and in Dir.
const File = "loopx.yaml"

// Dir is the folder of an organisation, in its own image of the frontend.
const Dir = "/etc/loopx"

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 1 << 20

// Config is what the file says. The zero value is that of an empty file.
type Config struct {
	// Name is what messages call the file; "" if there is none.
	Name string
	// Fetch is what the file says of the fetches of a build.
	Fetch Fetch
	// Floors are the lowest versions that are accepted, by normalized name, in
	// the order of the file.
	Floors map[string][]Floor
	// RequireFloor asks for a lower bound of every external dependency.
	RequireFloor bool
	Cap          Cap
	// Exceptions are in the order of the file.
	Exceptions []Exception
	// Private are normalized names, with * for any text: projects that no public
	// index has, so that public advisories are not about them.
	Private []string
	// Library says that others install the project beside their own
	// dependencies, so that its runtime dependencies are theirs to bound.
	Library bool
	// Scopes are those that the file turns on or off; see [Config.Use].
	Scopes map[string]bool
	// Unpinned is for a violation by a requirement that names no version at all,
	// Unprovable for one of which nothing can be told. "" is the default: see
	// [Config.UnpinnedLevel] and [Config.UnprovableLevel].
	Unpinned, Unprovable Level
	// MinimumSeverity is the least that counts; "" counts all.
	MinimumSeverity Severity
	Database        Database
	Advisories      Advisories
	Environments    Environments
	// Presets are nil if the file does not say anything of them; see
	// [Config.AllPresets].
	Presets []preset.Preset
	// Release is what a release is held to.
	Release Release
	Review  Review
	// StrictConstraints checks constraints that bind nothing.
	StrictConstraints bool
}

// Floor is the lowest version of a project that is accepted.
type Floor struct {
	// Version is the bound's; Above says that it is not accepted itself.
	Version pep440.Version
	Above   bool
	// Reason may be "".
	Reason string
	// IDs are advisories that the floor is for.
	IDs []string
	// Marker is where the floor holds; nil is everywhere.
	Marker *pep508.Marker
	// Expires is the last day on which nobody need look at the floor again; zero
	// without. It holds all the same.
	Expires time.Time
	Line    int
}

// Cap is the rule for upper bounds.
type Cap struct {
	// Require asks for an upper bound of every external dependency.
	Require bool
	// NextMajor makes a fix that raises a bound add one below the next major
	// version, where there is none.
	NextMajor bool
}

// Exception is what is accepted for a time.
type Exception struct {
	// ID is an advisory, by any of its names; Name is a normalized project. One
	// of them may be "", which is any: an exception without ID accepts whatever
	// the project's version is.
	ID, Name string
	// File is a path with slashes: a pattern of path.Match, or a folder with a
	// slash at its end. "" is any.
	File string
	// Marker is where the exception holds; nil is everywhere.
	Marker *pep508.Marker
	Reason string
	// Expires is the last day of the exception, in UTC.
	Expires time.Time
	Line    int
}

// Covers reports whether the exception is about a project, by normalized name,
// in a file.
func (e Exception) Covers(name, file string) bool {
	return (e.Name == "" || e.Name == name) && e.inFile(file)
}

func (e Exception) inFile(file string) bool {
	if e.File == "" {
		return true
	}
	if strings.HasSuffix(e.File, "/") {
		return strings.HasPrefix(file, e.File)
	}
	ok, err := path.Match(e.File, file)
	return ok && err == nil
}

// Expired reports whether a last day has passed; never if it is zero.
func Expired(last, today time.Time) bool {
	return !last.IsZero() && !today.Before(last.AddDate(0, 0, 1))
}

// Level is what happens about a thing that is not proved wrong.
type Level string

// The levels.
const (
	Fail  Level = "error"
	Warn  Level = "warn"
	Allow Level = "allow"
)

// UnpinnedLevel is what a violation is by a requirement that names no version:
// Fail unless the file says otherwise.
func (c *Config) UnpinnedLevel() Level { return c.Unpinned.or(Fail) }

// UnprovableLevel is what a requirement is of which nothing can be told: Warn
// unless the file says otherwise.
func (c *Config) UnprovableLevel() Level { return c.Unprovable.or(Warn) }

func (l Level) or(other Level) Level {
	if l == "" {
		return other
	}
	return l
}

// Severity is how bad an advisory says that it is.
type Severity string

// The severities of advisories, as CVSS names them.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// Severities returns them all, the least first.
func Severities() []Severity { return []Severity{Low, Medium, High, Critical} }

// Database is where advisories come from, and how old they may be.
type Database struct {
	// Source is a path or an https address, "none" to do without; "" if the file
	// does not say it.
	Source string
	// MaxAge is zero if the file does not say it; see [Database.Oldest].
	MaxAge time.Duration
	Line   int
}

// NoDatabase is the Source of who wants no advisories.
const NoDatabase = "none"

const day = 24 * time.Hour

// DefaultMaxAge is how old advisories may be unless the file says otherwise.
const DefaultMaxAge = 7 * day

// Oldest is how old the advisories may be.
func (d Database) Oldest() time.Duration {
	if d.MaxAge == 0 {
		return DefaultMaxAge
	}
	return d.MaxAge
}

// Advisories says which records are believed.
type Advisories struct {
	// Prefer are beginnings of ids ("PYSEC"), the first one first: of records
	// about one vulnerability only those of the first that has one count. Empty
	// counts all.
	Prefer []string
	Ignore []Ignored
}

// Ignored is a record that is not believed.
type Ignored struct {
	ID, Reason string
	// Expires is the last day, in UTC.
	Expires time.Time
	Line    int
}

// Environments are where the project is installed.
type Environments struct {
	// Python is a specifier of Python's versions, and Pythons what it admits;
	// "" if the file does not say it.
	Python  string
	Pythons pep440.Set
	// Platforms are values of sys_platform, of those in [Platforms]; empty is
	// any.
	Platforms []string
}

// Use is what is done with a scope.
type Use string

// The uses of scopes.
const (
	Check Use = "check"
	// Note tells what is wrong, and fails nothing.
	Note Use = "note"
	Skip Use = "skip"
)

// scopes are the keys of the section of that name, as package manifest spells
// scopes.
func scopes() []string {
	return []string{"build", "runtime", "optional", "groups", "requirements", "locks", "dockerfile"}
}

// Use says what is done with a scope: Check, unless the file turns it off. The
// runtime dependencies of a library are only told about, unless the file turns
// them on.
func (c *Config) Use(scope string) Use {
	on, said := c.Scopes[scope]
	switch {
	case said && !on:
		return Skip
	case !said && scope == "runtime" && c.Library:
		return Note
	}
	return Check
}

// IsPrivate reports whether a normalized name is one of the private projects.
func (c *Config) IsPrivate(name string) bool {
	for _, pattern := range c.Private {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}
