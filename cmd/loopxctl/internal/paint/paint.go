// Package paint colours text for a terminal.
package paint

import (
	"io"
	"os"
)

// Painter adds colour if it is true, and is the identity if not.
type Painter bool

// Bold is for names.
func (p Painter) Bold(s string) string { return p.wrap("1", s) }

// Faint is for what can be skipped.
func (p Painter) Faint(s string) string { return p.wrap("2", s) }

// Red is for what is removed or refused.
func (p Painter) Red(s string) string { return p.wrap("31", s) }

// Green is for what is added or moved to TLS.
func (p Painter) Green(s string) string { return p.wrap("32", s) }

// Yellow is for warnings.
func (p Painter) Yellow(s string) string { return p.wrap("33", s) }

// Cyan is for places.
func (p Painter) Cyan(s string) string { return p.wrap("36", s) }

func (p Painter) wrap(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// For decides what colour one writer gets. choice is "always", "never" or
// "auto", which colours a terminal, unless NO_COLOR (https://no-color.org) is
// set and not empty, or TERM is "dumb".
func For(choice string, w io.Writer, env func(string) (string, bool)) Painter {
	switch choice {
	case "always":
		return true
	case "never":
		return false
	}
	noColor, _ := env("NO_COLOR")
	term, _ := env("TERM")
	return Painter(noColor == "" && term != "dumb" && IsTerminal(w))
}

// IsTerminal reports whether w is a terminal. It takes every character device for
// one: colour that goes to /dev/null harms nobody.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
