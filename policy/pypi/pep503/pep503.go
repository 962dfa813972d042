// Package pep503 compares names of Python projects, extras and dependency
// groups: PEP 503, and the name normalization page of the packaging
// specifications that took its place.
package pep503

import "strings"

// Normalize returns the form in which names are compared: lower case, with
// each run of ".", "-" and "_" made one "-". Any text is taken; Valid says
// whether it is a name. A name that is in this form already is returned as it
// is, without a copy.
func Normalize(name string) string {
	if normalized(name) {
		return name
	}
	var out strings.Builder
	out.Grow(len(name))
	separated := false
	for i := range len(name) {
		c := name[i]
		if separator(c) {
			if !separated {
				out.WriteByte('-')
			}
			separated = true
			continue
		}
		separated = false
		out.WriteByte(c)
	}
	return strings.ToLower(out.String())
}

// Valid reports whether the text is a name: ASCII letters, digits, ".", "-"
// and "_", with a letter or a digit at both ends. It need not be normalized.
func Valid(name string) bool {
	if name == "" || !alphanumeric(name[0]) || !alphanumeric(name[len(name)-1]) {
		return false
	}
	for i := range len(name) {
		if !alphanumeric(name[i]) && !separator(name[i]) {
			return false
		}
	}
	return true
}

// normalized reports whether Normalize has nothing to do. Text that is not
// ASCII may have upper case, and is left to Normalize.
func normalized(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '-' && (i == 0 || name[i-1] != '-'):
		default:
			return false
		}
	}
	return true
}

func separator(c byte) bool { return c == '-' || c == '_' || c == '.' }

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
