// Package setuppy reads the requirements that a setup.py declares, without
// running it: the arguments install_requires, setup_requires, tests_require,
// extras_require and python_requires of calls of setup(), where they are plain
// lists of strings. What only running can tell is said to be unprovable; no
// setup.py passes in silence.
//
// It is pure, and knows Python's tokens only, not its grammar.
package setuppy

import "strconv"

// Keys of Item and Unprovable.
const (
	InstallRequires = "install_requires"
	SetupRequires   = "setup_requires"
	TestsRequire    = "tests_require"
	ExtrasRequire   = "extras_require"
	PythonRequires  = "python_requires"
)

// Item is one requirement.
type Item struct {
	Key string
	// Extra is the key in extras_require, as written: "name", "name:marker" or
	// ":marker".
	Extra string
	// Text is handed to the requirement parser; of python_requires it is a
	// list of specifiers.
	Text string
	// Line counts from 1. Start and End are the text's bytes in the file if
	// Exact; else the string has escapes or is put together from several.
	Line, Start, End int
	Exact            bool
}

// Unprovable is what can't be read without running the file.
type Unprovable struct {
	// Key is the argument; "" means any of them.
	Key string
	// Line counts from 1.
	Line int
	// Reason is one line, and holds nothing of the file.
	Reason string
}

// Setup is what the calls of setup() in a file declare.
type Setup struct {
	Items      []Item
	Unprovable []Unprovable
}

// Error is where the file can't be Python.
type Error struct {
	// Line counts from 1.
	Line int
	// Msg is one line and holds nothing of the file.
	Msg string
}

// Error gives "line N: message".
func (e *Error) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Msg }

// mostBytes is the size of a file that is still read. The largest setup.py of
// well-known projects have about 100 kB.
const mostBytes = 1 << 20

// Parse reads a setup.py. The error is an *Error.
func Parse(src []byte) (Setup, error) {
	if len(src) > mostBytes {
		return Setup{}, &Error{1, "the file is larger than 1 MiB, too large for a setup.py"}
	}
	tokens, err := tokenize(string(src))
	if err != nil {
		return Setup{}, err
	}
	f := newFile(string(src), tokens)
	calls := f.calls()
	for _, open := range calls {
		f.arguments(open)
	}
	if len(calls) == 0 {
		f.unprovable("", 0, "there is no call of setup() to read")
	}
	return f.out, nil
}
