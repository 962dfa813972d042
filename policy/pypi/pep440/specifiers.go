package pep440

import "strings"

// Op is an operator of PEP 440, as it is written.
type Op string

// The operators.
const (
	Compatible   Op = "~="
	Equal        Op = "=="
	NotEqual     Op = "!="
	LessEqual    Op = "<="
	GreaterEqual Op = ">="
	Less         Op = "<"
	Greater      Op = ">"
	Arbitrary    Op = "==="
)

// Clause is an operator and what follows it.
type Clause struct {
	Op Op
	// Text is the version as it is written, with ".*" where that is there.
	Text string
	// Version is what Text says, without ".*". It is zero where Op is
	// Arbitrary and Text is no version.
	Version Version
	// Wildcard says that Text ends in ".*".
	Wildcard bool
	// Start and End are byte offsets in the text that was read: Start is the
	// operator's, End is behind the version.
	Start, End int
}

// String returns the clause without white space.
func (c Clause) String() string { return string(c.Op) + c.Text }

// Specifiers are clauses that must all hold. The zero value has none and
// admits everything.
type Specifiers struct{ Clauses []Clause }

// maxClauses is the most clauses that are read: no project needs so many, and
// a line of ten megabytes must not take a gigabyte.
const maxClauses = 10_000

// ParseSpecifiers reads clauses with commas between them, 10,000 at most.
// White space around a clause, an operator and a version doesn't count, nor
// does a clause of nothing else. The error is a *SyntaxError.
func ParseSpecifiers(text string) (Specifiers, error) {
	var s Specifiers
	for at, more := 0, true; more; {
		var part string
		part, _, more = strings.Cut(text[at:], ",")
		start, end := trimSpace(part)
		if start < end {
			clause, err := parseClause(part[start:end])
			if err != nil {
				err.Offset += at + start
				return Specifiers{}, err
			}
			if len(s.Clauses) == maxClauses {
				return Specifiers{}, clauseError(text, at+start, "more than 10,000 clauses")
			}
			if s.Clauses == nil {
				s.Clauses = make([]Clause, 0, min(strings.Count(text, ",")+1, 4))
			}
			clause.Start, clause.End = at+start, at+end
			s.Clauses = append(s.Clauses, clause)
		}
		at += len(part) + 1
	}
	return s, nil
}

// parseClause reads one clause without white space around it.
func parseClause(text string) (Clause, *SyntaxError) {
	op := operator(text)
	if op == "" {
		return Clause{}, clauseError(text, 0, notOperator(text))
	}
	start, _ := trimSpace(text[len(op):])
	start += len(op)
	c := Clause{Op: op, Text: text[start:]}
	if op == Arbitrary {
		return c.arbitrary(text, start)
	}
	number := c.Text
	if strings.HasSuffix(number, ".*") {
		number, c.Wildcard = number[:len(number)-2], true
	}
	var err *SyntaxError
	if c.Version, err = parseExact(number); err != nil {
		if strings.ContainsAny(number[err.Offset:], "<>=~!") {
			err.Message = "a comma is missing between two clauses, or an operator is not one"
		}
		return Clause{}, clauseError(text, start+err.Offset, err.Message)
	}
	if message := c.misuse(); message != "" {
		return Clause{}, clauseError(text, start, message)
	}
	return c, nil
}

// arbitrary reads what follows ===: anything without white space, a semicolon
// or a closing parenthesis.
func (c Clause) arbitrary(text string, start int) (Clause, *SyntaxError) {
	if i := strings.IndexFunc(c.Text, func(r rune) bool { return r == ';' || r == ')' || isSpace(r) }); i >= 0 {
		return Clause{}, clauseError(text, start+i, "this can't be part of a version after ===")
	}
	if v, err := parseExact(c.Text); err == nil {
		c.Version = v
	}
	return c, nil
}

// misuse says what an operator can't take.
func (c Clause) misuse() string {
	equality := c.Op == Equal || c.Op == NotEqual
	switch {
	case c.Wildcard && !equality:
		return "a version with .* is for == and != only"
	case c.Wildcard && c.Version.shape != 0:
		return "only a release may end in .*, such as 1.2.*"
	case c.Version.shape&hasLocal != 0 && !equality:
		return "a local label (+…) is for == and != only"
	case c.Op == Compatible && c.Version.parts() < 2:
		return "~= needs two parts of a release at least, such as ~=1.0"
	}
	return ""
}

// operator returns the operator at the start of text, "" if there is none.
func operator(text string) Op {
	for _, op := range [...]Op{Arbitrary, Compatible, Equal, NotEqual, LessEqual, GreaterEqual, Less, Greater} {
		if strings.HasPrefix(text, string(op)) {
			return op
		}
	}
	return ""
}

// notOperator says why no operator is at the start of text.
func notOperator(text string) string {
	if text[0] == '=' || text[0] == '~' || text[0] == '^' || text[0] == '!' {
		return "this is no operator of PEP 440; they are ~= == != <= >= < > ==="
	}
	return "an operator is missing: ~= == != <= >= < > or ==="
}

func clauseError(text string, offset int, message string) *SyntaxError {
	return &SyntaxError{What: "specifier", Text: text, Offset: offset, Message: message}
}

// String returns the clauses as they were written, in their order, without
// white space.
func (s Specifiers) String() string {
	var b strings.Builder
	for i, c := range s.Clauses {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(c.Op))
		b.WriteString(c.Text)
	}
	return b.String()
}

// And returns the clauses of both. Their offsets stay as they are.
func (s Specifiers) And(o Specifiers) Specifiers {
	clauses := make([]Clause, 0, len(s.Clauses)+len(o.Clauses))
	return Specifiers{Clauses: append(append(clauses, s.Clauses...), o.Clauses...)}
}

// NamesPre says whether a clause names a pre-release. != names none, for it
// asks for no version.
func (s Specifiers) NamesPre() bool {
	for _, c := range s.Clauses {
		if c.namesPre() {
			return true
		}
	}
	return false
}

func (c Clause) namesPre() bool { return c.Op != NotEqual && c.Version.IsPre() }
