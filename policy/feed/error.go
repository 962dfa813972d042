package feed

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Error is one failure, told so that a person can act on it.
type Error struct {
	// Name is the file or the address, without secrets; a file in an archive or
	// a folder stands behind ": ".
	Name string
	// Line counts from 1; 0 if the failure is on no line.
	Line int
	// Message says what is wrong, in one line.
	Message string
	// Todo says what to do about it; it may be empty.
	Todo string
	// Err is the cause; nil if there is none.
	Err error
}

// Error returns "NAME:LINE: message" as harmless text.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": " + e.Message)
	return plain.Text(b.String())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// cannot makes an Error of what the system said about a file.
func cannot(name, verb string, err error) *Error {
	reason := err.Error()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		reason = e.Err.Error()
	}
	return &Error{Name: name, Message: "cannot be " + verb + ": " + reason, Err: err}
}

// inText makes an Error of what is wrong in a text.
func inText(name string, err error) error {
	if e, ok := errors.AsType[*osv.Error](err); ok {
		return &Error{Name: name, Line: e.Line, Message: e.Message, Todo: "Only records in the form of OSV are read: https://ossf.github.io/osv-schema/.", Err: err}
	}
	return err
}

// size writes a limit for people.
func size(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
