package tomltree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Bounds on a document.
const (
	// MaxSize is how many bytes a document may have.
	MaxSize = 64 << 20
	// MaxDepth is how many values and keys may lie inside of each other.
	// Documents that people write stay below ten.
	MaxDepth = 100
	// MaxValues is how many values a document may have, about.
	MaxValues = 1 << 20
)

// Error says what is wrong with a document, and where.
type Error struct {
	Offset  int // in bytes from 0
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Newer is a place that uses what TOML 1.1 allows and TOML 1.0 does not. Python
// 3.14's tomllib, and so pip, refuses it.
type Newer struct {
	Start, End int
	What       string // "a line break in an inline table"
}

// Document is a document that was read.
type Document struct {
	Root *Value
	// Newer is what needs TOML 1.1, in the order of the text.
	Newer []Newer
}

// bom is the byte order mark, which TOML 1.1 allows at the start of a text.
const bom = "\uFEFF"

// Parse reads a document. Its error is an *Error.
func Parse(src string) (*Document, error) {
	if len(src) > MaxSize {
		return nil, &Error{0, fmt.Sprintf("the document has %d bytes, and more than %d are not read", len(src), MaxSize)}
	}
	if at := invalid(src); at >= 0 {
		return nil, &Error{at, "the text is not UTF-8, which TOML asks for: save it as UTF-8"}
	}
	if err := bounded(src); err != nil {
		return nil, err
	}
	b := builder{src: src}
	b.doc.Root = b.group(Table, header, 0, 0)
	b.into = b.doc.Root
	b.skip = len(src) - len(strings.TrimPrefix(src, bom))
	if b.skip > 0 {
		b.newer(0, b.skip, "a byte order mark")
	}
	b.read()
	if b.err != nil {
		return nil, b.err
	}
	return &b.doc, nil
}

// invalid returns the offset of the first byte that is no UTF-8, or -1.
func invalid(src string) int {
	if utf8.ValidString(src) {
		return -1
	}
	for i, r := range src {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(src[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// builder makes the tree.
type builder struct {
	src     string
	skip    int // the bytes before the parser's text
	doc     Document
	parser  unstable.Parser
	into    *Value // the table of the last header
	section int    // counts the headers
	err     *Error
}

func (b *builder) fail(at int, format string, args ...any) {
	if b.err == nil {
		b.err = &Error{at, fmt.Sprintf(format, args...)}
	}
}

// group makes an array or a table.
func (b *builder) group(k Kind, made origin, start, end int) *Value {
	return &Value{Kind: k, made: made, Start: start, End: end, src: &b.src, in: &content{}}
}

func (b *builder) newer(start, end int, what string) {
	b.doc.Newer = append(b.doc.Newer, Newer{start, end, what})
}

func (b *builder) read() {
	b.parser.Reset([]byte(b.src[b.skip:]))
	for b.err == nil && b.parser.NextExpression() {
		switch n := b.parser.Expression(); n.Kind {
		case unstable.Table:
			b.table(n)
		case unstable.ArrayTable:
			b.arrayTable(n)
		case unstable.KeyValue:
			b.keyValue(b.into, n)
		}
	}
	if err := b.parser.Error(); err != nil {
		b.fail(b.errorOffset(err), "%s", err.Error())
	}
}

// errorOffset finds where the parser saw an error.
func (b *builder) errorOffset(err error) int {
	var at *unstable.ParserError
	if !errors.As(err, &at) {
		return len(b.src)
	}
	offset := b.skip + cap(b.parser.Data()) - cap(at.Highlight)
	return min(max(offset, 0), len(b.src))
}

// span is a parser's range in the source.
func (b *builder) span(r unstable.Range) (start, end int) {
	start = b.skip + int(r.Offset)
	return start, start + int(r.Length)
}

// same is decoded text, as a part of the source if it stands there so.
func (b *builder) same(text []byte, start, end int) string {
	for skip := range 2 {
		if i := start + skip; end-i >= len(text) && b.src[i:i+len(text)] == string(text) {
			return b.src[i : i+len(text)]
		}
	}
	return string(text)
}

// part is one part of a dotted key.
type part struct {
	key        string
	start, end int
}

func (b *builder) parts(it unstable.Iterator) []part {
	var out []part
	for it.Next() {
		n := it.Node()
		start, end := b.span(n.Raw)
		b.escapes(start, end)
		out = append(out, part{b.same(n.Data, start, end), start, end})
	}
	if len(out) > MaxDepth {
		b.fail(out[0].start, "the key has more than %d parts", MaxDepth)
	}
	return out
}
