package pep440

import "fmt"

// SyntaxError says where a text is no version number or no list of
// specifiers.
type SyntaxError struct {
	// What was read: "version" or "specifier".
	What string
	// Text is the version or the clause that doesn't hold.
	Text string
	// Offset is the byte in the whole text where reading ended.
	Offset int
	// Message says what was expected there.
	Message string
}

// maxShown is how much of a broken text an error shows, in bytes.
const maxShown = 60

// Error shows the text quoted, so that nothing in it reaches a terminal as it
// is.
func (e *SyntaxError) Error() string {
	text, more := e.Text, ""
	if len(text) > maxShown {
		text, more = text[:maxShown], "…"
	}
	return fmt.Sprintf("invalid %s %q%s at byte %d: %s", e.What, text, more, e.Offset, e.Message)
}
