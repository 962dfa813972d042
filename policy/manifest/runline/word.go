package runline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// expansion makes a word of its parts.
type expansion struct {
	*script
	out []Word // the words before the one that is made
	now Word
	b   textmap.Builder
	// quoted is true if the word is there even if it is empty.
	quoted bool
}

// word is a word that is not split, as the value of an assignment.
func (s *script) word(w *syntax.Word) Word {
	e := expansion{script: s}
	e.b.Init("")
	e.parts(w.Parts, true)
	e.now.Text = e.b.Text()
	return e.now
}

// fields are the words that the shell makes of one: a variable without quotes
// is split at its blanks, and is no word at all if it is empty.
func (s *script) fields(w *syntax.Word) []Word {
	e := expansion{script: s}
	e.b.Init("")
	e.parts(w.Parts, false)
	e.next()
	start, end, _ := s.text.Range(min(int(w.Pos().Offset()), s.text.Len()), min(int(w.End().Offset()), s.text.Len()))
	for i := range e.out {
		e.out[i].Start, e.out[i].End = start, end
		if len(e.out) > 1 {
			e.out[i].Start, e.out[i].End, _ = e.out[i].Text.Range(0, e.out[i].Text.Len())
		}
	}
	if len(w.Parts) == 1 && len(e.out) == 1 {
		switch w.Parts[0].(type) {
		case *syntax.SglQuoted:
			e.out[0].Quote = '\''
		case *syntax.DblQuoted:
			e.out[0].Quote = '"'
		}
	}
	return e.out
}

// next ends the word.
func (e *expansion) next() {
	if e.b.Len() > 0 || e.quoted {
		e.now.Text = e.b.Text()
		e.out = append(e.out, e.now)
	}
	e.now, e.quoted = Word{}, false
	e.b = textmap.Builder{}
	e.b.Init("")
}

func (e *expansion) parts(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		if e.b.Len() > maxWord {
			e.unread("it has a word that is too long")
			return
		}
		switch p := p.(type) {
		case *syntax.Lit:
			e.escaped(e.slice(p), "")
		case *syntax.SglQuoted:
			e.single(p)
		case *syntax.DblQuoted:
			e.quoted = true
			e.double(p.Parts)
		case *syntax.ParamExp:
			e.param(p, quoted)
		case *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			e.unknown("$(…)")
		default:
			e.b.Append(e.slice(p))
		}
	}
}

// double is the parts of a word in double quotes, where a backslash protects
// no more than what the shell reads there.
func (e *expansion) double(parts []syntax.WordPart) {
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			e.escaped(e.slice(lit), "$`\"\\")
			continue
		}
		e.parts([]syntax.WordPart{p}, true)
	}
}

// escaped appends t without the backslashes that protect one of these bytes,
// or any byte if none are given. One before a line break goes with it.
func (e *expansion) escaped(t textmap.Text, these string) {
	s := t.String()
	at := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		c := s[i+1]
		if c == '\n' {
			e.b.Append(t.Slice(at, i))
			at = i + 2
		} else if these == "" || strings.IndexByte(these, c) >= 0 {
			e.b.Append(t.Slice(at, i))
			e.b.Decoded(s[i+1:i+2], t.Slice(i, i+2))
			at = i + 2
		}
		i++
	}
	e.b.Append(t.Slice(at, len(s)))
}

// single is text in single quotes. The escapes of $'…' are not read.
func (e *expansion) single(p *syntax.SglQuoted) {
	e.quoted = true
	t := e.slice(p)
	open := strings.IndexByte(t.String(), '\'')
	t = t.Slice(open+1, max(t.Len()-1, open+1))
	if p.Dollar && strings.Contains(t.String(), `\`) {
		e.unknown("$'…'")
		return
	}
	e.b.Append(t)
}

// param is a variable: its value, or the one that the text gives in its place.
func (e *expansion) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil {
		e.unknown(name(p))
		return
	}
	values := e.vars[p.Param.Value]
	known := len(values) > 0
	var v value
	if known {
		v = values[len(values)-1]
	}
	switch {
	case p.Exp == nil:
	case p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull:
		if known && v.Text.Len() > 0 {
			break
		}
		if p.Exp.Word != nil {
			e.parts(p.Exp.Word.Parts, quoted)
		}
		return
	case p.Exp.Op == syntax.ErrorUnset || p.Exp.Op == syntax.ErrorUnsetOrNull:
	default:
		e.unknown(name(p))
		return
	}
	if !known {
		e.unknown(name(p))
		return
	}
	e.value(v, quoted)
}

func name(p *syntax.ParamExp) string {
	if p.Param == nil {
		return "a parameter"
	}
	return p.Param.Value
}

// value appends a variable's value; without quotes its blanks end words.
func (e *expansion) value(v value, quoted bool) {
	note := func() {
		e.now.Vars = append(e.now.Vars, v.Vars...)
		e.now.Unknown = append(e.now.Unknown, v.Unknown...)
	}
	note()
	if e.spent += v.Text.Len(); e.spent > maxSpent {
		e.unread("its variables have too much text")
		e.unknown("a variable")
		return
	}
	if quoted {
		e.b.Append(v.Text)
		return
	}
	s := v.Text.String()
	for at := 0; at < len(s); {
		n := strings.IndexAny(s[at:], " \t\n")
		if n < 0 {
			e.b.Append(v.Text.Slice(at, len(s)))
			return
		}
		e.b.Append(v.Text.Slice(at, at+n))
		e.next()
		note()
		at += n + 1
	}
}

// unknown stands for a value that the text doesn't tell.
func (e *expansion) unknown(what string) {
	e.now.Unknown = append(e.now.Unknown, what)
	e.b.Insert("${" + what + "}")
}
