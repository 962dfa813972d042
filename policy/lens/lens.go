// Package lens classifies findings: each class is looked at through one lens,
// which has a question for a reviewer, and what touches security or privacy is
// a blocker through the lens security_release. It is pure.
package lens

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy"
)

// Lens is one way of looking at a change.
type Lens string

// The lenses.
const (
	Reuse                 Lens = "reuse"
	TypeAPIBoundary       Lens = "type_api_boundary"
	Configuration         Lens = "configuration"
	RuntimeOwnership      Lens = "runtime_ownership"
	QualitySimplification Lens = "quality_simplification"
	Efficiency            Lens = "efficiency"
	ErrorSupervision      Lens = "error_supervision"
	TestValidation        Lens = "test_validation"
	DocumentationComments Lens = "documentation_comments"
	SecurityRelease       Lens = "security_release"
)

// view is a lens with its question and the classes that it is for.
type view struct {
	lens     Lens
	question string
	classes  []policy.Class
}

var views = [...]view{
	{Reuse, "Is there code, a base image, a stage or a package that does this already?", nil},
	{TypeAPIBoundary, "Do types and interfaces still say what callers may rely on, and does each value stay on its side of a boundary?", []policy.Class{policy.APIContract}},
	{Configuration, "Does everybody who uses this release today still build and run with the settings, versions and defaults they have?", []policy.Class{policy.ReleaseCompatibility}},
	{RuntimeOwnership, "Does it do what it says when it runs, and is it clear who owns each process, file and lifetime?", []policy.Class{policy.Correctness}},
	{QualitySimplification, "Can this be said with less, and will the next reader follow it?", []policy.Class{policy.Complexity}},
	{Efficiency, "What does it cost in time, space and network, and is that what it is worth?", []policy.Class{policy.Efficiency}},
	{ErrorSupervision, "When a part of it fails, who notices, what is told, and what is left behind?", []policy.Class{policy.ErrorSupervision}},
	{TestValidation, "Which test fails if this breaks, and did all that had to run really run and pass?", []policy.Class{policy.Validation}},
	{DocumentationComments, "Do documents and comments say what is true now, and why?", []policy.Class{policy.Documentation}},
	{SecurityRelease, "May this be released: does it leak a secret or private data, trust what it must not, or weaken a check?", []policy.Class{policy.SecurityPrivacy}},
}

// All returns every lens, in the order of the documentation.
func All() []Lens {
	all := make([]Lens, len(views))
	for i, v := range views {
		all[i] = v.lens
	}
	return all
}

// Question is what a reviewer asks through the lens; "" if l is none.
func (l Lens) Question() string { return l.view().question }

// Classes returns the classes that are looked at through the lens. [Reuse] has
// none: a rule leads to it, see [Of].
func (l Lens) Classes() []policy.Class { return slices.Clone(l.view().classes) }

func (l Lens) view() view {
	for _, v := range views {
		if v.lens == l {
			return v
		}
	}
	return view{}
}

// ofClass returns the lens of a class; ok is false if it is no class.
func ofClass(c policy.Class) (l Lens, ok bool) {
	for _, v := range views {
		if slices.Contains(v.classes, c) {
			return v.lens, true
		}
	}
	return "", false
}
