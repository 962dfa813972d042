// Package fault holds the one error that loopxctl shows for an input that it
// cannot read or an output that it cannot write.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Error is one failure, told so that a person can act on it.
type Error struct {
	// File is the name as the person wrote it; empty if no file is meant.
	File string
	// Line counts from 1; 0 if the failure is not on a line.
	Line int
	// Message says what is wrong, in one line.
	Message string
	// Todo says what to do about it; it may be empty.
	Todo string
}

// Error returns "FILE:LINE: message" without the parts that are not known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Of makes an Error of what the system said about file: "verb: reason",
// without the path, which the Error names already.
func Of(file, verb string, err error) *Error {
	reason := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err.Error()
	}
	return &Error{File: file, Message: verb + ": " + reason}
}
