package pep508

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// MaxDepth is how deep the parentheses of a marker may stand in each other;
// deeper is an error.
const MaxDepth = 100

// ParseMarker reads a marker alone, with blanks around it. The error is a
// *SyntaxError.
func ParseMarker(text string) (*Marker, error) {
	p := parser{text: text}
	if err := p.checkLength(); err != nil {
		return nil, err
	}
	return p.wholeMarker()
}

// wholeMarker reads a marker to the end of the text.
func (p *parser) wholeMarker() (*Marker, error) {
	m, err := p.marker(0)
	if err != nil {
		return nil, err
	}
	if !p.ended() {
		return nil, p.joinError()
	}
	return m, nil
}

// marker reads terms and what joins them, and the blanks after.
func (p *parser) marker(depth int) (*Marker, error) {
	m := &Marker{}
	for or := false; ; {
		t, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		t.or = or
		m.terms = append(m.terms, t)
		switch p.word() {
		case "and":
			or = false
		case "or":
			or = true
		default:
			return m.unwrapped(), nil
		}
	}
}

// unwrapped takes the parentheses off a group that is everything.
func (m *Marker) unwrapped() *Marker {
	if len(m.terms) == 1 && m.terms[0].group != nil {
		return m.terms[0].group
	}
	return m
}

// term reads a comparison or a group, with blanks around it.
func (p *parser) term(depth int) (term, error) {
	p.blanks()
	if p.peek() == '(' {
		return p.group(depth)
	}
	c, err := p.comparison()
	return term{comparison: c}, err
}

func (p *parser) group(depth int) (term, error) {
	start := p.pos
	if depth == MaxDepth {
		return term{}, p.failf(start, "more than %d parentheses stand in each other: take the needless ones away", MaxDepth)
	}
	p.pos++
	m, err := p.marker(depth + 1)
	switch {
	case err != nil:
		return term{}, err
	case p.ended():
		return term{}, p.failf(start, "this ( has no matching ): close it")
	case !p.take(')'):
		return term{}, p.joinError()
	}
	p.blanks()
	if len(m.terms) == 1 {
		return m.terms[0], nil
	}
	return term{group: m}, nil
}

// comparison reads two operands with an operator, and the blanks after.
func (p *parser) comparison() (comparison, error) {
	var c comparison
	var err error
	if c.left, err = p.operand(); err != nil {
		return c, err
	}
	if c.op, err = p.operator(); err != nil {
		return c, err
	}
	if c.right, err = p.operand(); err != nil {
		return c, err
	}
	return c.normal(), nil
}

// normal makes an extra's name a normal one (PEP 685).
func (c comparison) normal() comparison {
	switch {
	case c.right.literal && c.left == operand{text: extraVariable}:
		c.right.text = pep503.Normalize(c.right.text)
	case c.left.literal && c.right == operand{text: extraVariable}:
		c.left.text = pep503.Normalize(c.left.text)
	}
	return c
}

// operand reads a variable or a quoted text, with blanks around it.
func (p *parser) operand() (operand, error) {
	p.blanks()
	start := p.pos
	if c := p.peek(); c == '"' || c == '\'' {
		text, err := p.quoted(c)
		p.blanks()
		return operand{text: text, literal: true}, err
	}
	word := p.run(isWordByte)
	name, ok := variable(word)
	if !ok {
		return operand{}, p.operandError(start, word)
	}
	p.blanks()
	return operand{text: name}, nil
}

func (p *parser) quoted(quote byte) (string, error) {
	start := p.pos
	p.pos++
	text := p.run(func(c byte) bool { return c != quote })
	if !p.take(quote) {
		return "", p.failf(start, "the text in quotes has no end: close it with %c", quote)
	}
	if i := strings.IndexAny(text, "\\\n\r\x00"); i >= 0 {
		return "", p.failf(start+1+i, "a text in quotes has no backslash, line break or NUL (PEP 508): take it away")
	}
	return text, nil
}

// operator reads a comparison operator. The blanks after it are the operand's.
func (p *parser) operator() (string, error) {
	start := p.pos
	switch p.word() {
	case "in":
		return "in", nil
	case "not":
		p.blanks()
		if p.word() != "in" {
			return "", p.failf(start, `"not" is part of the operator "not in" only: write it, or turn the comparison round`)
		}
		return "not in", nil
	}
	switch op := p.run(isOperatorByte); op {
	case "===", "==", "~=", "!=", "<=", ">=", "<", ">":
		return op, nil
	default:
		return "", p.operatorError(start, op)
	}
}

// word reads one of the four words that are no operand; at anything else it
// returns "" and reads nothing.
func (p *parser) word() string {
	start := p.pos
	switch word := p.run(isWordByte); word {
	case "and", "or", "in", "not":
		return word
	}
	p.pos = start
	return ""
}
