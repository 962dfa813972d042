package words

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Bounds on what a text can make us do; what lies beyond them is not known,
// as if it were computed.
const (
	maxAlternatives = 16      // values of one shell variable
	maxValues       = 1 << 10 // values of one list
	maxPieces       = 64      // parts of one word, and variables in it
	maxWord         = 1 << 16 // bytes of one word with its variables expanded
)

// decoder turns a shell word of the syntax tree into the word that the program
// will see.
type decoder struct {
	sh    *shellText
	b     textmap.Builder
	out   word
	loose bool // in a double-quoted string or a heredoc: other escape rules
	// pick chooses the value of variables with several; see alternatives.
	pick int
	most int // the most values that one variable of the word has
	size int // bytes that variables brought in
}

// word decodes w and, where a shell variable in it may have several values,
// also the words for the other values.
func (sh *shellText) word(w *syntax.Word) word {
	if w == nil {
		return word{}
	}
	if from, to, ok := sh.plain(w.Parts); ok {
		return sh.literal(from, to)
	}
	d := decoder{sh: sh}
	out := d.decode(w.Parts)
	for pick := 1; pick < min(d.most, maxAlternatives); pick++ {
		alt := decoder{sh: sh, pick: pick}
		out.alts = append(out.alts, alt.decode(w.Parts))
	}
	return out
}

// fields appends to dst the words that the shell makes of w: the values of
// "$@" or "${list[@]}", the parts of a variable that no quotes protect.
func (sh *shellText) fields(dst []word, w *syntax.Word) []word {
	p, quoted := soleParam(w)
	if p == nil {
		return append(dst, sh.word(w))
	}
	if values, ok := sh.list(p); ok {
		return append(dst, values...)
	}
	one := sh.word(w)
	if quoted || len(one.alts) > 0 || !strings.ContainsAny(one.s, " \t\n") {
		return append(dst, one)
	}
	return append(dst, one.split()...)
}

// soleParam returns the variable that w consists of, nil if it is more.
func soleParam(w *syntax.Word) (p *syntax.ParamExp, quoted bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.ParamExp:
		return part, false
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			p, _ = part.Parts[0].(*syntax.ParamExp)
		}
	}
	return p, true
}

// plain reports whether the word is literal text without escapes, and where
// that stands: most words of most commands are.
func (sh *shellText) plain(parts []syntax.WordPart) (from, to int, ok bool) {
	if len(parts) != 1 {
		return 0, 0, false
	}
	switch p := parts[0].(type) {
	case *syntax.Lit:
		from, to = int(p.ValuePos.Offset()), int(p.ValueEnd.Offset())
	case *syntax.SglQuoted:
		return int(p.Left.Offset()) + 1, int(p.Right.Offset()), !p.Dollar
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return 0, 0, false
		}
		lit, isLit := p.Parts[0].(*syntax.Lit)
		if !isLit {
			return 0, 0, false
		}
		from, to = int(lit.ValuePos.Offset()), int(lit.ValueEnd.Offset())
	default:
		return 0, 0, false
	}
	return from, to, strings.IndexByte(sh.text.String()[from:to], '\\') < 0
}

// literal is the bytes [from, to) of the text as a word.
func (sh *shellText) literal(from, to int) word {
	if from == to {
		return word{}
	}
	t := sh.text.Slice(from, to)
	return word{s: t.String(), pieces: sh.a.one(piece{text: t, source: sh.source})}
}

// one is a list of one piece. Most words are such lists, so they share arrays.
func (a *analyser) one(p piece) []piece {
	n := len(a.pieces)
	if n == cap(a.pieces) {
		a.pieces, n = make([]piece, 0, 32), 0
	}
	a.pieces = append(a.pieces, p)
	return a.pieces[n : n+1 : n+1]
}

// heredoc decodes the body of a here-document. The parser's last literal of it
// reaches to the end of the delimiter, which is no part of the body.
func (sh *shellText) heredoc(r *syntax.Redirect) word {
	if r.Hdoc == nil {
		return word{}
	}
	var body word
	if quotedDelimiter(r.Word) {
		body = sh.literal(int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset()))
	} else {
		d := decoder{sh: sh, loose: true}
		body = d.decode(r.Hdoc.Parts)
	}
	return body.slice(0, strings.LastIndexByte(body.s, '\n')+1)
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

func (d *decoder) decode(parts []syntax.WordPart) word {
	d.b.Init("")
	d.parts(parts)
	d.flush()
	if len(d.out.pieces) == 1 {
		d.out.s = d.out.pieces[0].text.String()
		return d.out
	}
	var s strings.Builder
	for _, p := range d.out.pieces {
		s.WriteString(p.text.String())
	}
	d.out.s = s.String()
	return d.out
}

func (d *decoder) flush() {
	if d.b.Len() > 0 {
		d.out.pieces = append(d.out.pieces, piece{text: d.b.Text(), source: d.sh.source})
		d.b.Init("")
	}
}

func (d *decoder) parts(parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			d.lit(int(p.ValuePos.Offset()), int(p.ValueEnd.Offset()))
		case *syntax.SglQuoted:
			d.single(p)
		case *syntax.DblQuoted:
			was := d.loose
			d.loose = true
			d.parts(p.Parts)
			d.loose = was
		case *syntax.ParamExp:
			d.param(p)
		case *syntax.CmdSubst:
			d.opaque(commandName(p))
			d.sh.substitution(p.Stmts)
		case *syntax.ProcSubst:
			d.opaque("/dev/fd")
			d.sh.substitution(p.Stmts)
		case *syntax.ArithmExp:
			d.opaque("n")
		default:
			d.b.Append(d.raw(p))
		}
	}
}

func (d *decoder) raw(n syntax.Node) textmap.Text {
	return d.sh.text.Slice(int(n.Pos().Offset()), int(n.End().Offset()))
}

// lit appends the literal text [from, to) with its backslashes decoded as
// POSIX "Escape Character" and "Double-Quotes" say.
func (d *decoder) lit(from, to int) {
	t := d.sh.text.Slice(from, to)
	s := t.String()
	at, k := 0, 0
	for ; k+1 < len(s); k++ {
		if s[k] != '\\' {
			continue
		}
		next := s[k+1]
		n := 2
		if next == '\r' && k+2 < len(s) && s[k+2] == '\n' {
			next, n = '\n', 3
		}
		switch {
		case next == '\n':
			d.b.Append(t.Slice(at, k))
		case !d.loose || strings.IndexByte("$`\"\\", next) >= 0:
			d.b.Append(t.Slice(at, k))
			d.b.Decoded(s[k+1:k+2], t.Slice(k, k+2))
		default:
			k++
			continue
		}
		at = k + n
		k = at - 1
	}
	end := len(s)
	if k < end && s[k] == '\\' {
		end-- // the parser ends a literal behind the backslash of a continuation
	}
	d.b.Append(t.Slice(at, end))
}

func (d *decoder) single(q *syntax.SglQuoted) {
	from := int(q.Left.Offset()) + 1
	if q.Dollar {
		from++
	}
	t := d.sh.text.Slice(from, int(q.Right.Offset()))
	if !q.Dollar {
		d.b.Append(t)
		return
	}
	d.ansi(t)
}

// ansi decodes the escapes of $'…' that stand for one character; a numeric
// one stays as it is written.
func (d *decoder) ansi(t textmap.Text) {
	const from, to = `ntr'"\?`, "\n\t\r'\"\\?"
	s := t.String()
	at := 0
	for k := 0; k+1 < len(s); k++ {
		if s[k] != '\\' {
			continue
		}
		if i := strings.IndexByte(from, s[k+1]); i >= 0 {
			d.b.Append(t.Slice(at, k))
			d.b.Decoded(to[i:i+1], t.Slice(k, k+2))
			at = k + 2
		}
		k++
	}
	d.b.Append(t.Slice(at, len(s)))
}

func (d *decoder) opaque(name string) { d.unknown("${" + name + "}") }

// unknown appends what a message shows for a value that is not known.
func (d *decoder) unknown(shown string) {
	d.flush()
	d.out.pieces = append(d.out.pieces, piece{text: textmap.Synthetic(shown), source: d.sh.source, opaque: true})
}

// commandName names a command substitution by its program, so that a message
// can show "${lsb_release}" for it.
func commandName(c *syntax.CmdSubst) string {
	if len(c.Stmts) > 0 {
		if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if s := call.Args[0].Lit(); s != "" && !strings.ContainsAny(s, "{}\\") {
				return s
			}
		}
	}
	return "cmd"
}
