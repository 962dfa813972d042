// Package textmap holds text that remembers where it came from.
//
// A shell word inside a RUN instruction reaches its reader through several
// decoders: the Dockerfile parser removes continuations and comments, JSON or
// the shell remove quotes and escapes, sed removes the escape before its
// delimiter. A [Text] is the decoded string together with the source range of
// each of its bytes, so whatever is found in the decoded string can be edited
// in the source, however many decoders lie between.
package textmap

import (
	"slices"
	"strings"
)

// Text is decoded text. Each byte of it stands for a half-open range of bytes
// of one source, or for none (synthetic bytes, such as a default shell's name).
// The zero Text is empty. A Text is immutable; slices share memory.
type Text struct {
	src   string  // the whole source; ranges index it
	s     string  // the decoded bytes
	start []int32 // per byte of s: first byte of its source range, or -1
	end   []int32 // per byte of s: end of its source range
}

// Identity returns src as a Text that maps each byte to itself.
func Identity(src string) Text {
	var b Builder
	b.Init(src)
	b.Source(0, len(src))
	return b.Text()
}

// Synthetic returns a Text without any source: it can be read, never edited.
func Synthetic(s string) Text {
	var b Builder
	b.Init("")
	b.Insert(s)
	return b.Text()
}

// String returns the decoded text.
func (t Text) String() string { return t.s }

// Len returns the number of decoded bytes.
func (t Text) Len() int { return len(t.s) }

// Slice returns the bytes [i, j) of t, still mapped to the same source.
func (t Text) Slice(i, j int) Text {
	return Text{src: t.src, s: t.s[i:j], start: t.start[i:j], end: t.end[i:j]}
}

// Range returns the source range of the decoded bytes [i, j): from the first
// mapped byte to the end of the last mapped one. ok is false if the bytes are
// empty or none of them has a source.
func (t Text) Range(i, j int) (start, end int, ok bool) {
	for k := i; k < j; k++ {
		if t.start[k] < 0 {
			continue
		}
		if !ok {
			start, ok = int(t.start[k]), true
		}
		end = int(t.end[k])
	}
	return start, end, ok
}

// Edit replaces the source bytes [Start, End) with New.
type Edit struct {
	Start, End int
	New        string
}

// Replace returns the edits of the source that turn the decoded bytes [i, j)
// into repl. Bytes that both have in common are left alone; a character that
// the source spells with an escape (`\/`, `\u002f`) is spelled that way in the
// replacement too; bytes of the source between two decoded ones (a
// continuation and its newline) are never touched, so an edit never adds or
// removes a newline.
//
// ok is false, and nothing is returned, where a byte that would have to change
// has no source of its own or is a newline, or where repl holds a newline or a
// NUL.
func (t Text) Replace(i, j int, repl string) (edits []Edit, ok bool) {
	if strings.ContainsAny(repl, "\n\r\x00") {
		return nil, false
	}
	style := t.escapes(i, j)
	for i < j && repl != "" && t.s[i] == repl[0] {
		i, repl = i+1, repl[1:]
	}
	for i < j && repl != "" && t.s[j-1] == repl[len(repl)-1] {
		j, repl = j-1, repl[:len(repl)-1]
	}
	encoded := encode(repl, style)
	if i == j {
		return t.insert(i, encoded)
	}
	for k := i; k < j; k++ {
		if t.start[k] < 0 || t.end[k] <= t.start[k] || strings.Contains(t.src[t.start[k]:t.end[k]], "\n") {
			return nil, false
		}
	}
	return t.replaceRuns(i, j, encoded), true
}

// insert returns the edit that puts s before decoded byte i.
func (t Text) insert(i int, s string) ([]Edit, bool) {
	if s == "" {
		return nil, true
	}
	switch {
	case i > 0 && t.start[i-1] >= 0:
		at := int(t.end[i-1])
		return []Edit{{at, at, s}}, true
	case i < len(t.s) && t.start[i] >= 0:
		at := int(t.start[i])
		return []Edit{{at, at, s}}, true
	}
	return nil, false
}

// replaceRuns puts s in place of the first unbroken run of source bytes under
// [i, j) and deletes the other runs.
func (t Text) replaceRuns(i, j int, s string) []Edit {
	var edits []Edit
	for k := i; k < j; k++ {
		if n := len(edits); n > 0 && edits[n-1].End == int(t.start[k]) {
			edits[n-1].End = int(t.end[k])
			continue
		}
		edits = append(edits, Edit{int(t.start[k]), int(t.end[k]), s})
		s = ""
	}
	return edits
}

// escapes returns, for each character that the source of [i, j) spells with
// more than the character itself, that spelling.
func (t Text) escapes(i, j int) map[byte]string {
	var style map[byte]string
	for k := i; k < j; k++ {
		if t.start[k] < 0 {
			continue
		}
		spelled := t.src[t.start[k]:t.end[k]]
		if len(spelled) < 2 || strings.ContainsAny(spelled, "\n\r") {
			continue
		}
		if style == nil {
			style = map[byte]string{}
		}
		style[t.s[k]] = spelled
	}
	return style
}

func encode(s string, style map[byte]string) string {
	if len(style) == 0 {
		return s
	}
	var b strings.Builder
	for k := range len(s) {
		if e, ok := style[s[k]]; ok {
			b.WriteString(e)
		} else {
			b.WriteByte(s[k])
		}
	}
	return b.String()
}

// Apply returns src with the edits made. Edits may come in any order; equal
// ones count once. ok is false, and src is returned, if two overlap or one is
// out of bounds.
func Apply(src string, edits []Edit) (out string, ok bool) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	edits = slices.Compact(edits)
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return src, false
		}
		b.WriteString(src[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(src[at:])
	return b.String(), true
}

// Builder makes a Text piece by piece. Call Init first.
type Builder struct {
	src        string
	buf        []byte
	start, end []int32
}

// Init empties the builder and sets the source that its Texts map to. Pieces
// appended later must map to the same source or to none.
func (b *Builder) Init(src string) { *b = Builder{src: src} }

// Source appends the source bytes [i, j) as they are, each mapped to itself.
func (b *Builder) Source(i, j int) {
	b.buf = append(b.buf, b.src[i:j]...)
	b.start = slices.Grow(b.start, j-i)
	b.end = slices.Grow(b.end, j-i)
	for k := i; k < j; k++ {
		b.start = append(b.start, int32(k))
		b.end = append(b.end, int32(k+1))
	}
}

// Append appends t with its mapping.
func (b *Builder) Append(t Text) {
	if b.src == "" {
		b.src = t.src
	}
	b.buf = append(b.buf, t.s...)
	b.start = append(b.start, t.start...)
	b.end = append(b.end, t.end...)
}

// Decoded appends s as what the bytes of t spell together, such as the "/"
// that `\/` spells: each byte of s maps to the whole source range of t.
func (b *Builder) Decoded(s string, t Text) {
	if b.src == "" {
		b.src = t.src
	}
	from, to, ok := t.Range(0, t.Len())
	if !ok {
		b.Insert(s)
		return
	}
	b.buf = append(b.buf, s...)
	for range len(s) {
		b.start = append(b.start, int32(from))
		b.end = append(b.end, int32(to))
	}
}

// Insert appends bytes that have no source.
func (b *Builder) Insert(s string) {
	b.buf = append(b.buf, s...)
	for range len(s) {
		b.start = append(b.start, -1)
		b.end = append(b.end, -1)
	}
}

// Len returns the number of bytes appended so far.
func (b *Builder) Len() int { return len(b.buf) }

// Text returns what was appended. The builder must not be used afterwards.
func (b *Builder) Text() Text {
	return Text{src: b.src, s: string(b.buf), start: b.start, end: b.end}
}
