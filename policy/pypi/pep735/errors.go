package pep735

import "fmt"

// Problem is the kind of an Error.
type Problem uint8

// The problems.
const (
	// TooMany is more groups than MaxGroups, or a resolution that is longer
	// than MaxResolved.
	TooMany Problem = iota
	// DuplicateName is a group whose normalized name another one has.
	DuplicateName
	// NotFound is an include of a group that isn't there, or a question for
	// one.
	NotFound
	// Cycle is an include that leads back to its own group.
	Cycle
	// BadTable is a table that includes no group.
	BadTable
	// BadType is a value of another type, of a group or in it.
	BadType
	// BadRequirement is a text that is no requirement.
	BadRequirement
)

// Error is one thing that is wrong with the table.
type Error struct {
	Problem Problem
	// Group is the group where it stands, as written.
	Group string
	// At is the position of the entry or the group. It is -1 if the error is
	// about a question.
	At int
	// Msg is one line and says what to do. Names in it are quoted.
	Msg string
	// Err is pep508's *SyntaxError of a BadRequirement, else nil.
	Err error
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// maxQuoted is how much of a name a message shows, in bytes.
const maxQuoted = 100

// quote shows a name so that nothing in it reaches a terminal as it is.
func quote(name string) string {
	if len(name) > maxQuoted {
		return fmt.Sprintf("%q…", name[:maxQuoted])
	}
	return fmt.Sprintf("%q", name)
}

func duplicateName(first, second Group) *Error {
	return &Error{
		Problem: DuplicateName, Group: second.Name, At: second.At,
		Msg: fmt.Sprintf("the dependency groups %s and %s have the same name when case, -, _ and . don't count: rename or join them", quote(first.Name), quote(second.Name)),
	}
}

func notList(g Group) *Error {
	return &Error{
		Problem: BadType, Group: g.Name, At: g.At,
		Msg: fmt.Sprintf("the dependency group %s is no array: put its requirements in [ ]", quote(g.Name)),
	}
}

func badEntry(g Group, e Entry) *Error {
	bad := &Error{Problem: BadType, Group: g.Name, At: e.At}
	if e.Kind == OtherTable {
		bad.Problem = BadTable
	}
	bad.Msg = fmt.Sprintf("an entry of the dependency group %s is neither a requirement in quotes nor { include-group = \"NAME\" }: make it one of the two", quote(g.Name))
	return bad
}

func badRequirement(g Group, e Entry, err error) *Error {
	return &Error{
		Problem: BadRequirement, Group: g.Name, At: e.At, Err: err,
		Msg: fmt.Sprintf("a requirement of the dependency group %s can't be read: %v", quote(g.Name), err),
	}
}

func notFound(g Group, e Entry) *Error {
	return &Error{
		Problem: NotFound, Group: g.Name, At: e.At,
		Msg: fmt.Sprintf("the dependency group %s includes %s, which is not there: correct the name, or write the group", quote(g.Name), quote(e.Text)),
	}
}

func notAsked(name string) *Error {
	return &Error{
		Problem: NotFound, Group: name, At: -1,
		Msg: fmt.Sprintf("there is no dependency group %s: correct the name, or write the group", quote(name)),
	}
}

// cycle names both ends: the group with the include, and the included one.
func cycle(g Group, e Entry, included Group) *Error {
	bad := &Error{Problem: Cycle, Group: g.Name, At: e.At}
	if g.Name == included.Name {
		bad.Msg = fmt.Sprintf("the dependency group %s includes itself: take the include away", quote(g.Name))
		return bad
	}
	bad.Msg = fmt.Sprintf("the dependency group %s includes %s, which includes %s in turn: take one of the two includes away", quote(g.Name), quote(included.Name), quote(g.Name))
	return bad
}

func tooManyGroups(g Group) *Error {
	return &Error{
		Problem: TooMany, Group: g.Name, At: g.At,
		Msg: fmt.Sprintf("there are more than %d dependency groups: split the project", MaxGroups),
	}
}

func tooLong(name string) *Error {
	return &Error{
		Problem: TooMany, Group: name, At: -1,
		Msg: fmt.Sprintf("the dependency group %s has more than %d requirements with its includes: include each group once", quote(name), MaxResolved),
	}
}
