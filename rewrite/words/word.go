package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// piece is a part of a word that comes from one source.
type piece struct {
	text textmap.Text
	arg  int    // the source: an index in Input.Args, VarArg or ScriptArg
	name string // the variable, for VarArg
	// opaque pieces stand for a value that is not known: their text is
	// "${NAME}", and they can't be edited.
	opaque bool
}

// same reports whether p and q are the same part of a word.
func (p piece) same(q piece) bool {
	a, b, _ := p.text.Range(0, p.text.Len())
	c, d, _ := q.text.Range(0, q.text.Len())
	return p.arg == q.arg && p.name == q.name && a == c && b == d
}

// word is a shell word as the program will see it, with variables expanded
// where their values are known. s is the concatenation of the pieces' texts.
type word struct {
	s      string
	pieces []piece
	// literal is true if the word is plain text of the command itself.
	literal bool
	// from are the shell variables whose values the word holds.
	from []*assign
	// alts are the same word with the other values that one of its shell
	// variables may have (assigned in another branch, or by a loop).
	alts []word
}

// assign is a value given to a shell variable in the text.
type assign struct {
	name  string
	value word
	used  bool // a word with a role holds it
	// partly is true if a part of the value is used (${x%y}), in a way that
	// is not followed.
	partly bool
}

func literalWord(t textmap.Text, arg int) word {
	w := word{s: t.String(), literal: true}
	if t.Len() > 0 {
		w.pieces = []piece{{text: t, arg: arg}}
	}
	return w
}

// slice returns the bytes [i, j) of w.
func (w word) slice(i, j int) word {
	out := word{s: w.s[i:j], literal: w.literal, from: w.from}
	at := 0
	for _, p := range w.pieces {
		n := p.text.Len()
		lo, hi := max(i-at, 0), min(j-at, n)
		if lo < hi {
			p.text = p.text.Slice(lo, hi)
			out.pieces = append(out.pieces, p)
		}
		at += n
	}
	return out
}

// unescape returns w with each backslash before a byte that drop accepts
// removed, as sed does for its delimiter.
func (w word) unescape(drop func(c byte) bool) word {
	if !strings.Contains(w.s, `\`) {
		return w
	}
	out := word{literal: w.literal, from: w.from}
	var s strings.Builder
	for _, p := range w.pieces {
		t := p.text.String()
		var b textmap.Builder
		b.Init("")
		at := 0
		for k := 0; k+1 < len(t); k++ {
			if t[k] != '\\' {
				continue
			}
			if drop(t[k+1]) {
				b.Append(p.text.Slice(at, k))
				b.Decoded(t[k+1:k+2], p.text.Slice(k, k+2))
				at = k + 2
			}
			k++
		}
		b.Append(p.text.Slice(at, len(t)))
		p.text = b.Text()
		s.WriteString(p.text.String())
		out.pieces = append(out.pieces, p)
	}
	out.s = s.String()
	return out
}

// text returns w as one Text with its source, for reading it as a script or
// as a file. Bytes of other sources can be read there, not edited.
func (w word) text(arg int) (textmap.Text, int) {
	if len(w.pieces) == 1 {
		return w.pieces[0].text, w.pieces[0].arg
	}
	var b textmap.Builder
	b.Init("")
	for _, p := range w.pieces {
		if p.arg == arg && !p.opaque {
			b.Append(p.text)
		} else {
			b.Insert(p.text.String())
		}
	}
	return b.Text(), arg
}

// at returns the piece that holds byte i of w, and i within it.
func (w word) at(i int) (p piece, k int, ok bool) {
	for _, p := range w.pieces {
		if n := p.text.Len(); i < n {
			return p, i, true
		} else {
			i -= n
		}
	}
	return piece{}, 0, false
}

// replace returns the edits that turn the bytes [i, j) of w into repl, and the
// piece they fall into. why is set, and edits nil, where that can't be done.
func (w word) replace(i, j int, repl string) (edits []textmap.Edit, in piece, why string) {
	old := w.s[i:j]
	pre := commonPrefix(old, repl)
	suf := commonSuffix(old[pre:], repl[pre:])
	lo, hi := i+pre, j-suf
	if lo == hi && pre == len(repl)-suf {
		p, _, _ := w.at(i)
		return nil, p, ""
	}
	anchor := lo // an insertion belongs to the piece before it
	if lo == hi && lo > i {
		anchor--
	}
	p, k, ok := w.at(anchor)
	if !ok {
		return nil, p, "it has no text of its own"
	}
	base := anchor - k
	if p.opaque {
		return nil, p, "the value of " + p.text.String() + " is not known here"
	}
	if hi > base+p.text.Len() {
		return nil, p, "it is put together from several variables"
	}
	from, to := max(i, base)-base, min(j, base+p.text.Len())-base
	// Give Replace all of the URL that lies in this piece: it learns there
	// how the text spells its escapes.
	middle := repl[max(0, base-i) : len(repl)-(j-(base+to))]
	edits, ok = p.text.Replace(from, to, middle)
	if !ok {
		return nil, p, "its text can't be edited in place"
	}
	return edits, p, ""
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
