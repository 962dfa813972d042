package reqfile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// physical is a line as Python's str.splitlines gives it, without its break.
type physical struct {
	number int
	text   string
	// start is the offset in the source's text.
	start int
	// row and rowStart are the line and its first byte as line feeds count.
	row, rowStart int
}

// physicals walks the lines of a text.
type physicals struct {
	text          string
	at, number    int
	row, rowStart int
}

func (p *physicals) next() (physical, bool) {
	if p.at >= len(p.text) {
		return physical{}, false
	}
	p.number++
	n, width := lineBreak(p.text[p.at:])
	l := physical{p.number, p.text[p.at : p.at+n], p.at, p.row, p.rowStart}
	p.at += n + width
	if width > 0 && p.text[p.at-1] == '\n' {
		p.row, p.rowStart = p.row+1, p.at
	}
	return l, true
}

// lineBreak gives the length of the first line and of the break that ends it.
// The breaks are those of Python's str.splitlines.
func lineBreak(s string) (n, width int) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x20 && c < 0x80:
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
			return i, 2
		case c == '\n', c == '\v', c == '\f', c == '\r', 0x1c <= c && c <= 0x1e:
			return i, 1
		case c == 0xc2 && strings.HasPrefix(s[i:], "\u0085"):
			return i, 2
		case c == 0xe2 && (strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029")):
			return i, 3
		}
	}
	return len(s), 0
}

// part is a stretch of a joined line, and the physical line that it is from.
type part struct {
	line physical
	// at and n are the stretch in the joined text; from is the offset in the
	// source's text of its first byte.
	at, n, from int
}

// logical is a line after joining, without comment and white space around it.
type logical struct {
	number, last int
	text         string
	parts        []part
	swallowed    []physical
}

// lines joins physical lines and cuts comments.
type lines struct {
	in    physicals
	parts []part
	// most is how many physical lines may be joined; over says that more were.
	most int
	over bool
}

func newLines(src source, most int) *lines {
	return &lines{in: physicals{text: src.text, row: 1}, most: most}
}

// next gives the next line that holds more than a comment. The parts of a
// line live until the next call.
func (l *lines) next() (logical, bool) {
	for {
		text, ok := l.join()
		if !ok {
			return logical{}, false
		}
		if out := l.trim(text); out.text != "" || l.over {
			return out, true
		}
	}
}

// join collects physical lines into l.parts until one does not end in a
// backslash. A line that is all comment ends the collection whatever its end,
// and gets a space in front, so that it stays a comment. The backslashes at
// both ends of a joined line go: pip strips them so.
func (l *lines) join() (string, bool) {
	l.parts = l.parts[:0]
	var b strings.Builder
	for {
		p, ok := l.in.next()
		l.over = len(l.parts) > l.most
		if !ok || l.over {
			return b.String(), len(l.parts) > 0
		}
		comment := isComment(p.text)
		if !comment && strings.HasSuffix(p.text, `\`) {
			from := len(p.text) - len(strings.TrimLeft(p.text, `\`))
			l.add(&b, p, from, strings.Trim(p.text, `\`))
			continue
		}
		if len(l.parts) == 0 {
			l.parts = append(l.parts, part{p, 0, len(p.text), p.start})
			return p.text, true
		}
		if comment {
			b.WriteByte(' ')
		}
		l.add(&b, p, 0, p.text)
		return b.String(), true
	}
}

func (l *lines) add(b *strings.Builder, p physical, from int, text string) {
	l.parts = append(l.parts, part{p, b.Len(), len(text), p.start + from})
	b.WriteString(text)
}

// trim cuts the comment and the white space around, and notes what a comment
// took with it.
func (l *lines) trim(text string) logical {
	out := logical{number: l.parts[0].line.number, last: l.parts[len(l.parts)-1].line.number}
	if hash := commentStart(text); hash >= 0 {
		for _, p := range l.parts[1:] {
			if p.at > hash && !isComment(p.line.text) && strings.TrimFunc(p.line.text, isSpaceOrBackslash) != "" {
				out.swallowed = append(out.swallowed, p.line)
			}
		}
		text = text[:hash]
	}
	text = strings.TrimRightFunc(text, isSpace)
	out.text = strings.TrimLeftFunc(text, isSpace)
	out.parts = clip(l.parts, len(text)-len(out.text), len(text))
	return out
}

// clip cuts parts to the bytes [from, to) of the joined text, and counts from
// there.
func clip(parts []part, from, to int) []part {
	out := parts[:0]
	for _, p := range parts {
		start, end := max(p.at, from), min(p.at+p.n, to)
		if start < end {
			out = append(out, part{p.line, start - from, end - start, p.from + start - p.at})
		}
	}
	return out
}

// commentStart gives the offset of the # that begins a comment: the first one
// at the start or behind white space; -1 if there is none.
func commentStart(s string) int {
	for i := 0; ; i++ {
		k := strings.IndexByte(s[i:], '#')
		if k < 0 {
			return -1
		}
		i += k
		if i == 0 {
			return 0
		}
		if r, _ := utf8.DecodeLastRuneInString(s[:i]); isSpace(r) {
			return i
		}
	}
}

// isComment says whether a line is a comment from its start.
func isComment(s string) bool {
	if strings.IndexByte(s, '#') < 0 {
		return false
	}
	return strings.HasPrefix(strings.TrimLeftFunc(s, isSpace), "#")
}

// isSpace is Python's str.isspace for one character: Unicode's white space and
// the four separators of ASCII.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

func isSpaceOrBackslash(r rune) bool { return r == '\\' || isSpace(r) }
