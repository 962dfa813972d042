// Package diagnostic is the error of what reads and writes files for the checks: it
// names the place, and says what to do.
package diagnostic

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Error is one failure, told so that a person can act on it.
type Error struct {
	// Name is the file, the folder or the address, without secrets; a file in an
	// archive or a folder stands behind ": ".
	Name string
	// Line counts from 1; 0 if the failure is on no line.
	Line int
	// Message says what is wrong, in one line, and Todo what to do about it; Todo
	// may be empty.
	Message, Todo string
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
