package preset

import (
	"fmt"
	"path"
	"strconv"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Updates says which versions may be raised.
type Updates struct {
	// Allow is the largest step.
	Allow Step
	// Deny are normalized names of projects that are never raised, with * for any
	// text.
	Deny []string
}

// Step is how far apart two versions are.
type Step string

// The steps, by the first number of the release that differs. Before 1.0 the
// second number counts as the first (Semantic Versioning 2.0.0, item 4: anything
// may change there).
const (
	Patch Step = "patch"
	Minor Step = "minor"
	Major Step = "major"
)

// StepOf returns how far it is from a version to a later one.
func StepOf(from, to pep440.Version) Step {
	a, b := numbers(from), numbers(to)
	switch {
	case a[0] != b[0] || from.Epoch() != to.Epoch():
		return Major
	case a[1] == b[1]:
		return Patch
	case a[0] == "0":
		return Major
	}
	return Minor
}

// numbers are the first two of the release.
func numbers(v pep440.Version) [2]string {
	all := [2]string{"0", "0"}
	copy(all[:], v.Release())
	return all
}

// Refuses says why a project may not be raised by a step; "" if it may.
func (u *Updates) Refuses(name string, step Step) string {
	for _, pattern := range u.Deny {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return "the preset's deny list has " + strconv.Quote(pattern)
		}
	}
	if step == Major || step == Minor && u.Allow == Patch {
		return fmt.Sprintf("it is a %s step, and the preset allows %s ones", step, u.Allow)
	}
	return ""
}
