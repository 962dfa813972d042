package rewrite

import (
	"sort"
	"strings"
	"unicode"
)

// bom is the byte order mark that the Dockerfile parser drops from line 1.
const bom = "\xEF\xBB\xBF"

// source is the file's text with its physical lines.
type source struct {
	text  string
	start []int // the offset of each line; lines end after their "\n"
}

func newSource(text string) *source {
	s := &source{text: text}
	for at := 0; at < len(text); {
		s.start = append(s.start, at)
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return s
}

// line returns the bytes [i, j) of line n, counted from 1, with its newline.
// ok is false if there is no such line.
func (s *source) line(n int) (i, j int, ok bool) {
	if n < 1 || n > len(s.start) {
		return 0, 0, false
	}
	if n < len(s.start) {
		return s.start[n-1], s.start[n], true
	}
	return s.start[n-1], len(s.text), true
}

// position returns the place of a byte offset.
func (s *source) position(offset int) Position {
	n := sort.SearchInts(s.start, offset+1)
	if n == 0 {
		return Position{Offset: offset, Line: 1, Column: offset + 1}
	}
	return Position{Offset: offset, Line: n, Column: offset - s.start[n-1] + 1}
}

func (s *source) span(i, j int) Range {
	return Range{Start: s.position(i), End: s.position(j)}
}

// lines returns the range of the lines from first to last, without the blanks
// before it and the line ending after it.
func (s *source) lines(first, last int) Range {
	i, _, _ := s.line(first)
	_, j, ok := s.line(last)
	if !ok {
		j = len(s.text)
	}
	return s.span(s.trim(i, j, true))
}

// trim drops the line ending of the bytes [i, j) and, from an instruction's
// first line, the byte order mark and the blanks before the instruction.
func (s *source) trim(i, j int, first bool) (int, int) {
	j = i + len(strings.TrimRight(s.text[i:j], "\r\n"))
	if !first {
		return i, j
	}
	if i == 0 && strings.HasPrefix(s.text[:j], bom) {
		i = len(bom)
	}
	return j - len(strings.TrimLeftFunc(s.text[i:j], unicode.IsSpace)), j
}
