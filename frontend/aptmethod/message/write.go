package message

import (
	"io"
	"sync"
)

// Writer writes messages to one stream. It may be used by several goroutines:
// each message is one Write, whole and at once.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
	buf []byte
	err error
}

// NewWriter returns a Writer for out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes a message: its first line, its fields in their order, and the
// blank line. Fields without a value are left out. Control characters become
// blanks, so that no value can end its line. It returns the first error that
// the stream ever gave; nothing is written after one.
func (w *Writer) Write(first string, fields ...Field) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.buf = append(appendText(w.buf[:0], first), '\n')
	for _, f := range fields {
		if f.Value == "" {
			continue
		}
		w.buf = append(appendText(w.buf, f.Name), ": "...)
		w.buf = append(appendText(w.buf, f.Value), '\n')
	}
	w.buf = append(w.buf, '\n')
	_, w.err = w.out.Write(w.buf)
	return w.err
}

// Err returns the first error that the stream gave.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// appendText appends s with each control character as a blank. Other bytes are
// kept: a file's name is any bytes.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c != 0x7f {
			b = append(b, c)
		} else {
			b = append(b, ' ')
		}
	}
	return b
}
