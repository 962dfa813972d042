package manifest

import (
	"sort"
	"strings"
)

// bom is the byte order mark.
const bom = "\uFEFF"

// lines knows where the lines of a text start.
type lines struct {
	text  string
	start []int
}

func newLines(text string) *lines {
	l := &lines{text: text, start: make([]int, 1, 1+strings.Count(text, "\n"))}
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return l
		}
		at += n + 1
		l.start = append(l.start, at)
	}
}

func (l *lines) at(offset int) Position {
	offset = min(max(offset, 0), len(l.text))
	n := sort.SearchInts(l.start, offset+1)
	column := offset - l.start[n-1] + 1
	if n == 1 && strings.HasPrefix(l.text, bom) {
		column = max(column-len(bom), 1)
	}
	return Position{Offset: offset, Line: n, Column: column}
}

func (l *lines) span(i, j int) Span { return Span{l.at(i), l.at(max(i, j))} }
