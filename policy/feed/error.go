package feed

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/loopx/loopx-frontend/policy/diagnostic"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// Error is one failure.
type Error = diagnostic.Error

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
