package pep723

import "bytes"

const (
	opening = "# /// "
	closing = "# ///"
	mark    = "\ufeff"
)

// scanner is a position in a file, always at the start of a line.
type scanner struct {
	file []byte
	pos  int
}

func (s *scanner) skipMark() {
	if bytes.HasPrefix(s.file, []byte(mark)) {
		s.pos = len(mark)
	}
}

// line reads a line, and returns it without its line break.
func (s *scanner) line() []byte {
	rest := s.file[s.pos:]
	end := bytes.IndexAny(rest, "\r\n")
	if end < 0 {
		s.pos = len(s.file)
		return rest
	}
	s.pos += end + 1
	if rest[end] == '\r' && s.pos < len(s.file) && s.file[s.pos] == '\n' {
		s.pos++
	}
	return rest[:end]
}

// closed is a block that is closed. All are byte offsets in the file.
type closed struct {
	kind string
	// start is the opening line's, content that of the line after it, and
	// end the closing line's.
	start, content, end int
	// inner is the first line between that opens a script's block; -1 if
	// there is none.
	inner int
}

// run reads lines as long as they can stand in a block, or one line that
// can't. There is at most one closed block in them: from the first line that
// opens one to the last that closes one, with a line at least between. What
// opens after that is unclosed.
func (s *scanner) run() *closed {
	var block *closed
	inner, lines := -1, 0
	for s.pos < len(s.file) {
		start := s.pos
		line := s.line()
		if !isContent(line) {
			break
		}
		kind := opens(line)
		switch {
		case block == nil && kind != "":
			block = &closed{kind: kind, start: start, content: s.pos, end: -1, inner: -1}
			continue
		case block == nil:
			continue
		case kind == scriptType && inner < 0:
			inner = start
		case lines > 0 && string(line) == closing:
			block.end, block.inner = start, inner
		}
		lines++
	}
	if block == nil || block.end < 0 {
		return nil
	}
	return block
}

// isContent reports whether a line can stand between the ends of a block.
func isContent(line []byte) bool {
	return len(line) > 0 && line[0] == '#' && (len(line) == 1 || line[1] == ' ')
}

// opens returns the type of the block that the line opens, "" if it opens
// none.
func opens(line []byte) string {
	kind, ok := bytes.CutPrefix(line, []byte(opening))
	if !ok {
		return ""
	}
	for _, c := range kind {
		if !isTypeByte(c) {
			return ""
		}
	}
	return string(kind)
}

func isTypeByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-'
}
