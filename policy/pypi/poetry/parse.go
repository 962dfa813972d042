package poetry

import (
	"strings"
	"unicode"
)

// mostClauses is the most clauses of one constraint. No project needs so many;
// a text of ten megabytes must not take a gigabyte.
const mostClauses = 10_000

// Parse reads a constraint. The error is a *SyntaxError.
func Parse(text string) (Constraint, error) {
	p := parser{text: text}
	for at, more := 0, true; more; {
		var part string
		part, _, more = strings.Cut(text[at:], "|")
		if err := p.branch(at, at+len(part)); err != nil {
			return Constraint{}, err
		}
		at += len(part) + 1
		if more && strings.HasPrefix(text[at:], "|") {
			at++
		}
	}
	return p.out, nil
}

type parser struct {
	text    string
	out     Constraint
	clauses int
}

func fail(at int, msg string) error { return &SyntaxError{Offset: at, Msg: msg} }

// branch reads the clauses in text[start:end].
func (p *parser) branch(start, end int) error {
	start, end = p.trim(start, end)
	// Commas at the end are let through, for the sake of packages that have
	// them.
	rest := strings.TrimRight(p.text[start:end], ",")
	start, end = p.trim(start, start+len(rest))
	if start == end {
		return fail(start, "a version is missing")
	}
	b := Branch{Start: start, End: end}
	for at := start; at < end; {
		c, err := p.clause(at, end)
		if err != nil {
			return err
		}
		if p.clauses++; p.clauses > mostClauses {
			return fail(at, "more than 10,000 clauses")
		}
		b.Clauses = append(b.Clauses, c)
		if at = p.separator(c.End, end); at == end && c.End < end {
			return fail(end, "a version is missing behind a comma")
		}
	}
	p.out.Branches = append(p.out.Branches, b)
	return nil
}

// separator skips spaces with at most one comma among them.
func (p *parser) separator(at, end int) int {
	at = p.spaces(at, end)
	if at < end && p.text[at] == ',' {
		at = p.spaces(at+1, end)
	}
	return at
}

func (p *parser) spaces(at, end int) int {
	for at < end && p.text[at] == ' ' {
		at++
	}
	return at
}

// trim cuts white space at both ends.
func (p *parser) trim(start, end int) (int, int) {
	s := p.text[start:end]
	end = start + len(strings.TrimRightFunc(s, isSpace))
	return end - len(strings.TrimLeftFunc(p.text[start:end], isSpace)), end
}

// isSpace is Python's str.isspace for one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// clause reads one clause that begins at start: an operator, white space, and
// a version up to a space, a comma or the end.
func (p *parser) clause(start, end int) (Clause, error) {
	op := operator(p.text[start:end])
	at := start + len(op)
	if op != Bare {
		at = end - len(strings.TrimLeftFunc(p.text[at:end], isSpace))
	}
	n := strings.IndexAny(p.text[at:end], " ,")
	if n < 0 {
		n = end - at
	}
	c := Clause{Op: op, Text: p.text[at : at+n], Start: start, End: at + n}
	if n == 0 {
		return c, fail(at, "a version is missing")
	}
	if msg := c.read(); msg != "" {
		return c, fail(at, msg)
	}
	return c, nil
}

// operator gives the one at the start of s.
func operator(s string) Op {
	for _, op := range [...]Op{Compatible, Tilde, Caret, NotEqual, Equal, Single, GreaterEqual, Greater, LessEqual, Less} {
		if strings.HasPrefix(s, string(op)) {
			return op
		}
	}
	return Bare
}
