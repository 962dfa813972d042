// Package aptsource reads the text of apt's sources (one-line ".list" files,
// deb822 ".sources" files, mirror lists) as apt reads it, and finds the bytes
// of every URI, so that a routed URI changes those bytes and nothing else.
//
// Where a file is malformed apt stops at the first complaint and then reads no
// source at all. This package goes on, so that the other entries are found
// too, and lists every [Problem].
//
// The text may be a template: a shell variable whose value is not known stands
// in it as ${NAME} (no blanks inside). A line or stanza may then lack what the
// variable can supply, where apt would complain.
//
// # Versions of apt
//
// The readers follow apt 2.6.1. A test gives the real apt of the machine the
// same files and compares; it has passed with 2.2.4, 2.6.1 and 3.0.4, which
// differ only in these points:
//
//   - up to 2.2 apt prints a URI as written, not in the form of
//     [Entry.Address];
//   - before 2.3.10 Signed-By takes file names and fingerprints, no key;
//   - from 3.0 an entry without signed-by may follow one that has it, which is
//     a Problem here;
//   - an empty suite ("") is accepted, but aborts 3.0.
//
// Before 1.6 deb822 values could not be folded, and before 1.1 apt read no
// ".sources" files.
//
// Three accidents of apt's reader are not followed: a carriage return that
// begins a line of a stanza which apt has to look at twice; a line of 4095
// bytes, to which apt joins the next one; and all suites counting as one for a
// URI that begins with a colon.
package aptsource

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Format is how a text is read.
type Format uint8

// The formats of apt's sources.
const (
	// NotRead is a file that apt does not look at.
	NotRead Format = iota
	// OneLine is sources.list and *.list: one source per line.
	OneLine
	// Deb822 is *.sources: stanzas of fields.
	Deb822
	// MirrorList is the file that a mirror: source names: one URI per line.
	MirrorList
)

// String returns the name of f in words.
func (f Format) String() string {
	return [...]string{"not read by apt", "one-line", "deb822", "mirror list"}[f]
}

// Entry is one URI of the text with what apt fetches from it.
type Entry struct {
	Format Format
	// Line is where the URI stands, counted from 1.
	Line int
	// Enabled is false in a stanza with "Enabled: no": apt skips it.
	Enabled bool
	// Types are "deb", "deb-src" or both; nil in a mirror list.
	Types []string
	// URI is the URI's bytes as written, quotes and percent escapes included.
	URI textmap.Text
	// Decoded is the URI after apt's own decoding, which removes quotes and
	// percent escapes in the one-line format and nothing in the others. It may
	// hold userinfo: never print it.
	Decoded string
	// Suites and Components are as written; "$(ARCH)" is not replaced.
	// Components is empty for an exact path (a suite that ends in "/").
	Suites, Components []string
	// Options are named as in the one-line format ("arch", "signed-by",
	// "trusted") whatever the format; those that apt reads as lists are split.
	Options map[string][]string
}

// Address returns the URI as apt prints it and asks its methods for: brought
// into one form and ending in "/". It may hold userinfo.
func (e Entry) Address() string {
	s := canonical(e.Decoded)
	if strings.HasSuffix(s, "/") {
		return s
	}
	return s + "/"
}

// Problem is a complaint of apt about the text.
type Problem struct {
	// Line is where the malformed line or stanza starts, counted from 1.
	Line int
	// Message is apt's, without the name of the file, and without words that
	// could hold a secret.
	Message string
}

// Parse reads t in the given format. A mirror list has no problems: apt takes
// every line of it for a URI.
func Parse(t textmap.Text, f Format) ([]Entry, []Problem) {
	switch f {
	case OneLine:
		return ParseList(t)
	case Deb822:
		return ParseSources(t)
	case MirrorList:
		return ParseMirrorList(t), nil
	}
	return nil, nil
}

// Detect says how apt reads a file of this name in its folder for sources:
// sources.list is always one-line; any other name must end in ".list" or
// ".sources" and be made of letters, digits and "_-:." (apt's
// GetListOfFilesInDir), else apt skips it. Folders are not looked at. ${NAME}
// in the name stands for any of these characters.
func Detect(path string) Format {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case name == "sources.list":
		return OneLine
	case strings.HasPrefix(name, ".") || !plainName(name):
		return NotRead
	case strings.HasSuffix(name, ".list"):
		return OneLine
	case strings.HasSuffix(name, ".sources"):
		return Deb822
	}
	return NotRead
}

func plainName(name string) bool {
	for {
		before, rest, found := strings.Cut(name, "${")
		for _, c := range []byte(before) {
			if !isAlnum(c) && strings.IndexByte("_-:.", c) < 0 {
				return false
			}
		}
		if !found {
			return true
		}
		if _, name, found = strings.Cut(rest, "}"); !found {
			return false
		}
	}
}

// isTemplate reports whether s holds a variable that is not known yet.
func isTemplate(s string) bool { return strings.Contains(s, "${") }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// isSpace is C's isspace in the "C" locale.
func isSpace(c byte) bool { return '\t' <= c && c <= '\r' || c == ' ' }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' || 'a' <= c && c <= 'f'
}

// known reports whether apt has a source type of this name.
func known(typ string) bool { return typ == "deb" || typ == "deb-src" }

// unknownType returns apt's complaint about a type. The word is shown only if
// it looks like a type: it may be a URI with a password.
func unknownType(typ string) string {
	for _, c := range []byte(typ) {
		if !isAlnum(c) && c != '-' {
			return "Type is not known"
		}
	}
	return "Type '" + typ + "' is not known"
}
