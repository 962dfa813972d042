// Package inventory reads lists of packages: what is installed in an image
// (dpkg's status file, the output of dpkg-query, an SBOM as SPDX or CycloneDX has
// it), and which source package a binary package is built from (apt's indexes
// Packages and Sources).
//
// It is pure. A list that is read in part only is an error.
package inventory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
)

// Package is one package of a list.
type Package struct {
	// Kind is the type of its package URL: "deb", "pypi".
	Kind          string
	Name, Version string
	Arch          string
	// Source is the source package, and SourceVersion its version where that is
	// another one; "" where the list does not say it.
	Source, SourceVersion string
	// OS is the release that the list says it is of; zero if it says none.
	OS distro.OS
}

// List is what was read.
type List struct {
	// Form is what kind of a list it is: "status", "dpkg-query", "Packages",
	// "Sources", "SPDX", "CycloneDX", "Syft".
	Form string
	// Installed says that the packages are installed in an image. They are what an
	// archive has to offer otherwise.
	Installed bool
	// Packages are in the order of the list. Those of a Sources index have no
	// version.
	Packages []Package
}

// Error says what is wrong with a list. Line counts from 1; 0 if it is on none.
type Error struct {
	Line    int
	Message string
}

// Error returns the message with its line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Read reads a list of any form, which it tells by what is in the text. The error
// is an [*Error].
func Read(text string) (List, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	var list List
	var err error
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "{"), strings.HasPrefix(strings.TrimSpace(text), "["):
		list, err = bill(text)
	case strings.HasPrefix(first, "Desired="), strings.HasPrefix(first, "ii "):
		list, err = table(text)
	case isField(first):
		list, err = stanzas(text)
	case strings.Contains(first, "\t"):
		list, err = query(text)
	default:
		return List{}, &Error{1, "this is no list of packages that is known: dpkg's status, the output of dpkg-query, an apt index, SPDX or CycloneDX as JSON"}
	}
	if err == nil && len(list.Packages) == 0 {
		err = &Error{0, "there is no package in the list"}
	}
	return list, err
}

// Index says which source packages binary packages are built from. The zero value
// knows nothing and is ready.
type Index struct{ sources map[string][]string }

// Add adds what a list says.
func (x *Index) Add(l List) {
	for _, p := range l.Packages {
		if p.Kind == "deb" && p.Source != "" {
			x.add(p.Name, p.Source)
		}
	}
}

func (x *Index) add(binary, source string) {
	if x.sources == nil {
		x.sources = map[string][]string{}
	}
	if known := x.sources[binary]; !slices.Contains(known, source) {
		x.sources[binary] = append(known[:len(known):len(known)], source)
	}
}

// Sources returns the source packages that a binary package is built from, of
// which there are several where releases differ; none if it is not known.
func (x *Index) Sources(binary string) []string {
	if x == nil {
		return nil
	}
	return x.sources[binary]
}
