package pep508

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Parse reads one requirement, with blanks (spaces and tabs) around it. The
// error is a *SyntaxError.
func Parse(text string) (Requirement, error) {
	p := parser{text: text}
	if err := p.checkLength(); err != nil {
		return Requirement{}, err
	}
	var r Requirement
	if err := p.requirement(&r); err != nil {
		return Requirement{}, err
	}
	return r, nil
}

// parser is a position in a text. Its methods read on from there.
type parser struct {
	text string
	pos  int
}

func (p *parser) checkLength() error {
	if len(p.text) > MaxLength {
		return p.failf(MaxLength, "the text is longer than %d bytes: split it", MaxLength)
	}
	return nil
}

func (p *parser) failf(offset int, format string, args ...any) error {
	return &SyntaxError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) ended() bool { return p.pos == len(p.text) }

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.ended() {
		return 0
	}
	return p.text[p.pos]
}

// take reads the byte c if it is the next one.
func (p *parser) take(c byte) bool {
	if p.ended() || p.text[p.pos] != c {
		return false
	}
	p.pos++
	return true
}

func (p *parser) blanks() {
	for !p.ended() && isBlank(p.text[p.pos]) {
		p.pos++
	}
}

// run reads bytes as long as in takes them.
func (p *parser) run(in func(byte) bool) string {
	start := p.pos
	for !p.ended() && in(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

// found describes what stands at the position.
func (p *parser) found() string {
	if p.ended() {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) requirement(r *Requirement) error {
	p.blanks()
	if err := p.name(r); err != nil {
		return err
	}
	r.ExtrasSpan = Span{p.pos, p.pos}
	p.blanks()
	if p.peek() == '[' {
		if err := p.extras(r); err != nil {
			return err
		}
	}
	r.SpecSpan = Span{r.ExtrasSpan.End, r.ExtrasSpan.End}
	r.SpecInner = r.SpecSpan
	p.blanks()
	if err := p.versionOrURL(r); err != nil {
		return err
	}
	p.blanks()
	if !p.take(';') {
		return p.end(r)
	}
	return p.requirementMarker(r)
}

func (p *parser) name(r *Requirement) error {
	start := p.pos
	r.Name = p.run(isNameByte)
	switch {
	case r.Name == "":
		return p.failf(start, "a requirement starts with the name of a project: found %s", p.found())
	case !isAlphanumeric(r.Name[0]):
		return p.failf(start, "a name starts with a letter or a digit: found %q; options and paths belong into a requirements file", r.Name[0])
	case !isNameEnd(r.Name[len(r.Name)-1]):
		return p.failf(p.pos-1, "a name ends with a letter or a digit: take the %q away", p.text[p.pos-1])
	}
	r.NameSpan = Span{start, p.pos}
	return nil
}

// extras reads the list in brackets, which may be empty.
func (p *parser) extras(r *Requirement) error {
	start := p.pos
	p.pos++
	p.blanks()
	for first := true; !p.take(']'); first = false {
		if !first {
			if !p.take(',') {
				return p.failf(p.pos, "the list of extras goes on with a comma or ends with ]: found %s", p.found())
			}
			p.blanks()
		}
		extra := p.run(isNameByte)
		if extra == "" || !isAlphanumeric(extra[0]) || !isNameEnd(extra[len(extra)-1]) {
			return p.failf(p.pos-len(extra), "an extra is a name of letters, digits, ., - and _, with a letter or a digit at both ends: write it, or take the comma before it away")
		}
		r.Extras = append(r.Extras, extra)
		p.blanks()
	}
	r.ExtrasSpan = Span{start, p.pos}
	return nil
}

func (p *parser) versionOrURL(r *Requirement) error {
	switch c := p.peek(); {
	case c == '@':
		return p.url(r)
	case c == '(':
		return p.parenthesised(r)
	case isOperatorByte(c):
		return p.bare(r)
	}
	return nil
}

// url reads everything up to a blank: a semicolon without one before it is
// part of the URL.
func (p *parser) url(r *Requirement) error {
	p.pos++
	p.blanks()
	start := p.pos
	r.URL = p.run(func(c byte) bool { return !isBlank(c) })
	if r.URL == "" {
		return p.failf(start, "a URL or a path is missing after @: write it")
	}
	if i := strings.IndexFunc(r.URL, unicode.IsControl); i >= 0 {
		return p.failf(start+i, "the URL has a control character: take it away")
	}
	r.URLSpan = Span{start, p.pos}
	return nil
}

// parenthesised reads a specifier in parentheses, which may be empty.
func (p *parser) parenthesised(r *Requirement) error {
	start := p.pos
	p.pos++
	inner := p.run(isSpecifierByte)
	if !p.take(')') {
		return p.failf(start, "the ( before the versions has no matching ): close it")
	}
	r.SpecSpan = Span{start, p.pos}
	r.SpecInner = trim(p.text, Span{start + 1, start + 1 + len(inner)})
	return p.clauses(r)
}

func (p *parser) bare(r *Requirement) error {
	start := p.pos
	p.run(isSpecifierByte)
	r.SpecSpan = trim(p.text, Span{start, p.pos})
	r.SpecInner = r.SpecSpan
	return p.clauses(r)
}

// clauses reads the specifier's inner text. A comma at its end is no error,
// as in packaging.
func (p *parser) clauses(r *Requirement) error {
	inner := p.text[r.SpecInner.Start:r.SpecInner.End]
	if inner == "" {
		return nil
	}
	for at := 0; at < len(inner); {
		end := len(inner)
		if i := strings.IndexByte(inner[at:], ','); i >= 0 {
			end = at + i
		}
		clause := trim(inner, Span{at, end})
		if err := p.checkClause(inner[clause.Start:clause.End], r.SpecInner.Start+clause.Start); err != nil {
			return err
		}
		at = end + 1
	}
	var err error
	r.Specifiers, err = pep440.ParseSpecifiers(inner)
	if bad := (*pep440.SyntaxError)(nil); errors.As(err, &bad) {
		return p.failf(r.SpecInner.Start+bad.Offset, "invalid %s %q: %s", bad.What, clip(bad.Text), bad.Message)
	}
	return err
}

// checkClause refuses what a list of clauses may hold elsewhere, but not in a
// requirement: an empty clause, and white space other than blanks at the ends.
func (p *parser) checkClause(clause string, offset int) error {
	if clause == "" || !isOperatorByte(clause[0]) {
		return p.failf(offset, "a clause such as >=1.0 is missing here: write it, or take the comma away")
	}
	if i := strings.IndexByte(clause, '@'); i >= 0 {
		return p.failf(offset+i, "a requirement has versions or a URL, not both: take one away")
	}
	if last, _ := utf8.DecodeLastRuneInString(clause); isSpace(last) {
		return p.failf(offset+len(clause)-1, "white space in a requirement is spaces and tabs: take the rest away")
	}
	return nil
}

// end checks that the requirement without a marker is over.
func (p *parser) end(r *Requirement) error {
	switch {
	case p.ended():
		return nil
	case p.peek() == ')':
		return p.failf(p.pos, "this ) has no matching (: take it away")
	case r.URL != "":
		return p.failf(p.pos, "a URL has no blanks; write them as %%20, and a ; before a marker")
	case !r.SpecSpan.Empty():
		return p.failf(p.pos, "the requirement goes on with a ; and a marker, or ends: found %s", p.found())
	}
	return p.failf(p.pos, "after the name comes a specifier such as >=1.0, an @ with a URL, or a ; with a marker: found %s", p.found())
}

func (p *parser) requirementMarker(r *Requirement) error {
	p.blanks()
	start := p.pos
	var err error
	if r.Marker, err = p.wholeMarker(); err != nil {
		return err
	}
	r.MarkerSpan = trim(p.text, Span{start, p.pos})
	return nil
}

// trim takes blanks off both ends of a span.
func trim(text string, s Span) Span {
	for s.Start < s.End && isBlank(text[s.Start]) {
		s.Start++
	}
	for s.Start < s.End && isBlank(text[s.End-1]) {
		s.End--
	}
	return s
}
