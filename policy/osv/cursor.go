package osv

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// Error says what is wrong with a text. Line counts from 1.
type Error struct {
	Line    int
	Message string
}

// Error returns the message with its line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// cursor walks JSON text that is in memory, strictly: names are matched by
// their case, and a name that comes twice is an error. Strings without escapes
// are parts of the text, so nothing is copied.
//
// Package jsonstream walks a stream; it hands each value to encoding/json, which
// takes a name that comes twice and any case, and is some ten times slower on
// what an export consists of: hundreds of thousands of short strings.
type cursor struct {
	text  string
	pos   int
	depth int
	line  int // of the text's start
}

// maxDepth is how deep objects and arrays may be nested. The schema needs 7.
const maxDepth = 200

func (c *cursor) fail(format string, args ...any) error {
	line := c.line + strings.Count(c.text[:min(c.pos, len(c.text))], "\n")
	return &Error{line, fmt.Sprintf(format, args...)}
}

// next returns the first byte of the next value or punctuation, which it does
// not consume: 0 at the end.
func (c *cursor) next() byte {
	for ; c.pos < len(c.text); c.pos++ {
		switch b := c.text[c.pos]; b {
		case ' ', '\t', '\r', '\n':
		case 0:
			return invalid
		default:
			return b
		}
	}
	return 0
}

// invalid stands for a byte that begins nothing.
const invalid = '\x7f'

// take consumes the byte that must come next.
func (c *cursor) take(want byte, where string) error {
	got := c.next()
	if got == want {
		c.pos++
		return nil
	}
	if got == 0 {
		return c.fail("the text ends in the middle of a value")
	}
	return c.fail("there is %s where %s must be", kind(got), where)
}

// object calls field with the name of each field of the object that is next;
// field must consume the value. strict makes a name that comes twice an error.
func (c *cursor) object(strict bool, field func(name string) error) error {
	if err := c.take('{', "an object"); err != nil {
		return err
	}
	var few [16]string // no allocation for the objects of the schema
	seen := few[:0]
	return c.list('}', func() error {
		if c.next() != '"' {
			return c.take('"', "a field's name")
		}
		name, err := c.str()
		if err != nil {
			return err
		}
		if strict {
			if slices.Contains(seen, name) {
				return c.fail("the field %.60q comes twice", name)
			}
			if seen = append(seen, name); len(seen) > maxFields {
				return c.fail("an object has more than %d fields", maxFields)
			}
		}
		if err := c.take(':', "a colon"); err != nil {
			return err
		}
		return field(name)
	})
}

// maxFields is how many fields an object of the schema may have, known or not.
const maxFields = 200

// array calls item at each item of the array that is next; item must consume
// it.
func (c *cursor) array(item func() error) error {
	if err := c.take('[', "an array"); err != nil {
		return err
	}
	return c.list(']', item)
}

// list walks what stands behind an opening bracket.
func (c *cursor) list(shut byte, item func() error) error {
	if c.depth++; c.depth > maxDepth {
		return c.fail("nested deeper than %d", maxDepth)
	}
	for first := true; ; first = false {
		got := c.next()
		switch {
		case got == shut:
			c.pos++
			c.depth--
			return nil
		case first:
		case got != ',':
			return c.take(',', fmt.Sprintf("a comma or %q", shut))
		default:
			c.pos++
			if c.next() == shut {
				return c.fail("there is a comma in front of %q", shut)
			}
		}
		if err := item(); err != nil {
			return err
		}
	}
}

// str consumes the string that must come next.
func (c *cursor) str() (string, error) {
	if err := c.take('"', "a string"); err != nil {
		return "", err
	}
	start := c.pos
	for escaped := false; c.pos < len(c.text); c.pos++ {
		switch b := c.text[c.pos]; {
		case b == '"':
			raw := c.text[start:c.pos]
			c.pos++
			if escaped {
				return c.unquote(start-1, raw)
			}
			return raw, nil
		case b == '\\':
			escaped = true
			c.pos++
		case b < ' ':
			return "", c.fail("a string holds the control character %#02x", b)
		}
	}
	c.pos = len(c.text)
	return "", c.fail("the text ends in the middle of a string")
}

// unquote reads a string with escapes, which begins at the offset start.
func (c *cursor) unquote(start int, raw string) (string, error) {
	var s string
	if err := json.Unmarshal([]byte(c.text[start:c.pos]), &s); err != nil {
		c.pos = start
		return "", c.fail("the string %.60q is no JSON: %v", raw, err)
	}
	return s, nil
}

// null consumes null if it comes next.
func (c *cursor) null() bool {
	if c.next() != 'n' || !strings.HasPrefix(c.text[c.pos:], "null") {
		return false
	}
	c.pos += len("null")
	return true
}

// skip consumes the next value, whatever it is.
func (c *cursor) skip() error {
	switch b := c.next(); b {
	case '{':
		return c.object(false, func(string) error { return c.skip() })
	case '[':
		return c.array(c.skip)
	case '"':
		_, err := c.str()
		return err
	case 0:
		return c.fail("the text ends in the middle of a value")
	default:
		return c.scalar(b)
	}
}

// scalar consumes a number or a word.
func (c *cursor) scalar(first byte) error {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(c.text[c.pos:], word) {
			c.pos += len(word)
			return nil
		}
	}
	end := c.pos
	for end < len(c.text) && strings.IndexByte("+-.eE0123456789", c.text[end]) >= 0 {
		end++
	}
	if !json.Valid([]byte(c.text[c.pos:end])) {
		return c.fail("there is %s where a value must be", kind(first))
	}
	c.pos = end
	return nil
}

// kind says in words what begins with b.
func kind(b byte) string {
	switch {
	case b == invalid:
		return "a control character"
	case b >= utf8.RuneSelf:
		return "a character"
	}
	return jsonstream.Kind(b)
}
