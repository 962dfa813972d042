package reqfile

import (
	"errors"
	"io/fs"
	"strconv"
)

// ErrorKind says at which step a file failed.
type ErrorKind int

// The kinds. Syntax is what pip's reader refuses; that a requirement's own
// text is wrong is found out later, by its parser.
const (
	Syntax     ErrorKind = iota + 1
	Unreadable           // a file is missing or can't be opened
	Outside              // a path leads out of the root
	Cycle                // a file includes itself, at once or in a circle
	Encoding             // bytes that are not text in the file's encoding
	Limit                // more than Limits allow
)

// Error is the fault that ended a Read. It never holds content of a file
// beyond the path of an include.
type Error struct {
	// File is the path, relative to the root, of the file at fault.
	File string
	// Line counts from 1 as pip counts; 0 is the file as a whole.
	Line int
	Kind ErrorKind
	// Msg is one line.
	Msg string
	err error
}

// Error gives "file:line: message".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Msg
}

// Unwrap gives what Options.Open returned, if that was the fault.
func (e *Error) Unwrap() error { return e.err }

// quote makes a path fit to print: control characters, escapes and marks that
// turn text around are written as escapes.
func quote(path string) string {
	const most = 200
	if len(path) > most {
		path = path[:most] + "…"
	}
	return strconv.QuoteToGraphic(path)
}

// why words an error of Options.Open without the paths that it may name.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, errTooLarge):
		return "it is " + errTooLarge.Error()
	}
	return "it can't be opened as a file"
}
