package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing that is wrong in the file.
type Error struct {
	File string
	// Line and Column count from 1, Column in characters as YAML does; 0 is
	// unknown.
	Line, Column int
	// Message is one line and says what to do.
	Message string
}

// Error gives "file:line:column: message", as far as it is known.
func (e *Error) Error() string {
	at := e.File
	for _, n := range []int{e.Line, e.Column} {
		if n <= 0 {
			break
		}
		at = fmt.Sprintf("%s:%d", at, n)
	}
	return at + ": " + e.Message
}

// Errors are all that is wrong, in the order of the file: at least one.
type Errors []*Error

// mostErrors is how many are told at once.
const mostErrors = 20

// Error gives one line for each, and how many more there are.
func (all Errors) Error() string {
	var lines []string
	for i, e := range all {
		if i == mostErrors {
			lines = append(lines, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// sorted returns the errors by place, or nil if there is none.
func (all Errors) sorted() error {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return all
}
