package words

import "strings"

// psReader reads the text of PowerShell: as much of its grammar as tells
// commands, parameters, operators and calls of methods apart. Source:
// about_Parsing, about_Quoting_Rules and about_Operators of its documentation.
type psReader struct {
	lexer
	inv   *invocation
	depth int
	table int  // hash tables that are open: "=" ends a key there
	comma bool // one stands before the next token
}

// psCommand is one command of a pipeline, or an expression.
type psCommand struct {
	args   []rangeOf
	method bool        // args[0] is the name of a method
	called bool        // "&" stands before it: args[0] is a command, quoted or not
	calls  []psCommand // calls of methods in it
	out    sink
}

// maxGroups is how many brackets may lie inside of others.
const maxGroups = 32

// statements reads up to end, or to the end of the text for 0.
func (r *psReader) statements(end byte) {
	if r.depth++; r.depth > maxGroups {
		r.inv.a().scanLines(r.w.slice(r.at, len(r.w.s)))
		r.at = len(r.w.s)
	}
	for r.at < len(r.w.s) {
		var pipe []psCommand
		more := true
		for more && r.at < len(r.w.s) {
			c := psCommand{}
			r.tokens(&c, end, false)
			pipe = append(pipe, c)
			more = r.peek(0) == '|' && r.peek(1) != '|'
			if more {
				r.at++
			}
		}
		r.pipeline(pipe)
		c := r.peek(0)
		r.at = min(r.at+1, len(r.w.s))
		if c == end {
			break
		}
	}
	r.depth--
}

// tokens reads c's tokens, up to what ends it, or in a list up to end and
// behind it.
func (r *psReader) tokens(c *psCommand, end byte, list bool) {
	for r.at < len(r.w.s) {
		switch b := r.peek(0); {
		case b == end && end != 0:
			return
		case b == '&' && !list && len(c.args) == 0 && r.peek(1) != '&':
			c.called = true
			r.at++
		case strings.IndexByte(";|&\n", b) >= 0 && !list:
			return
		case b <= ' ' || strings.IndexByte(",;|&", b) >= 0:
			r.comma = r.comma || b == ','
			r.at++
		case b == '`':
			r.at = min(r.at+2, len(r.w.s))
		case b == '#' || b == '<' && r.peek(1) == '#':
			r.comment()
		case b == '>':
			r.redirect(c)
		default:
			r.token(c)
		}
	}
}

// token reads one token that starts here.
func (r *psReader) token(c *psCommand) {
	switch b, next := r.peek(0), r.peek(1); {
	case b == '@' && next == '{':
		r.at++
		r.table++
		r.group(c, '}')
		r.table--
	case b == '@' && next == '(':
		r.at++
		r.group(c, ')')
	case b == '$' && next == '(':
		r.at += 2
		r.statements(')')
	case b == '(' && r.commandInside():
		r.at++
		r.statements(')')
	case b == '(':
		r.group(c, ')')
	case b == '{':
		r.at++
		r.statements('}')
	case b == ')' || b == '}':
		r.at++
	case b == '=' && r.table > 0:
		r.add(c, rangeOf{from: r.at, to: r.at + 1})
		r.at++
	default:
		r.wordToken(c)
	}
}

// commandInside reports whether the parenthesis here holds a command, and no
// expression.
func (r *psReader) commandInside() bool {
	inside := strings.TrimLeft(r.w.s[r.at+1:], " \t\r\n&")
	return inside != "" && isLetter(inside[0])
}

// group reads the tokens between brackets as part of c.
func (r *psReader) group(c *psCommand, end byte) {
	r.at++
	if r.depth++; r.depth > maxGroups {
		r.inv.a().scanLines(r.w.slice(r.at, len(r.w.s)))
		r.at = len(r.w.s)
	}
	first := len(c.args)
	r.tokens(c, end, true)
	for i := first + 1; i < len(c.args); i++ {
		c.args[i].more = true
	}
	r.comma = false
	r.at = min(r.at+1, len(r.w.s))
	r.depth--
}

// add gives c one more token.
func (r *psReader) add(c *psCommand, t rangeOf) {
	t.more, r.comma = r.comma && len(c.args) > 0, false
	c.args = append(c.args, t)
}

// comment lists what a comment names: "#" up to the end of its line, "<#" up to
// "#>".
func (r *psReader) comment() {
	end := "\n"
	if r.peek(0) == '<' {
		end = "#>"
	}
	from := r.at
	if n := strings.Index(r.w.s[r.at:], end); n >= 0 {
		r.at += n + len(end) - 1
	} else {
		r.at = len(r.w.s)
	}
	r.inv.urlsIn(r.w, rangeOf{from: from, to: r.at}, printed("in a comment"))
	if end == "#>" {
		r.at = min(r.at+1, len(r.w.s))
	}
}

// redirect reads ">" or ">>" and the file behind it. A stream's number before it
// says that it is not the output.
func (r *psReader) redirect(c *psCommand) {
	for r.peek(0) == '>' || r.peek(0) == ' ' {
		r.at++
	}
	if r.peek(0) == '&' {
		r.at = min(r.at+2, len(r.w.s)) // &1
		return
	}
	var file psCommand
	if r.at < len(r.w.s) && strings.IndexByte(";|\n", r.peek(0)) < 0 {
		r.token(&file)
	}
	n := len(c.args)
	other := n > 0 && r.text(c.args[n-1]) == "2"
	if other {
		c.args = c.args[:n-1]
	} else if len(file.args) > 0 {
		c.out = winFile(r.text(file.args[0]))
	}
}

// wordToken reads a string, or a word up to what ends it. A parenthesis right
// behind a word makes it the name of a method.
func (r *psReader) wordToken(c *psCommand) {
	t := rangeOf{from: r.at}
	for r.at < len(r.w.s) {
		b := r.peek(0)
		if b == '\'' || b == '"' {
			whole := r.at == t.from
			r.quoted(b)
			if whole && r.ends() {
				r.add(c, rangeOf{from: t.from + 1, to: max(r.at-1, t.from+1), quoted: true})
				return
			}
			continue
		}
		if r.ends() || b == '=' && (r.w.s[t.from] == '$' || r.table > 0) && r.at > t.from {
			break
		}
		r.skip()
	}
	if t.to = r.at; t.to == t.from {
		r.at++ // nothing else may stop here
		t.to = r.at
	}
	if r.peek(0) == '(' && r.w.s[t.from] != '-' {
		call := psCommand{args: []rangeOf{t}, method: true}
		r.group(&call, ')')
		c.calls = append(c.calls, call)
		return
	}
	r.add(c, t)
	if r.peek(0) == '=' {
		r.add(c, rangeOf{from: r.at, to: r.at + 1})
		r.at++
	}
}

// ends reports whether a word ends here.
func (r *psReader) ends() bool {
	b := r.peek(0)
	return b <= ' ' || strings.IndexByte(";|&(){},>", b) >= 0
}

// skip moves behind one part of a word.
func (r *psReader) skip() {
	switch b, next := r.peek(0), r.peek(1); {
	case b == '`':
		r.at++
	case b == '$' && next == '{':
		r.until('}')
	case b == '$' && next == '(':
		r.at++
		r.parens()
	}
	r.at = min(r.at+1, len(r.w.s))
}

// until moves to the next b, or to the end.
func (r *psReader) until(b byte) {
	for r.at+1 < len(r.w.s) && r.peek(0) != b {
		r.at++
	}
}

// parens moves to the parenthesis that closes the one here.
func (r *psReader) parens() {
	for depth := 0; r.at+1 < len(r.w.s); r.at++ {
		switch r.peek(0) {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return
			}
		}
	}
}

// quoted moves behind the string that starts here. A quote in it is written
// twice; in double quotes "`" takes a byte's meaning away, and so does the
// backslash that cmd leaves, and $(…) may hold quotes of its own.
func (r *psReader) quoted(q byte) {
	for r.at++; r.at < len(r.w.s); r.at++ {
		switch b, next := r.peek(0), r.peek(1); {
		case b == q && next == q:
			r.at++
		case b == q:
			r.at++
			return
		case q == '"' && (b == '`' || b == '\\' && next == '"'):
			r.at++
		case q == '"' && b == '$' && next == '(':
			r.at++
			r.parens()
		}
	}
	r.at = len(r.w.s)
}
