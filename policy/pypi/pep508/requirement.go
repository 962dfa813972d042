// Package pep508 reads dependency specifiers and environment markers: PEP 508
// as the packaging specifications keep it (dependency-specifiers), and, where
// the text leaves room, as Python's packaging 26.x reads it, which pip uses.
//
// It differs from packaging on purpose in four places:
//
//   - a text in a marker has no backslash and no line break: PEP 508's
//     python_str has none; packaging applies Python's escapes;
//   - "a===1.0, <2" has two clauses, as "a===1.0 ,<2" has, and "a===1,,<2" is
//     an error: a comma is no part of a version in PEP 508's grammar;
//   - a URL has no control characters;
//   - a group in two pairs of parentheses prints in one; packaging prints it
//     in none, which changes what the marker means.
package pep508

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// MaxLength is the longest text that is read, in bytes; more is an error. The
// longest requirements in use have a few hundred.
const MaxLength = 64 << 10

// Span is a half-open range of byte offsets in the text that was parsed.
type Span struct{ Start, End int }

// Empty reports whether the span holds no text.
func (s Span) Empty() bool { return s.Start == s.End }

// Requirement is one dependency specifier. The span of an absent part is
// empty; those of extras and of the specifier then say where one would be
// written.
type Requirement struct {
	// Name is as written; pep503.Normalize compares.
	Name string
	// Extras are as written, in their order, with repeats.
	Extras []string
	// Specifiers admits every version if the requirement names none, or has
	// a URL. Its clauses' offsets count from SpecInner.Start.
	Specifiers pep440.Specifiers
	// URL is what follows "@": often not a URL but a path. It may hold
	// credentials. "" if there is none.
	URL string
	// Marker is nil if there is none.
	Marker *Marker

	NameSpan Span
	// ExtrasSpan holds the brackets.
	ExtrasSpan Span
	// SpecSpan holds the parentheses, if there are any; SpecInner doesn't.
	// Both are without blanks at their ends.
	SpecSpan, SpecInner Span
	URLSpan             Span
	// MarkerSpan starts after the semicolon and its blanks.
	MarkerSpan Span
}

// String returns the normal form, as packaging prints it: extras and clauses
// sorted, each once, the marker by Marker.String. The name stays as it is
// written. Parse reads the same requirement from it.
func (r Requirement) String() string {
	var out strings.Builder
	out.WriteString(r.Name)
	if len(r.Extras) > 0 {
		out.WriteString("[" + joinSorted(r.Extras) + "]")
	}
	clauses := make([]string, len(r.Specifiers.Clauses))
	for i, c := range r.Specifiers.Clauses {
		clauses[i] = c.String()
	}
	out.WriteString(joinSorted(clauses))
	if r.URL != "" {
		out.WriteString(" @ " + r.URL)
		if r.Marker != nil {
			out.WriteByte(' ')
		}
	}
	if r.Marker != nil {
		out.WriteString("; " + r.Marker.String())
	}
	return out.String()
}

func joinSorted(words []string) string {
	sorted := slices.Sorted(slices.Values(words))
	return strings.Join(slices.Compact(sorted), ",")
}
