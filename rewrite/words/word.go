package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// source is a text that edits are made in.
type source struct {
	arg  int    // an index in Input.Args, VarArg or ScriptArg
	name string // the variable, for VarArg
}

// piece is a part of a word that comes from one source.
type piece struct {
	source
	text textmap.Text
	// opaque pieces stand for a value that is not known: their text is
	// "${NAME}", and they can't be edited.
	opaque bool
}

// same reports whether p and q are the same part of a word.
func (p piece) same(q piece) bool {
	a, b, _ := p.text.Range(0, p.text.Len())
	c, d, _ := q.text.Range(0, q.text.Len())
	return p.source == q.source && a == c && b == d
}

// word is a shell word as the program will see it, with variables expanded
// where their values are known. s is the concatenation of the pieces' texts.
type word struct {
	s      string
	pieces []piece
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
	// partly is true if a part of the value is used (${x%/*}), in a way that
	// is not followed.
	partly bool
}

// expanded is the word that holds the variable's value and nothing else.
func (as *assign) expanded() word {
	w := as.value
	w.from = append([]*assign{as}, w.from...)
	return w
}

func literalWord(t textmap.Text, from source) word {
	w := word{s: t.String()}
	if t.Len() > 0 {
		w.pieces = []piece{{text: t, source: from}}
	}
	return w
}

// joined is the words with a byte between each two: a blank as eval sees them,
// a newline as the lines of a file.
func joined(words []word, between string) word {
	gap := word{s: between, pieces: []piece{{text: textmap.Synthetic(between), opaque: true}}}
	var out word
	var text strings.Builder // a list of words may be long
	for i, w := range words {
		if i > 0 {
			w = gap.append(w)
		}
		text.WriteString(w.s)
		out.pieces, out.from = append(out.pieces, w.pieces...), append(out.from, w.from...)
	}
	out.s = text.String()
	return out
}

// append returns w with other behind it. w must not be used afterwards.
func (w word) append(other word) word {
	return word{
		s: w.s + other.s, pieces: append(w.pieces[:len(w.pieces):len(w.pieces)], other.pieces...),
		from: append(w.from[:len(w.from):len(w.from)], other.from...),
	}
}

// written reports whether no part of w is a variable's value.
func (w word) written() bool {
	for _, p := range w.pieces {
		if p.arg == VarArg {
			return false
		}
	}
	return len(w.from) == 0
}

// unknown reports whether a part of w is not known.
func (w word) unknown() bool { return strings.Contains(w.s, "${") }

// use marks the variables of w as used.
func (w word) use() {
	for _, as := range w.from {
		as.used = true
	}
}

// slice returns the bytes [i, j) of w.
func (w word) slice(i, j int) word {
	out := word{s: w.s[i:j], from: w.from}
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

// split returns the words that blanks separate in w, as the shell splits a
// variable that no quotes protect.
func (w word) split() []word {
	var out []word
	for at := 0; at < len(w.s); {
		n := strings.IndexAny(w.s[at:], " \t\n")
		if n < 0 {
			n = len(w.s) - at
		}
		if n > 0 {
			out = append(out, w.slice(at, at+n))
		}
		at += n + 1
	}
	return out
}

// unescape returns w with each backslash and the byte behind it replaced by
// what spelled says they spell; ok is false for those that stay.
func (w word) unescape(spelled func(c byte) (s string, ok bool)) word {
	if !strings.Contains(w.s, `\`) {
		return w
	}
	out := word{from: w.from}
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
			if c, ok := spelled(t[k+1]); ok {
				b.Append(p.text.Slice(at, k))
				b.Decoded(c, p.text.Slice(k, k+2))
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

// control spells the escapes that echo and printf know, of those that stand
// between addresses.
func control(c byte) (string, bool) {
	switch c {
	case 'n', 'r':
		return "\n", true
	case 't':
		return "\t", true
	case '\\':
		return `\`, true
	}
	return "", false
}

// text returns w as one Text with its source, for reading it as a script or
// as a file. Bytes of other sources can be read there, not edited, nor can
// those that stand before what precedes them, as arguments of printf may.
func (w word) text() (textmap.Text, source) {
	if len(w.pieces) == 1 {
		return w.pieces[0].text, w.pieces[0].source
	}
	from := w.source()
	var b textmap.Builder
	b.Init("")
	last := 0
	for _, p := range w.pieces {
		start, end, ok := p.text.Range(0, p.text.Len())
		if ok && p.source == from && !p.opaque && start >= last {
			b.Append(p.text)
			last = end
		} else {
			b.Insert(p.text.String())
		}
	}
	return b.Text(), from
}

// source is that of w's first piece that has one.
func (w word) source() source {
	for _, p := range w.pieces {
		if !p.opaque {
			return p.source
		}
	}
	return source{}
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
