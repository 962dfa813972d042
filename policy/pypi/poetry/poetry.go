// Package poetry reads the version constraints of Poetry: ^1.2, ~1.2, ~=1.2,
// 1.2.*, a bare version, comparisons, a comma or a space for "and", "||" for
// "or". What they admit is given in the terms of package pep440.
//
// It follows poetry-core 2 (src/poetry/core/constraints/version: parser.py,
// patterns.py). Where Poetry's reading of a bound is wider or narrower than
// PEP 440's by a local label, the wider one is taken.
package poetry

import (
	"strconv"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Constraint is one or more branches of which one must hold.
type Constraint struct{ Branches []Branch }

// Branch are clauses that must all hold.
type Branch struct {
	Clauses []Clause
	// Start and End are byte offsets in the text that was read.
	Start, End int
}

// Op is an operator as it is written.
type Op string

// The operators. Bare and Single mean the same as Equal.
const (
	Bare         Op = ""
	Single       Op = "="
	Equal        Op = "=="
	NotEqual     Op = "!="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	Caret        Op = "^"
	Tilde        Op = "~"
	Compatible   Op = "~="
)

// Clause is an operator with a version.
type Clause struct {
	Op Op
	// Text is the version as it is written, with ".*" where that is there.
	Text string
	// Version is what Text says, without ".*"; zero if Any.
	Version pep440.Version
	// Any says that the clause is "*" or "*.*" and admits every version.
	Any bool
	// Wildcard says that Text ends in ".*".
	Wildcard bool
	// Start and End are byte offsets in the text that was read: Start is the
	// operator's, End is behind the version.
	Start, End int
	// same are the clauses of PEP 440 that say the same.
	same []pep440.Clause
}

// SyntaxError says where a text is no constraint of Poetry.
type SyntaxError struct {
	// Offset is the byte in the text where reading ended.
	Offset int
	// Msg is one line and holds nothing of the text.
	Msg string
}

// Error gives the message and the offset.
func (e *SyntaxError) Error() string {
	return "not a constraint of Poetry at byte " + strconv.Itoa(e.Offset) + ": " + e.Msg
}

// Specifiers gives a branch in the clauses of PEP 440. Their offsets are those
// of the clauses that they come from. A branch "*" has none.
func (b Branch) Specifiers() pep440.Specifiers {
	var s pep440.Specifiers
	for _, c := range b.Clauses {
		s.Clauses = append(s.Clauses, c.same...)
	}
	return s
}

// Set returns every version that the constraint admits, pre-releases included.
func (c Constraint) Set() pep440.Set {
	return c.union(pep440.Specifiers.Set)
}

// Effective returns the stretches that an installer may pick from: one that
// holds pre-releases only counts if a clause of its branch names a
// pre-release, or if pre says that they are allowed.
func (c Constraint) Effective(pre bool) pep440.Set {
	return c.union(func(s pep440.Specifiers) pep440.Set { return s.Effective(pre) })
}

// EffectiveIn is Effective for the versions of within alone.
func (c Constraint) EffectiveIn(within pep440.Set, pre bool) pep440.Set {
	return c.union(func(s pep440.Specifiers) pep440.Set { return s.EffectiveIn(within, pre) })
}

func (c Constraint) union(of func(pep440.Specifiers) pep440.Set) pep440.Set {
	sets := make([]pep440.Set, len(c.Branches))
	for i, b := range c.Branches {
		sets[i] = of(b.Specifiers())
	}
	return pep440.UnionOf(sets...)
}

// NamesPre says whether a clause names a pre-release.
func (c Constraint) NamesPre() bool {
	for _, b := range c.Branches {
		if b.Specifiers().NamesPre() {
			return true
		}
	}
	return false
}
