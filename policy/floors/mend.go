package floors

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// editable is the text of a requirement and where it stands.
type editable struct {
	text string
	// from and to bound the specifier in text.
	from, to int
	// whole says that all of the text is written anew, in quotes.
	whole bool
	// start and end are the bytes of the file that are replaced: those of the
	// specifier, or of the whole.
	start, end int
	branches   []branch
}

// spec is the specifier.
func (e editable) spec() string { return e.text[e.from:e.to] }

// with is the requirement with another specifier.
func (e editable) with(spec string) string { return e.text[:e.from] + spec + e.text[e.to:] }

// mend says how a requirement is made to admit only what is safe.
func (c *checker) mend(i int, h held, o *outcome, p *Proof) *Fix {
	q := &c.all[i]
	switch {
	case p.Malicious:
		return &Fix{Why: "no version mends it: remove the package, and replace every secret that it could read"}
	case p.NoFix:
		return c.noFix(q, o)
	case q.Scope == manifest.Locks:
		return &Fix{Why: "a lock is written by its tool", Command: lockCommand(q, p.Needed)}
	case q.Hashed:
		return &Fix{Why: q.Fixed, Command: compileCommand(q, p.Needed)}
	}
	m := mender{checker: c, i: i, q: q, held: h, needed: plainBound(p.Needed, q)}
	e, why := editableOf(q)
	if why != "" {
		m.editable = editable{text: q.Written, from: len(q.Written), to: len(q.Written)}
		return &Fix{Why: why, Suggest: m.suggest(nil)}
	}
	m.editable = e
	return m.fix(o)
}

// noFix is what is left where no version has a fix.
func (c *checker) noFix(q *manifest.Requirement, o *outcome) *Fix {
	const rest = "replace the dependency, or record an exception with a reason and an end"
	bands := o.both.Affected.Intervals()
	last := bands[len(bands)-1].Lower
	if !o.both.Safe || last.Unbounded() {
		return &Fix{Why: "no version has a fix: " + rest}
	}
	f := &Fix{Why: "no version above has a fix: stay below the affected ones, " + rest}
	if e, why := editableOf(q); why == "" && len(e.branches) == 1 && last.Edge == pep440.Before {
		below := "<" + last.Version.String()
		if spec := e.spec(); spec != "" && spec != "*" {
			below = spec + "," + below
		}
		f.Suggest = e.with(below)
	}
	return f
}

// plainBound is a bound without a pre-release where none is asked for: no final
// release lies between 2.0rc1 and 2.0, and to name a pre-release would let all
// of them in.
func plainBound(b osv.Bound, q *manifest.Requirement) osv.Bound {
	if !b.Version.IsPre() || q.Pre || slices.ContainsFunc(q.Admits, pep440.Specifiers.NamesPre) {
		return b
	}
	text := b.Version.Base().String()
	if post := b.Version.Post(); post != "" {
		if letters, _ := b.Version.Pre(); letters == "" {
			text += ".post" + post // a development release of a post-release
		}
	}
	v, err := pep440.Parse(text)
	if err != nil {
		return b
	}
	return osv.Bound{Op: pep440.GreaterEqual, Version: v}
}

// editableOf returns the text of a requirement and where it stands; why says
// what keeps it from being edited.
func editableOf(q *manifest.Requirement) (e editable, why string) {
	const lost = "its text is not found in the file as its tool reads it"
	n := q.Spec.End.Offset - q.Spec.Start.Offset
	switch {
	case q.Fixed != "":
		return e, q.Fixed
	case q.Spec.Start.Offset < 0 || n < 0 || n > len(q.Text):
		return e, lost
	}
	e = editable{text: q.Text, from: len(q.Text) - n, to: len(q.Text), start: q.Spec.Start.Offset, end: q.Spec.End.Offset}
	if p, err := pep508.Parse(q.Text); err == nil && q.Syntax == manifest.Specifiers && p.SpecInner.End-p.SpecInner.Start == n {
		e.from, e.to = p.SpecInner.Start, p.SpecInner.End
	}
	if kind, _ := manifest.KindOf(q.File); kind == manifest.DockerfileKind && q.Quote == "" {
		if e, why = quoted(e, q); why != "" {
			return e, why
		}
	}
	var err error
	if e.branches, err = read(e.spec(), q.Syntax); err != nil {
		return e, lost
	}
	return e, ""
}

// quoted is a word of a shell that has no quotes: a specifier needs them. What
// the shell took for a redirection is a part of it again.
func quoted(e editable, q *manifest.Requirement) (_ editable, why string) {
	e.whole, e.start, e.end = true, q.Span.Start.Offset, q.Span.End.Offset
	if e.end-e.start != len(q.Text) {
		return e, "its text is put together from several parts"
	}
	if q.Lost.Text == "" {
		return e, ""
	}
	p, err := pep508.Parse(q.Text + q.Lost.Text)
	if q.Lost.Span.Start.Offset != e.end || err != nil {
		return e, "put the whole requirement in quotes"
	}
	e.text, e.from, e.to, e.end = q.Text+q.Lost.Text, p.SpecInner.Start, p.SpecInner.End, q.Lost.Span.End.Offset
	return e, ""
}

// mender mends one requirement.
type mender struct {
	*checker
	editable
	i      int
	q      *manifest.Requirement
	held   held
	needed osv.Bound
}

// fix tries what there is, the best first.
func (m *mender) fix(o *outcome) *Fix {
	raised, refused := m.raised()
	cut := m.cut(o)
	best, other := raised, cut
	if cut != "" && (m.in.Holes || raised == "") {
		best, other = cut, raised
	}
	if best == "" {
		f := &Fix{Suggest: m.suggest(refused), Why: m.blocked()}
		if refused != nil {
			f.Why = refused.why
		}
		return f
	}
	f := &Fix{Text: m.with(best), Edits: []policy.Edit{{Start: m.start, End: m.end, New: best}}}
	f.admits, _ = m.reread(best)
	if m.whole {
		f.Edits[0].New = `"` + f.Text + `"`
	}
	if other != "" && other != best {
		f.Other = m.with(other)
	}
	return f
}

// blocked says what keeps a raised bound from being enough.
func (m *mender) blocked() string {
	from := written(m.needed)
	for _, set := range m.q.Sets {
		for _, j := range m.bound[member{set, m.q.Name}] {
			other := &m.all[j]
			if other != m.q && len(other.Admits) > 0 && holdsWith(m.q, other) && asDeclared(other.Admits).Set().Disjoint(from) {
				return shortText(other) + " (" + at(other.File, other.Span) + ") binds it below the floor: change that first"
			}
		}
	}
	return "no edit leaves anything to install and keeps the rest as it is"
}

func (m *mender) writer() writer {
	return writer{text: m.spec(), syntax: m.q.Syntax, pins: m.in.Pins, nextMajor: m.config.Cap.NextMajor}
}

// raised is the specifier with its bounds raised, "" if that mends nothing. The
// upper bound that the policy wants is left out if nothing would be left.
func (m *mender) raised() (string, *refusal) {
	w := m.writer()
	text, refused := m.raise(w)
	if proved := m.proved(text); proved != "" || !w.nextMajor {
		return proved, refused
	}
	w.nextMajor = false
	text, refused = m.raise(w)
	return m.proved(text), refused
}

func (m *mender) raise(w writer) (string, *refusal) {
	if len(m.branches) == 1 {
		return m.raiseOne(w, m.branches[0])
	}
	return m.raiseEach(w)
}

// raiseOne raises one branch, unless it was the shell alone that was in the way.
func (m *mender) raiseOne(w writer, b branch) (string, *refusal) {
	if m.q.Lost.Text != "" && m.proved(m.spec()) != "" {
		return m.spec(), nil
	}
	return w.raise(b, m.needed, nil)
}

// raiseEach raises each branch by what it needs itself. One in which nothing is
// safe goes, if others are left.
func (m *mender) raiseEach(w writer) (string, *refusal) {
	var out strings.Builder
	var last *refusal
	done, kept := 0, 0
	for i, b := range m.branches {
		text, refused := m.raiseBranch(w, b)
		if refused != nil {
			last = refused
			continue
		}
		if kept > 0 {
			out.WriteString(m.spec()[m.branches[max(i, 1)-1].end:b.start])
		}
		out.WriteString(text)
		kept, done = kept+1, i
	}
	if kept == 0 {
		return "", last
	}
	if done == len(m.branches)-1 {
		out.WriteString(m.spec()[m.branches[done].end:])
	}
	return out.String(), nil
}

func (m *mender) raiseBranch(w writer, b branch) (string, *refusal) {
	o := evaluate(b.specs, m.q.Pre, m.held)
	if o.holds() {
		return m.spec()[b.start:b.end], nil
	}
	floor := o.needed()
	if floor.IsZero() {
		return "", &refusal{why: "a part of it has no fix"}
	}
	return w.raise(b, plainBound(floor, m.q), nil)
}

// cut is the specifier with the affected versions left out, "" if there is no
// such form.
func (m *mender) cut(o *outcome) string {
	c := o.both.Cut
	if c == nil || len(m.branches) != 1 {
		return ""
	}
	floor := plainBound(c.Floor, m.q)
	var holes []pep440.Clause
	for _, h := range c.Holes {
		if !written(floor).Subset(h.Set()) {
			holes = append(holes, h)
		}
	}
	text, refused := m.writer().raise(m.branches[0], floor, holes)
	if refused != nil {
		return ""
	}
	return m.proved(text)
}

// proved returns a specifier if, read again, it is the same requirement, admits
// nothing that was not admitted, something at all, and nothing that is affected;
// else "".
func (m *mender) proved(spec string) string {
	if spec == "" {
		return ""
	}
	admits, ok := m.reread(spec)
	if !ok || !m.in.Pins && !narrower(admits, m.q.Admits, m.q.Pre) {
		return ""
	}
	for _, d := range m.declaredAs(m.q, admits) {
		if o := evaluate(d.Declared, d.pre, m.held); !o.holds() || d.EffectiveIn(pep440.All(), d.pre).Empty() {
			return ""
		}
	}
	return spec
}

// reread reads the requirement with another specifier as its tool would.
func (m *mender) reread(spec string) (admits []pep440.Specifiers, ok bool) {
	branches, err := read(spec, m.q.Syntax)
	if err != nil {
		return nil, false
	}
	for _, b := range branches {
		admits = append(admits, b.specs)
	}
	old, err := pep508.Parse(m.text)
	if err != nil || m.q.Syntax != manifest.Specifiers {
		return admits, true // a table's value, which is the specifier alone
	}
	p, err := pep508.Parse(m.with(spec))
	same := err == nil && p.Name == old.Name && slices.Equal(p.Extras, old.Extras) &&
		p.Marker.String() == old.Marker.String() && p.Specifiers.Set().Equal(admits[0].Set())
	return admits, same
}

// narrower reports whether a admits nothing that b does not, and lets an
// installer pick nothing new.
func narrower(a, b []pep440.Specifiers, pre bool) bool {
	x, y := asDeclared(a), asDeclared(b)
	return x.Set().Subset(y.Set()) && x.EffectiveIn(pep440.All(), pre).Subset(y.EffectiveIn(pep440.All(), pre))
}

// suggest is the requirement as a person could write it, "" if that is not
// known.
func (m *mender) suggest(refused *refusal) string {
	if m.needed.IsZero() || m.text == "" {
		return ""
	}
	v, spec := m.needed.Version, m.needed.String()
	if refused != nil && refused.term != nil {
		t := refused.term
		switch {
		case (t.kind == pin || t.op == "^") && m.needed.Op == pep440.GreaterEqual:
			spec = t.op + t.space + v.String()
		case t.kind != pin:
			spec += ",<" + v.Bump(1).String()
		}
	}
	return m.with(spec)
}
