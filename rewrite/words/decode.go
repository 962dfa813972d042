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
	maxPieces       = 64      // parts of one word
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
	d := decoder{sh: sh}
	out := d.decode(w.Parts)
	for pick := 1; pick < min(d.most, maxAlternatives); pick++ {
		alt := decoder{sh: sh, pick: pick}
		out.alts = append(out.alts, alt.decode(w.Parts))
	}
	return out
}

// heredoc decodes the body of a here-document.
func (sh *shellText) heredoc(r *syntax.Redirect) word {
	d := decoder{sh: sh, loose: true}
	if r.Hdoc == nil {
		return word{}
	}
	if !quotedDelimiter(r.Word) {
		return d.decode(r.Hdoc.Parts)
	}
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	return literalWord(sh.text.Slice(from, to), sh.arg)
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
	d.out.literal = true
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
		d.out.pieces = append(d.out.pieces, piece{text: d.b.Text(), arg: d.sh.arg})
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
			d.out.literal = false
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

// param expands a variable whose value is known, and leaves "${NAME}" for
// one that is not.
func (d *decoder) param(p *syntax.ParamExp) {
	d.out.literal = false
	name, plain := paramName(p)
	if name == "" {
		d.opaque("x")
		return
	}
	if !plain && !isDefault(p.Exp) {
		d.opaque(name)
		d.sh.partlyUsed(name)
		return
	}
	if d.variable(name) {
		return
	}
	if !plain && p.Exp.Word != nil {
		d.parts(p.Exp.Word.Parts)
		return
	}
	d.opaque(name)
}

// variable appends the value of name and reports whether it is known.
func (d *decoder) variable(name string) bool {
	if vals := d.sh.vars[name]; len(vals) > 0 {
		a := vals[max(len(vals)-1-d.pick, 0)]
		d.size += len(a.value.s)
		if len(d.out.pieces)+len(a.value.pieces) > maxPieces || d.size > maxWord {
			return false
		}
		d.most = max(d.most, len(vals))
		d.flush()
		d.out.pieces = append(d.out.pieces, a.value.pieces...)
		d.out.from = append(append(d.out.from, a), a.value.from...)
		return true
	}
	v, ok := d.sh.env[name]
	if !ok || v.Len() == 0 {
		return false
	}
	d.flush()
	d.out.pieces = append(d.out.pieces, piece{text: v, arg: VarArg, name: name})
	return true
}

func (d *decoder) opaque(name string) {
	d.flush()
	d.out.literal = false
	d.out.pieces = append(d.out.pieces, piece{
		text: textmap.Synthetic("${" + name + "}"), arg: d.sh.arg, opaque: true,
	})
}

// paramName returns the variable of p, "" if p is more than one variable, and
// whether p is its value and nothing else.
func paramName(p *syntax.ParamExp) (name string, plain bool) {
	if p.Param == nil || p.Excl || p.Length || p.IsSet || p.Width || p.Index != nil || p.Names != 0 {
		return "", false
	}
	plain = p.Exp == nil && p.Slice == nil && p.Repl == nil && p.Flags == nil && len(p.Modifiers) == 0
	return p.Param.Value, plain
}

// isDefault reports whether e is ${x:-w}, ${x-w}, ${x:=w} or ${x=w}.
func isDefault(e *syntax.Expansion) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
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
