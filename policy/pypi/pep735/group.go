// Package pep735 resolves the dependency groups of a pyproject.toml: the table
// [dependency-groups] of PEP 735, and of the packaging specification that
// keeps it. It reads no TOML: the caller says what stands in the table, and
// gets its own positions back.
//
// The specification wants names of groups to be valid names. Python's
// packaging doesn't hold to that, nor do projects, and this package doesn't
// either: names are only compared, by pep503.Normalize.
package pep735

// Group is one key of the table.
type Group struct {
	// Name is as written.
	Name string
	// At is where the key stands. This package only hands it back.
	At int
	// NotList says that the value is no array; Entries is then not looked at.
	NotList bool
	Entries []Entry
}

// Entry is one value of a group's array.
type Entry struct {
	Kind Kind
	// Text is a requirement, or the name of an included group.
	Text string
	// At is where the value stands. This package only hands it back.
	At int
}

// Kind says what an entry is.
type Kind uint8

// The kinds. The last two are errors.
const (
	// Requirement is a string: a dependency specifier.
	Requirement Kind = iota
	// Include is a table with the one key include-group and a string.
	Include
	// OtherTable is any other table.
	OtherTable
	// OtherType is a value that is neither a string nor a table, or a table
	// whose include-group is no string.
	OtherType
)
