package rewrite

import (
	"strings"
	"unicode/utf8"

	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// expansion turns the words of an instruction into what BuildKit passes on:
// quotes and escapes removed, variables replaced. BuildKit's shell.Lex does
// this on strings. This one keeps the places of the bytes, for the forms that
// Dockerfiles use, and its result is compared with shell.Lex's: where they
// differ, or a form is not known here, the text is what shell.Lex says and has
// no source.
//
// A variable whose value is not known stands in the result as ${NAME}.
type expansion struct {
	env    *environ
	escape byte
	// raw leaves quotes alone, as the content of a heredoc asks.
	raw bool
}

// lexer is the state of one expansion. want is what shell.Lex must return.
type lexer struct {
	expansion
	in   textmap.Text
	s    string
	at   int
	out  textmap.Builder
	want []byte
	bad  bool
	// part is true behind a variable whose value is a part of a URL.
	part bool
}

// expand returns the expanded text. ok is false where BuildKit reports an
// error, and for bytes that no Dockerfile has use for (no UTF-8, NUL).
func (x expansion) expand(in textmap.Text) (out textmap.Text, ok bool) {
	if !x.special(in.String()) {
		return in, true
	}
	if !utf8.ValidString(in.String()) || strings.IndexByte(in.String(), 0) >= 0 {
		return textmap.Text{}, false
	}
	lex := shell.NewLex(rune(x.escape))
	lex.SkipProcessQuotes = x.raw
	truth, _, err := lex.ProcessWord(in.String(), lexEnv{x.env})
	if err != nil {
		return textmap.Text{}, false
	}
	l := lexer{expansion: x, in: in, s: in.String()}
	l.out.Init("")
	l.run(0)
	if l.bad || string(l.want) != truth {
		return textmap.Synthetic(truth), true
	}
	return l.out.Text(), true
}

// special reports whether s is more than itself: BuildKit reads it by
// characters, so bytes that are no UTF-8 count too.
func (x expansion) special(s string) bool {
	return strings.IndexByte(s, '$') >= 0 || strings.IndexByte(s, x.escape) >= 0 ||
		!x.raw && strings.ContainsAny(s, `'"`) || !utf8.ValidString(s) || strings.HasPrefix(s, "\uFEFF")
}

// run expands up to the byte stop, or to the end if stop is 0.
func (l *lexer) run(stop byte) {
	for l.at < len(l.s) && !l.bad {
		c := l.s[l.at]
		switch {
		case stop != 0 && c == stop:
			l.at++
			return
		case c == '$':
			l.dollar()
		case c == '\'' && !l.raw:
			l.single()
		case c == '"' && !l.raw:
			l.double()
		case c == l.escape:
			l.escaped()
		default:
			l.take(l.at, l.at+1)
		}
	}
	l.bad = l.bad || stop != 0
}

// take appends the bytes [i, j) of the input and moves behind them.
func (l *lexer) take(i, j int) {
	j = min(j, len(l.s))
	if i < j {
		l.out.Append(l.in.Slice(i, j))
		l.want = append(l.want, l.s[i:j]...)
	}
	l.at = j
}

// escaped appends the byte behind an escape token, which goes with it. At the
// end of the word the token stands for nothing.
func (l *lexer) escaped() {
	if l.at+1 < len(l.s) {
		char := l.s[l.at+1 : l.at+2]
		l.out.Decoded(char, l.in.Slice(l.at, l.at+2))
		l.want = append(l.want, char...)
	}
	l.at = min(l.at+2, len(l.s))
}

func (l *lexer) single() {
	n := strings.IndexByte(l.s[l.at+1:], '\'')
	if n < 0 {
		l.bad = true
		return
	}
	l.take(l.at+1, l.at+1+n)
	l.at++
}

func (l *lexer) double() {
	for l.at++; l.at < len(l.s) && !l.bad; {
		switch c := l.s[l.at]; {
		case c == '"':
			l.at++
			return
		case c == '$':
			l.dollar()
		case c == l.escape && l.at+1 < len(l.s) && strings.IndexByte(`"$`+string(l.escape), l.s[l.at+1]) >= 0:
			l.escaped()
		default:
			l.take(l.at, l.at+1)
		}
	}
	l.bad = true
}

// dollar reads $NAME or ${NAME…}. A "://" that follows a part of a URL loses
// its source, so that nobody puts an "s" between the two: $SCHEMEs is another
// variable.
func (l *lexer) dollar() {
	l.part = false
	l.variable()
	if l.part && strings.HasPrefix(l.s[l.at:], "://") {
		l.out.Insert("://")
		l.want = append(l.want, "://"...)
		l.at += 3
	}
}

func (l *lexer) variable() {
	from := l.at
	braced := strings.HasPrefix(l.s[from+1:], "{")
	name := from + 1
	if braced {
		name++
	}
	end := nameEnd(l.s, name)
	switch {
	case end == name && braced || end < len(l.s) && l.s[end] >= utf8.RuneSelf:
		l.bad = true
	case end == name:
		l.take(from, from+1)
	case !braced:
		l.value(from, end, false)
		l.at = end
	case strings.HasPrefix(l.s[end:], "}"):
		l.value(from, end, true)
		l.at = end + 1
	default:
		l.modifier(from, end)
	}
}

// modifier reads the rest of ${NAME-word}, ${NAME+word} and ${NAME?word}, and
// of the forms with a colon.
func (l *lexer) modifier(from, end int) {
	at := end
	colon := strings.HasPrefix(l.s[at:], ":")
	if colon {
		at++
	}
	if at >= len(l.s) || strings.IndexByte("-+?", l.s[at]) < 0 {
		l.bad = true
		return
	}
	word := lexer{expansion: l.expansion, in: l.in, s: l.s, at: at + 1}
	word.out.Init("")
	word.run('}')
	v, known := l.env.get(l.s[from+2 : end])
	null := known && colon && v.Len() == 0
	switch l.s[at] {
	case '-':
		l.fallback(from, end, &word, known, null)
	case '+':
		l.alternative(from, end, &word, known, null)
	default:
		l.value(from, end, true)
	}
	l.bad = l.bad || word.bad
	l.at = word.at
}

// fallback is ${NAME-word}. If NAME is not known, the word is what the file
// itself says about the value.
func (l *lexer) fallback(from, end int, word *lexer, known, null bool) {
	if known && !null {
		l.value(from, end, true)
		return
	}
	l.out.Append(word.out.Text())
	if known {
		l.want = append(l.want, word.want...)
	} else {
		l.want = append(l.want, "${"+l.s[from+2:end]+"}"...)
	}
}

// alternative is ${NAME+word}, which is not known if NAME isn't.
func (l *lexer) alternative(from, end int, word *lexer, known, null bool) {
	if null {
		return
	}
	if known {
		l.out.Append(word.out.Text())
	} else {
		l.unknown(from, end, true)
	}
	l.want = append(l.want, word.want...)
}

// value appends the value of the variable whose name ends at end.
func (l *lexer) value(from, end int, braced bool) {
	name := l.s[from+1 : end]
	if braced {
		name = l.s[from+2 : end]
	}
	v, known := l.env.get(name)
	switch {
	case !known:
		l.unknown(from, end, braced)
		l.want = append(l.want, "${"+name+"}"...)
		return
	case strings.Contains(v.String(), "://"):
		l.out.Append(v)
	default:
		// A part of a URL has other uses: ENV SCHEME=http isn't edited.
		l.out.Insert(v.String())
		l.part = true
	}
	l.want = append(l.want, v.String()...)
}

// unknown appends ${NAME}, with the bytes that spell it in the file.
func (l *lexer) unknown(from, end int, braced bool) {
	if braced {
		l.out.Append(l.in.Slice(from, end))
	} else {
		l.out.Append(l.in.Slice(from, from+1))
		l.out.Insert("{")
		l.out.Append(l.in.Slice(from+1, end))
	}
	l.out.Insert("}")
}

// nameEnd returns the end of the variable name at s[at]: a name, a number or
// one special parameter.
func nameEnd(s string, at int) int {
	end := at
	switch {
	case at == len(s):
	case strings.IndexByte("@*#?-$!", s[at]) >= 0:
		end++
	case digit(s[at]):
		for end < len(s) && digit(s[end]) {
			end++
		}
	default:
		for end < len(s) && nameByte(s[end]) {
			end++
		}
	}
	return end
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func nameByte(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) }

// lexEnv shows an environ to shell.Lex: a variable that is not known has the
// value ${NAME}.
type lexEnv struct{ env *environ }

// Get returns the value that the result shall show.
func (e lexEnv) Get(name string) (string, bool) {
	if v, ok := e.env.get(name); ok {
		return v.String(), true
	}
	return "${" + name + "}", true
}

// Keys is not used by shell.Lex.
func (e lexEnv) Keys() []string { return nil }
