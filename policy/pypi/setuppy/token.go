package setuppy

import "strings"

// kind is a kind of token.
type kind uint8

const (
	name kind = iota
	number
	str
	op
	newline
)

// token is a word of Python.
type token struct {
	kind kind
	// first says that a statement at the left margin begins here.
	first bool
	// start and end are bytes of the file; line counts from 1.
	start, end, line int32
	// pair is the other bracket of a bracket; parent is the innermost open
	// bracket around the token, -1 at the top.
	pair, parent int32
}

// tokenizer is the state between tokens.
type tokenizer struct {
	src  string
	at   int
	line int
	out  []token
	open []int32
	// fresh says that the next token begins a statement, margin that its line
	// is not indented.
	fresh, margin bool
}

// tokenize cuts a file into tokens. Newlines within brackets and comments are
// left out.
func tokenize(src string) ([]token, error) {
	t := tokenizer{src: src, line: 1, fresh: true, margin: true}
	if strings.HasPrefix(src, "\ufeff") {
		t.at = len("\ufeff")
	}
	for t.at < len(src) {
		if msg := t.next(); msg != "" {
			return nil, &Error{t.line, msg}
		}
	}
	if len(t.open) > 0 {
		return nil, &Error{int(t.out[t.open[len(t.open)-1]].line), "the bracket is never closed"}
	}
	t.add(newline, t.at)
	return t.out, nil
}

// next takes in one token, or space between two.
func (t *tokenizer) next() string {
	switch c := t.src[t.at]; {
	case c == ' ' || c == '\t' || c == '\f':
		if c != '\f' && (t.at == 0 || t.src[t.at-1] == '\n' || t.src[t.at-1] == '\r') {
			t.margin = false
		}
		t.at++
	case c == '\n' || c == '\r':
		t.endLine()
	case c == '#':
		n := strings.IndexAny(t.src[t.at:], "\r\n")
		if n < 0 {
			n = len(t.src) - t.at
		}
		t.at += n
	case c == '\\':
		return t.continued()
	case c == '"' || c == '\'':
		return t.quoted(t.at)
	case isDigit(c) || c == '.' && t.at+1 < len(t.src) && isDigit(t.src[t.at+1]):
		t.add(number, t.run(func(c byte) bool { return isWord(c) || c == '.' }))
	case isWord(c):
		return t.word()
	default:
		return t.operator(c)
	}
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWord takes every byte that is not ASCII for a letter.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c >= 0x80
}

// run gives the end of the bytes that are ok.
func (t *tokenizer) run(ok func(byte) bool) int {
	end := t.at
	for end < len(t.src) && ok(t.src[end]) {
		end++
	}
	return end
}

// add appends a token that goes up to end.
func (t *tokenizer) add(k kind, end int) {
	tok := token{kind: k, start: int32(t.at), end: int32(end), line: int32(t.line), pair: -1, parent: -1}
	if len(t.open) > 0 {
		tok.parent = t.open[len(t.open)-1]
	}
	tok.first = t.fresh && t.margin
	t.fresh = false
	t.out = append(t.out, tok)
	t.at = end
}

// endLine ends a line, and the statement if no bracket is open.
func (t *tokenizer) endLine() {
	n := 1
	if strings.HasPrefix(t.src[t.at:], "\r\n") {
		n = 2
	}
	if len(t.open) == 0 {
		if len(t.out) > 0 && t.out[len(t.out)-1].kind != newline {
			t.add(newline, t.at)
		}
		t.fresh = true
	}
	t.at += n
	t.line++
	t.margin = true
}

// continued takes a backslash at the end of a line.
func (t *tokenizer) continued() string {
	rest := t.src[t.at+1:]
	if rest != "" && rest[0] != '\n' && rest[0] != '\r' {
		return "a backslash stands in the middle of a line"
	}
	t.at++
	if strings.HasPrefix(rest, "\r\n") {
		t.at++
	}
	if rest != "" {
		t.at++
		t.line++
	}
	return ""
}

// word takes a name, or a string that begins with letters.
func (t *tokenizer) word() string {
	end := t.run(isWord)
	if end < len(t.src) && (t.src[end] == '"' || t.src[end] == '\'') && isPrefix(t.src[t.at:end]) {
		return t.quoted(end)
	}
	t.add(name, end)
	return ""
}

// quoted takes a string whose opening quote is at quote.
func (t *tokenizer) quoted(quote int) string {
	end := stringEnd(t.src, t.at, quote, 0)
	if end < 0 {
		return "a string is never closed"
	}
	lines := lineCount(t.src[t.at:end])
	t.add(str, end)
	t.line += lines
	return ""
}

// lineCount counts line ends: \n, \r\n, \r.
func lineCount(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// operator takes an operator or a bracket.
func (t *tokenizer) operator(c byte) string {
	switch c {
	case '(', '[', '{':
		t.add(op, t.at+1)
		t.open = append(t.open, int32(len(t.out)-1))
		return ""
	case ')', ']', '}':
		return t.closing(c)
	}
	for _, long := range [...]string{"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="} {
		if strings.HasPrefix(t.src[t.at:], long) {
			t.add(op, t.at+len(long))
			return ""
		}
	}
	if !strings.ContainsRune("+-*/%@&|^~<>=.,:;", rune(c)) {
		return "a character that Python has no use for here"
	}
	t.add(op, t.at+1)
	if c == ';' && len(t.open) == 0 {
		t.fresh = true
	}
	return ""
}

func (t *tokenizer) closing(c byte) string {
	if len(t.open) == 0 {
		return "a bracket is closed that is not open"
	}
	i := t.open[len(t.open)-1]
	if pair := t.src[t.out[i].start]; pair == '(' && c != ')' || pair == '[' && c != ']' || pair == '{' && c != '}' {
		return "a bracket is closed by one of another kind"
	}
	t.open = t.open[:len(t.open)-1]
	t.add(op, t.at+1)
	last := int32(len(t.out) - 1)
	t.out[i].pair, t.out[last].pair = last, i
	return ""
}
