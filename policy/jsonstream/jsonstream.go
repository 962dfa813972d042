// Package jsonstream walks JSON text from a stream in bounded memory and knows
// the line of everything: the outer objects and arrays are walked by the
// caller, the values in them are decoded one at a time by encoding/json.
package jsonstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Limits bound what is read.
type Limits struct {
	// Value is the largest value that is decoded at once, in bytes.
	Value int
	// Total is the largest text, in bytes.
	Total int64
}

// Error says what is wrong with the text. Line counts from 1.
type Error struct {
	Line    int
	Message string
}

// Error returns the message with its line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Reader walks one text. After an error it is of no more use.
type Reader struct {
	src    io.Reader
	limits Limits
	buf    []byte // buf[pos:] is not consumed
	pos    int
	line   int
	read   int64
	ended  bool
	depth  int
}

// maxDepth is how deep objects and arrays may be nested where they are walked.
const maxDepth = 200

// New returns a Reader. A byte order mark of UTF-8 is skipped.
func New(src io.Reader, limits Limits) *Reader {
	return &Reader{src: src, limits: limits, line: 1}
}

// Fail returns an error about the place where the Reader is.
func (r *Reader) Fail(format string, args ...any) error {
	return &Error{r.line, fmt.Sprintf(format, args...)}
}

// Line is the line where the Reader is.
func (r *Reader) Line() int { return r.line }

// Next returns the first byte of the next value or punctuation, which it does
// not consume. The error is io.EOF at the end of the text.
func (r *Reader) Next() (byte, error) {
	for {
		for ; r.pos < len(r.buf); r.pos++ {
			switch c := r.buf[r.pos]; c {
			case '\n':
				r.line++
			case ' ', '\t', '\r':
			default:
				return c, nil
			}
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// chunk is how much is read at once, in bytes.
const chunk = 64 << 10

// fill reads more behind what is not consumed.
func (r *Reader) fill() error {
	if r.ended {
		return io.EOF
	}
	n := copy(r.buf, r.buf[r.pos:])
	r.buf, r.pos = r.buf[:n], 0
	if cap(r.buf)-n < chunk {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)+chunk), r.buf...)
	}
	for range 100 { // an io.Reader may return nothing, but not forever
		m, err := r.src.Read(r.buf[n:cap(r.buf)])
		r.buf = r.buf[:n+m]
		r.read += int64(m)
		switch {
		case r.read > r.limits.Total:
			return r.Fail("the text is larger than %d MiB", r.limits.Total>>20)
		case m > 0 && r.read == int64(m):
			return r.begin()
		case m > 0:
			return nil
		case errors.Is(err, io.EOF):
			r.ended = true
			return io.EOF
		case err != nil:
			return fmt.Errorf("cannot be read: %w", err)
		}
	}
	return io.ErrNoProgress
}

// begin looks at the first bytes of the text.
func (r *Reader) begin() error {
	switch {
	case bytes.HasPrefix(r.buf, []byte{0xff, 0xfe}), bytes.HasPrefix(r.buf, []byte{0xfe, 0xff}):
		return r.Fail("the text is UTF-16; JSON is UTF-8")
	case bytes.HasPrefix(r.buf, []byte{0x1f, 0x8b}):
		return r.Fail("the text is compressed by gzip; unpack it first")
	}
	if rest, ok := bytes.CutPrefix(r.buf, []byte("\ufeff")); ok {
		r.buf = rest
	}
	return nil
}

// Object calls field with the name of each field of the object that is next;
// field must consume the value. A name that comes twice is an error.
func (r *Reader) Object(field func(name string) error) error {
	seen := map[string]bool{}
	return r.list('{', '}', "object", func() error {
		if c, err := r.mustNext(); err != nil || c != '"' {
			return cmpError(err, r.Fail("a field's name is missing"))
		}
		var name string
		if err := r.Value(&name); err != nil {
			return err
		}
		if seen[name] {
			return r.Fail("the field %.60q comes twice", name)
		}
		if seen[name] = true; len(seen) > maxFields {
			return r.Fail("an object has more than %d fields", maxFields)
		}
		if c, err := r.mustNext(); err != nil || c != ':' {
			return cmpError(err, r.Fail("a colon is missing behind the field %.60q", name))
		}
		r.pos++
		return field(name)
	})
}

// maxFields is how many fields a walked object may have.
const maxFields = 10_000

// Array calls item at each item of the array that is next; item must consume
// it.
func (r *Reader) Array(item func() error) error { return r.list('[', ']', "array", item) }

// list walks what stands between two brackets.
func (r *Reader) list(open, shut byte, what string, item func() error) error {
	c, err := r.mustNext()
	if err != nil {
		return err
	}
	if c != open {
		return r.Fail("there is %s where an %s must be", Kind(c), what)
	}
	if r.depth++; r.depth > maxDepth {
		return r.Fail("nested deeper than %d", maxDepth)
	}
	r.pos++
	for first := true; ; first = false {
		c, err := r.mustNext()
		switch {
		case err != nil:
			return err
		case c == shut:
			r.pos++
			r.depth--
			return nil
		case first:
		case c != ',':
			return r.Fail("a comma or %q is missing", shut)
		default:
			r.pos++
			if c, err := r.mustNext(); err != nil || c == shut {
				return cmpError(err, r.Fail("there is a comma in front of %q", shut))
			}
		}
		if err := item(); err != nil {
			return err
		}
	}
}

// mustNext is Next where the text must not end.
func (r *Reader) mustNext() (byte, error) {
	c, err := r.Next()
	if errors.Is(err, io.EOF) {
		return 0, r.Fail("the text ends in the middle of a value")
	}
	return c, err
}

func cmpError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Kind says in words what value begins with c.
func Kind(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	if c == '-' || '0' <= c && c <= '9' {
		return "a number"
	}
	return fmt.Sprintf("%q", c)
}

// Value decodes the next value as [json.Unmarshal] does.
func (r *Reader) Value(v any) error {
	raw, err := r.extent()
	if err != nil {
		return err
	}
	if len(raw) > r.limits.Value {
		return r.tooLarge()
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return r.explain(raw, err)
	}
	r.consume(len(raw))
	return nil
}

func (r *Reader) tooLarge() error {
	return r.Fail("a value is larger than %d KiB", r.limits.Value>>10)
}

func (r *Reader) consume(n int) {
	r.line += bytes.Count(r.buf[r.pos:r.pos+n], []byte{'\n'})
	r.pos += n
}

// Skip consumes the next value, which may be larger than what is decoded at
// once.
func (r *Reader) Skip() error {
	c, err := r.mustNext()
	if err != nil {
		return err
	}
	switch c {
	case '{':
		return r.list('{', '}', "object", r.skipField)
	case '[':
		return r.Array(r.Skip)
	}
	var ignored json.RawMessage
	return r.Value(&ignored)
}

func (r *Reader) skipField() error {
	if c, err := r.mustNext(); err != nil || c != '"' {
		return cmpError(err, r.Fail("a field's name is missing"))
	}
	if err := r.Skip(); err != nil {
		return err
	}
	if c, err := r.mustNext(); err != nil || c != ':' {
		return cmpError(err, r.Fail("a colon is missing behind a field's name"))
	}
	r.pos++
	return r.Skip()
}

// explain makes an Error of one of encoding/json.
func (r *Reader) explain(raw []byte, err error) error {
	line := func(offset int64) int {
		return r.line + bytes.Count(raw[:max(0, min(int(offset), len(raw)))], []byte{'\n'})
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Error{line(e.Offset), "this is no JSON: " + e.Error()}
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		message := fmt.Sprintf("there is a %s where a %s must be", e.Value, typeName(e.Type))
		if e.Field != "" {
			message = fmt.Sprintf("the field %.60q holds a %s and must hold a %s", e.Field, e.Value, typeName(e.Type))
		}
		return &Error{line(e.Offset), message}
	}
	return &Error{r.line, err.Error()}
}

// typeName is the JSON type that is decoded into t.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	}
	return "whole number"
}
