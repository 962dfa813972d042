package plain

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/policy"
)

// ShellWord returns text as one word of a command that a person copies into a
// shell: redacted, and quoted by the rules of POSIX. ok is false if no such word
// is harmless to a terminal.
func ShellWord(text string) (word string, ok bool) {
	word, err := syntax.Quote(policy.Redact(text), syntax.LangPOSIX)
	return word, err == nil && Text(word) == word
}
