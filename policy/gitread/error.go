package gitread

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Error is one thing that cannot be read, told so that a person can act on it.
type Error struct {
	// Message is one line of text only.
	Message string
	// Todo says what to do about it; it may be "".
	Todo string
	// Err is why, for errors.Is; it may be nil.
	Err error
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Why something cannot be read.
var (
	// ErrShallow is history that a shallow clone lacks.
	ErrShallow = errors.New("the clone is shallow")
	// ErrUnrelated are two commits without a common one.
	ErrUnrelated = errors.New("the commits have no common history")
	// ErrMissing is an object that the repository lacks, as a partial clone does.
	ErrMissing = errors.New("the object is not in this repository")
	// ErrOutside is a symbolic link that leads out of the tree.
	ErrOutside = errors.New("the link leads out of the tree")
	// ErrLoop is a symbolic link that leads to itself, or through too many.
	ErrLoop = errors.New("the link leads in a circle")
	// ErrTooLarge is a file that is larger than what is read.
	ErrTooLarge = errors.New("the file is too large")
)

// deepen is what to do about a shallow clone.
const deepen = "Fetch the whole history: fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 for GitLab, or git fetch --unshallow."

// status is a command that failed.
type status struct {
	code    int
	command string
	diag    string
}

// Error is what git says, in one line.
func (s *status) Error() string {
	text := strings.Join(strings.FieldsFunc(s.diag, func(r rune) bool { return r == '\n' }), "; ")
	if text == "" {
		text = fmt.Sprintf("it ended with exit code %d", s.code)
	}
	return plain.Text("git " + s.command + ": " + text)
}

// failed makes an [*Error] of what git says about something.
func failed(what string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Message: plain.Text(what) + ": " + err.Error(), Err: err}
}

func notRepository(dir string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := &Error{Message: "git reads no repository here", Todo: "Run it in the clone of a repository, or name one with --root.", Err: err}
	if dir != "" {
		e.Message = plain.Text(dir) + ": git reads no repository here"
	}
	if s, ok := errors.AsType[*status](err); ok {
		e.Message += ": " + strings.TrimPrefix(s.Error(), "git rev-parse: ")
		if strings.Contains(s.diag, "dubious ownership") {
			e.Todo = "The folder belongs to another user. If that is meant: git config --global --add safe.directory FOLDER"
		}
	}
	return e
}

// pathError is what [fs.FS] wants.
func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
