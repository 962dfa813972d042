package jsonstream

import (
	"errors"
	"io"
)

// extent returns the bytes of the next value, which it does not consume. Only
// brackets and strings are looked at: the value may still be no JSON.
func (r *Reader) extent() ([]byte, error) {
	if _, err := r.mustNext(); err != nil {
		return nil, err
	}
	var s scan
	for n := 0; ; {
		for ; r.pos+n < len(r.buf); n++ {
			switch s.step(r.buf[r.pos+n]) {
			case inside:
			case last:
				return r.buf[r.pos : r.pos+n+1], nil
			case behind:
				return r.buf[r.pos : r.pos+n], nil
			}
		}
		if n > r.limits.Value {
			return nil, r.tooLarge()
		}
		if err := r.fill(); errors.Is(err, io.EOF) {
			if s.scalar {
				return r.buf[r.pos : r.pos+n], nil
			}
			return nil, r.Fail("the text ends in the middle of a value")
		} else if err != nil {
			return nil, err
		}
	}
}

// scan finds the end of a value, byte by byte.
type scan struct {
	depth             int
	inString, escaped bool
	scalar            bool // a number or a word, which nothing closes
}

// place is where a byte stands.
type place int

const (
	inside place = iota
	last         // the byte ends the value
	behind       // the byte stands behind the value
)

func (s *scan) step(c byte) place {
	if s.inString {
		return s.stepString(c)
	}
	switch c {
	case '"':
		if s.scalar {
			return behind
		}
		s.inString = true
	case '{', '[':
		if s.scalar {
			return behind
		}
		s.depth++
	case '}', ']':
		if s.depth == 0 {
			return s.outside()
		}
		if s.depth--; s.depth == 0 {
			return last
		}
	case ',', ':', ' ', '\t', '\r', '\n':
		if s.depth == 0 {
			return s.outside()
		}
	default:
		s.scalar = s.scalar || s.depth == 0
	}
	return inside
}

// outside is the place of a byte that can't be part of a value outside of
// brackets. Where nothing came before, it is taken as a value of one byte, which
// encoding/json refuses.
func (s *scan) outside() place {
	if s.scalar {
		return behind
	}
	return last
}

func (s *scan) stepString(c byte) place {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		if s.inString = false; s.depth == 0 {
			return last
		}
	}
	return inside
}
