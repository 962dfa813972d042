package floors

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/poetry"
)

// kind says what a term of a specifier does.
type kind int

const (
	lower  kind = iota // >= and >
	upper              // <= and <
	hole               // !=
	family             // ==1.2.*, ~=1.2, ^1.2, ~1.2
	pin                // ==1.2, ===1.2, 1.2
	star               // * alone
)

// term is a clause of a specifier, in whichever syntax.
type term struct {
	kind kind
	// start and end are byte offsets in the specifier.
	start, end int
	// op is the operator as it is written, and space what stands between it and
	// the version.
	op, space string
	set       pep440.Set
}

// branch is terms that must all hold.
type branch struct {
	terms []term
	// start and end are byte offsets in the specifier.
	start, end int
	specs      pep440.Specifiers
}

// read splits a specifier into branches, of which one must hold.
func read(text string, syntax manifest.Syntax) ([]branch, error) {
	switch {
	case syntax == manifest.PoetryConstraint && text != "":
		return readPoetry(text)
	case syntax == manifest.BareVersion:
		return readVersion(text)
	case text == "*":
		return []branch{{terms: []term{{kind: star, end: 1, set: pep440.All()}}, end: 1}}, nil
	}
	s, err := pep440.ParseSpecifiers(text)
	if err != nil {
		return nil, err
	}
	b := branch{end: len(text), specs: s}
	for _, c := range s.Clauses {
		t := term{start: c.Start, end: c.End, op: string(c.Op), kind: kindOf(c.Op, c.Wildcard), set: c.Set()}
		t.space = gap(text, t)
		b.terms = append(b.terms, t)
	}
	return []branch{b}, nil
}

// gap is the white space behind a term's operator.
func gap(text string, t term) string {
	rest := text[t.start+len(t.op) : t.end]
	return rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
}

func kindOf(op pep440.Op, wildcard bool) kind {
	switch op {
	case pep440.GreaterEqual, pep440.Greater:
		return lower
	case pep440.LessEqual, pep440.Less:
		return upper
	case pep440.NotEqual:
		return hole
	case pep440.Compatible:
		return family
	}
	if wildcard {
		return family
	}
	return pin
}

func readVersion(text string) ([]branch, error) {
	v, err := pep440.Parse(text)
	if err != nil {
		return nil, err
	}
	s, err := pep440.ParseSpecifiers("==" + v.String())
	if err != nil {
		return nil, err
	}
	return []branch{{terms: []term{{kind: pin, end: len(text), set: s.Set()}}, end: len(text), specs: s}}, nil
}

func readPoetry(text string) ([]branch, error) {
	c, err := poetry.Parse(text)
	if err != nil {
		return nil, err
	}
	var all []branch
	for _, from := range c.Branches {
		b := branch{start: from.Start, end: from.End, specs: from.Specifiers()}
		for _, clause := range from.Clauses {
			t := term{start: clause.Start, end: clause.End, op: string(clause.Op), kind: poetryKind(clause), set: pep440.All()}
			for _, same := range b.specs.Clauses {
				if same.Start == clause.Start {
					t.set = t.set.Intersect(same.Set())
				}
			}
			t.space = gap(text, t)
			b.terms = append(b.terms, t)
		}
		all = append(all, b)
	}
	return all, nil
}

func poetryKind(c poetry.Clause) kind {
	switch {
	case c.Any:
		return star
	case c.Op == poetry.Caret || c.Op == poetry.Tilde || c.Op == poetry.Compatible:
		return family
	case c.Op == poetry.Bare || c.Op == poetry.Single:
		return kindOf(pep440.Equal, c.Wildcard)
	}
	return kindOf(pep440.Op(c.Op), c.Wildcard)
}
