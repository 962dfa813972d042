package pep508

import "fmt"

// SyntaxError says why a text is no requirement, or no marker.
type SyntaxError struct {
	// Offset is where the error was seen, in bytes from 0.
	Offset int
	// Msg is one line and says what to do. It quotes no more of the text
	// than one word of a marker or one clause of a specifier: never a URL.
	Msg string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (at byte %d)", e.Msg, e.Offset)
}

// UndefinedError is a marker's use of a variable that has no value where it is
// evaluated.
type UndefinedError struct {
	// Variable is the name, or the text that stands in a name's place.
	Variable string
}

func (e *UndefinedError) Error() string {
	return fmt.Sprintf("the marker needs a value for %q: give one, or compare with a variable that has one", e.Variable)
}

// ComparisonError is a comparison that is not defined for its values.
type ComparisonError struct {
	// Comparison is in normal form.
	Comparison string
}

func (e *ComparisonError) Error() string {
	return fmt.Sprintf("the comparison %q is not defined: ~= and === compare versions only, and a set is only asked with in and not in", e.Comparison)
}
