// Package pep723 finds the metadata that a Python script carries in its
// comments: the block "# /// script" of PEP 723, kept by the packaging
// specification "Inline script metadata".
//
// It is a textual scan, as the specification allows and other tools do: a
// block in a string of the program counts. The file is read as UTF-8, a byte
// order mark at its start is skipped, and lines end as Python's do, with
// "\n", "\r\n" or "\r".
package pep723

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Block is the metadata of a script.
type Block struct {
	// Text is the TOML document. Its lines end with "\n".
	Text string
	// Start and End are byte offsets in the file: from the opening line to
	// the end of the closing line, less its line break.
	Start, End int
	// lines has the start of each line of Text, in order.
	lines []origin
}

// origin says where a line of the text is from: byte offsets of its first
// character.
type origin struct{ text, file int }

// Offset returns the byte offset in the file of a byte offset in Text; beyond
// Text it is the end of the last line. A range within a line is as long in the
// file as it is in Text; one over several lines has the comment signs between
// in the file.
func (b *Block) Offset(text int) int {
	text = min(max(text, 0), len(b.Text)-1)
	next := sort.Search(len(b.lines), func(i int) bool { return b.lines[i].text > text })
	line := b.lines[next-1]
	return line.file + text - line.text
}

// Error says why a script's metadata can't be read.
type Error struct {
	// Offset is a byte offset in the file.
	Offset int
	// Msg is one line and says what to do.
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Msg, e.Offset) }

// scriptType is the only type of block that the specification defines; other
// blocks must not be read.
const scriptType = "script"

// Find returns the file's block of metadata, nil if it has none: an unclosed
// block is none. The error is an *Error: for a second block, for a block that
// opens in another one, where what tools read is not what is meant, and for a
// block that is not UTF-8.
func Find(file []byte) (*Block, error) {
	s := scanner{file: file}
	s.skipMark()
	var found *closed
	for s.pos < len(file) {
		block := s.run()
		switch {
		case block == nil:
		case block.inner >= 0:
			return nil, &Error{Offset: block.inner, Msg: `"# /// script" opens in a block that isn't closed: close that with "# ///" and an empty line, or take one of the two away`}
		case block.kind != scriptType:
		case found != nil:
			return nil, &Error{Offset: block.start, Msg: `the script has a second block "# /// script": join the two`}
		default:
			found = block
		}
	}
	if found == nil {
		return nil, nil
	}
	return found.read(file)
}

// read takes the comment signs off the lines between the opening and the
// closing one.
func (c *closed) read(file []byte) (*Block, error) {
	b := &Block{Start: c.start, End: c.end + len(closing)}
	var text strings.Builder
	text.Grow(c.end - c.content)
	for s := (scanner{file: file[:c.end], pos: c.content}); s.pos < c.end; {
		start := s.pos
		line := s.line()
		if i := invalidUTF8(line); i >= 0 {
			return nil, &Error{Offset: start + i, Msg: "the script's metadata is not UTF-8: save the file as UTF-8"}
		}
		sign := min(len(line), len("# "))
		b.lines = append(b.lines, origin{text: text.Len(), file: start + sign})
		text.Write(line[sign:])
		text.WriteByte('\n')
	}
	b.Text = text.String()
	return b, nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, -1 if
// there is none.
func invalidUTF8(line []byte) int {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
