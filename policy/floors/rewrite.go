package floors

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// writer writes specifiers anew, with no more changes than it takes.
type writer struct {
	text   string
	syntax manifest.Syntax
	// pins lets it move what is pinned; nextMajor adds an upper bound where
	// there is none.
	pins, nextMajor bool
}

// part is a piece of the new text: a term, or what takes its place.
type part struct {
	text string
	// term is the index of the term that stands here; -1 for what is new.
	term int
}

// refusal says why a specifier is not written anew: the floor lies above what
// term admits. term is nil if there is no floor.
type refusal struct {
	why  string
	term *term
}

// raise writes a branch so that it admits nothing below a floor, and leaves the
// versions of the holes out:
//
//   - the first lower bound that the floor makes idle is raised, the others go,
//     and so do "!=" for versions below;
//   - upper bounds and other "!=" stay as they are;
//   - a family (==1.*, ~=1.2, ^1.2) that holds the floor becomes a bound and its
//     own upper end, or the same family from the floor on;
//   - a pin below is moved only if that is asked for;
//   - with no lower bound, one is put in front.
func (w writer) raise(b branch, floor osv.Bound, holes []pep440.Clause) (string, *refusal) {
	var parts []part
	from := written(floor)
	placed := floor.IsZero()
	for _, t := range b.terms {
		if t.set.Disjoint(from) && (t.kind != pin || !w.pins) {
			return "", w.refuse(t, floor)
		}
		placed = placed || (t.kind == lower || t.kind == family || t.kind == pin) && t.set.Subset(from)
	}
	for i, t := range b.terms {
		text := w.text[t.start:t.end]
		switch {
		case floor.IsZero(), t.set.Subset(from), t.kind == upper:
		case t.kind == pin:
			text, placed = t.op+t.space+floor.Version.String(), true
		case t.kind == family:
			text, placed = w.family(t, floor), true
		case !from.Subset(t.set): // a hole above the floor
		case placed || t.kind == hole:
			continue
		default:
			text, placed = string(floor.Op)+t.space+floor.Version.String(), true
		}
		parts = append(parts, part{text, i})
	}
	if !placed {
		parts = append([]part{{string(floor.Op) + w.space(b) + floor.Version.String(), -1}}, parts...)
	}
	for _, h := range holes {
		parts = append(parts, part{string(h.Op) + w.space(b) + h.Text, -1})
	}
	return w.join(b, w.capped(b, parts, floor)), nil
}

// refuse says why a term and a floor do not go together.
func (w writer) refuse(t term, floor osv.Bound) *refusal {
	if t.kind == pin {
		return &refusal{"a pin is a choice: --pins moves it", &t}
	}
	return &refusal{fmt.Sprintf("the floor %s lies above %s: change both ends", floorText(floor), w.text[t.start:t.end]), &t}
}

// written is what a bound admits once it stands in a specifier.
func written(b osv.Bound) pep440.Set {
	if b.IsZero() {
		return pep440.All()
	}
	return pep440.Clause{Op: b.Op, Text: b.Version.String(), Version: b.Version}.Set()
}

// space is what stands between operators and versions here.
func (w writer) space(b branch) string {
	if len(b.terms) == 0 {
		return ""
	}
	return b.terms[0].space
}

// family writes a family from a floor on that lies in it. Poetry's short forms
// are kept where they mean just that.
func (w writer) family(t term, floor osv.Bound) string {
	rest := t.set.Intersect(written(floor))
	if w.syntax == manifest.PoetryConstraint && floor.Op == pep440.GreaterEqual && (t.op == "^" || t.op == "~") {
		short := t.op + t.space + floor.Version.String()
		if branches, err := readPoetry(short); err == nil && branches[0].specs.Set().Equal(rest) {
			return short
		}
	}
	text := string(floor.Op) + t.space + floor.Version.String()
	bands := rest.Intervals()
	if top := bands[len(bands)-1].Upper; !top.Unbounded() {
		text += ",<" + t.space + top.Version.Base().String()
	}
	return text
}

// capped adds the upper bound that the policy wants, where there is none.
func (w writer) capped(b branch, parts []part, floor osv.Bound) []part {
	if !w.nextMajor || floor.IsZero() {
		return parts
	}
	bands := b.specs.Set().Intervals()
	if len(bands) == 0 || !bands[len(bands)-1].Upper.Unbounded() {
		return parts
	}
	return append(parts, part{"<" + w.space(b) + floor.Version.Bump(1).String(), -1})
}

// join puts the parts together with what stood between them.
func (w writer) join(b branch, parts []part) string {
	var out strings.Builder
	if len(b.terms) > 0 {
		out.WriteString(w.text[b.start:b.terms[0].start])
	}
	for i, p := range parts {
		if i > 0 {
			out.WriteString(w.between(b, p.term))
		}
		out.WriteString(p.text)
	}
	if n := len(b.terms); n > 0 {
		out.WriteString(w.text[b.terms[n-1].end:b.end])
	}
	return out.String()
}

// between is what stands in front of a term, and in front of a new one what
// stands between the first two.
func (w writer) between(b branch, i int) string {
	if i <= 0 {
		i = 1
	}
	if i >= len(b.terms) {
		return ","
	}
	return w.text[b.terms[i-1].end:b.terms[i].start]
}
