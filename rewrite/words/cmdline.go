package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// cmdReader reads the text of cmd: commands set apart by "&", "|" and newlines,
// with "" for quotes and "^" to take a byte's meaning away.
type cmdReader struct {
	lexer
	inv   *invocation
	depth int // of blocks in parentheses
}

func (r *cmdReader) read() {
	for r.at < len(r.w.s) {
		tokens, out := r.command()
		r.run(tokens, out)
	}
}

// command reads the tokens of one command, and where its output goes.
func (r *cmdReader) command() (tokens []rangeOf, out sink) {
	for r.at < len(r.w.s) {
		switch c := r.peek(0); {
		case c == '&' || c == '|' || c == '\n':
			r.at++
			return tokens, out
		case c == '(' && r.opens(tokens):
			r.depth++
			r.at++
			return tokens, out
		case c == ')' && r.depth > 0:
			r.depth--
			r.at++
			return tokens, out
		case c <= ' ':
			r.at++
		case c == '>':
			stream := len(tokens) > 0 && tokens[len(tokens)-1].to == r.at && r.text(tokens[len(tokens)-1]) == "2"
			if stream {
				tokens = tokens[:len(tokens)-1]
			}
			if name, ok := r.target(); ok && !stream {
				out = winFile(name)
			}
		default:
			tokens = append(tokens, r.token())
		}
	}
	return tokens, out
}

// opens reports whether a parenthesis behind these tokens starts a block.
func (r *cmdReader) opens(tokens []rangeOf) bool {
	if len(tokens) == 0 {
		return true
	}
	switch first, last := r.text(tokens[0]), r.text(tokens[len(tokens)-1]); strings.ToLower(first) {
	case "if", "else":
		return true
	case "for":
		return strings.EqualFold(last, "do")
	}
	return false
}

// target reads the file behind ">" or ">>".
func (r *cmdReader) target() (name string, ok bool) {
	for r.peek(0) == '>' || r.peek(0) == ' ' {
		r.at++
	}
	if c := r.peek(0); c == 0 || c == '&' {
		r.at = min(r.at+2, len(r.w.s)) // &1
		return "", false
	}
	return r.text(r.token()), true
}

// token reads up to a blank or what ends a command, outside of quotes.
func (r *cmdReader) token() rangeOf {
	t := rangeOf{from: r.at}
	quoted := false
	for ; r.at < len(r.w.s); r.at++ {
		c := r.peek(0)
		if c == '"' && (r.at == t.from || r.w.s[r.at-1] != '\\') {
			quoted = !quoted
			continue
		}
		if c == '\n' || !quoted && (c <= ' ' || strings.IndexByte("&|>", c) >= 0 || c == ')' && r.depth > 0) {
			break
		}
		if c == '^' && !quoted {
			r.at++
		}
	}
	r.at = min(r.at, len(r.w.s))
	t.to = r.at
	if s := r.text(t); len(s) > 1 && s[0] == '"' && strings.IndexByte(s[1:], '"') == len(s)-2 {
		return rangeOf{from: t.from + 1, to: t.to - 1, quoted: true}
	}
	if t.to == t.from {
		r.at++ // nothing else may stop here
		t.to = min(r.at, len(r.w.s))
	}
	return t
}

// run looks at one command.
func (r *cmdReader) run(tokens []rangeOf, out sink) {
	tokens = r.unwrap(tokens)
	if len(tokens) == 0 {
		return
	}
	written := r.text(tokens[0])
	name := winProgram(written)
	args := tokens[1:]
	switch {
	case name == "rem" || strings.HasPrefix(written, ":"):
		r.all(args, use{role: route.Print, reason: "in a comment"})
	case name == "echo" || strings.HasPrefix(written, "echo."):
		r.all(tokens, out.use())
	case name == "title" || name == "prompt":
		r.all(args, sink{}.use())
	case name == "set" && len(args) > 0:
		r.assign(args)
	case name == "setx" && len(args) > 1:
		r.inv.assigned(r.w, r.text(args[0]), args[1])
	case name == "findstr" || name == "find":
		r.all(args, matchUse("pattern of "+name))
	case winServer[name]:
		r.all(args, serverUse(name))
	default:
		if !r.inv.native(name, r.words(tokens), out) {
			r.all(tokens, wordUse("argument of "+name))
		}
	}
}

func (r *cmdReader) all(tokens []rangeOf, u use) {
	for _, t := range tokens {
		r.inv.urlsIn(r.w, t, u)
	}
}

// unwrap takes off the words that a command is started by: call, start, else,
// and an if or for with what it compares or lists.
func (r *cmdReader) unwrap(tokens []rangeOf) []rangeOf {
	for len(tokens) > 0 {
		switch strings.ToLower(strings.TrimLeft(r.text(tokens[0]), "@")) {
		case "", "call", "else":
			tokens = tokens[1:]
		case "start":
			tokens = tokens[1:]
			for len(tokens) > 0 && (tokens[0].quoted || strings.HasPrefix(r.text(tokens[0]), "/")) {
				tokens = tokens[1:]
			}
		case "if":
			tokens = r.condition(tokens[1:])
		case "for":
			i := 1
			for i < len(tokens) && !strings.EqualFold(r.text(tokens[i]), "do") {
				i++
			}
			r.all(tokens[:i], wordUse("word of a loop"))
			tokens = tokens[min(i+1, len(tokens)):]
		default:
			return tokens
		}
	}
	return nil
}

// condition takes off what an if compares.
func (r *cmdReader) condition(tokens []rangeOf) []rangeOf {
	n := 0
	for n < len(tokens) && (strings.EqualFold(r.text(tokens[n]), "not") || strings.HasPrefix(r.text(tokens[n]), "/")) {
		n++
	}
	if n < len(tokens) {
		switch first := strings.ToLower(r.text(tokens[n])); {
		case first == "exist" || first == "defined" || first == "errorlevel":
			n += 2
		case strings.Contains(first, "=="):
			n++
		default:
			n += 3 // A EQU B
		}
	}
	n = min(n, len(tokens))
	r.all(tokens[:n], matchUse("compared"))
	return tokens[n:]
}

// assign is "set NAME=VALUE", in quotes or not.
func (r *cmdReader) assign(args []rangeOf) {
	name, _, ok := strings.Cut(r.text(args[0]), "=")
	name = strings.TrimLeft(name, `"`)
	if !ok {
		r.all(args, wordUse("argument of set"))
		return
	}
	for _, t := range args {
		r.inv.assigned(r.w, name, t)
	}
}
