package tomltree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns the quotes of a string as they stand in the source: ", ', """
// or ”', and "" for another value.
func (v *Value) Quote() string {
	if !v.Is(String) {
		return ""
	}
	q := (*v.src)[v.Start : v.Start+1]
	if v.End-v.Start >= 6 && strings.HasPrefix((*v.src)[v.Start:], strings.Repeat(q, 3)) {
		return strings.Repeat(q, 3)
	}
	return q
}

// Content returns the bytes of a string's content in the source: without its
// quotes, and without the line break that may follow the opening ones.
func (v *Value) Content() (start, end int) {
	q := len(v.Quote())
	start, end = v.Start+q, v.End-q
	if q == 3 {
		start += len(lineBreak((*v.src)[start:end]))
	}
	return start, end
}

// Offsets returns for the offset of each byte of a string's Text, and for its
// end, the offset in the source. Bytes that an escape spells have the
// escape's; nil is returned for another value.
func (v *Value) Offsets() Offsets {
	if !v.Is(String) {
		return Offsets{}
	}
	start, end := v.Content()
	if (*v.src)[start:end] == v.Text {
		return Offsets{start: start, n: len(v.Text)}
	}
	return Offsets{n: len(v.Text), at: v.spelled(start, end)}
}

// Offsets maps a string's content to the source.
type Offsets struct {
	start, n int
	at       []int // per byte of the content and its end; nil if nothing is escaped
}

// At returns the offset in the source of byte i of the content.
func (o Offsets) At(i int) int {
	i = min(max(i, 0), o.n)
	if o.at == nil {
		return o.start + i
	}
	return o.at[min(i, len(o.at)-1)]
}

// spelled decodes the content again to learn how the source spells it.
func (v *Value) spelled(start, end int) []int {
	out := make([]int, 0, len(v.Text)+1)
	for i := start; i < end; {
		width, n := 1, 1
		if (*v.src)[i] == '\\' && (*v.src)[v.Start] == '"' {
			width, n = escape((*v.src)[i:end])
		}
		for range n {
			out = append(out, i)
		}
		i += width
	}
	return append(out, end)
}

// escape returns how many bytes the escape at the start of s has, and how many
// bytes of content it spells.
func escape(s string) (width, n int) {
	if len(s) < 2 {
		return len(s), 0
	}
	digits := 0
	switch s[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case ' ', '\t', '\r', '\n':
		return len(s) - len(strings.TrimLeft(s[1:], " \t\r\n")), 0
	default:
		return 2, 1
	}
	if len(s) < 2+digits {
		return len(s), 0
	}
	r, _ := strconv.ParseUint(s[2:2+digits], 16, 32)
	return 2 + digits, utf8.RuneLen(rune(r))
}

// lineBreak is the line break that s starts with, if any.
func lineBreak(s string) string {
	switch {
	case strings.HasPrefix(s, "\n"):
		return s[:1]
	case strings.HasPrefix(s, "\r\n"):
		return s[:2]
	}
	return ""
}
