package setuppy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// isPrefix says whether letters may stand in front of a quote.
func isPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}

// quoteAt gives the quote that opens a string: one character or three.
func quoteAt(src string, at int) string {
	if triple := strings.Repeat(src[at:at+1], 3); strings.HasPrefix(src[at:], triple) {
		return triple
	}
	return src[at : at+1]
}

// mostNested is how deep strings may stand in the fields of strings.
const mostNested = 20

// stringEnd gives the end of a string that begins at start, its opening quote
// at quote; -1 if it has none.
func stringEnd(src string, start, quote, depth int) int {
	q := quoteAt(src, quote)
	fields := strings.ContainsAny(src[start:quote], "fFtT")
	for i := quote + len(q); i < len(src); {
		switch c := src[i]; {
		case strings.HasPrefix(src[i:], q):
			return i + len(q)
		case c == '\\' && fields && strings.HasPrefix(src[i:], `\{`):
			i++
		case c == '\\':
			i += 2
			// A backslash in front of \r\n takes both.
			if i < len(src) && src[i-1] == '\r' && src[i] == '\n' {
				i++
			}
		case (c == '\n' || c == '\r') && len(q) == 1:
			return -1
		case c == '{' && fields:
			if strings.HasPrefix(src[i:], "{{") {
				i += 2
			} else if i = fieldEnd(src, i+1, q, depth); i < 0 {
				return -1
			}
		default:
			i++
		}
	}
	return -1
}

// fieldEnd gives the end of a field "{expression!r:spec}" in a string, from
// behind its brace; -1 if there is none. Strings in the expression may have
// the quotes of the string around (PEP 701); in the spec, quotes are text.
func fieldEnd(src string, i int, q string, depth int) int {
	if depth >= mostNested {
		return -1
	}
	brackets := 0
	for start := i; i < len(src); {
		switch c := src[i]; {
		case c == '"' || c == '\'':
			from := i
			for from > start && isWord(src[from-1]) {
				from--
			}
			if !isPrefix(src[from:i]) {
				from = i
			}
			if i = stringEnd(src, from, i, depth+1); i < 0 {
				return -1
			}
			start = i
			continue
		case c == '#':
			n := strings.IndexAny(src[i:], "\r\n")
			if n < 0 {
				return -1
			}
			i += n
		case c == '(' || c == '[' || c == '{':
			brackets++
		case c == '}' && brackets == 0:
			return i + 1
		case c == ')' || c == ']' || c == '}':
			brackets--
		case c == ':' && brackets == 0:
			return specEnd(src, i+1, q, depth)
		}
		i++
	}
	return -1
}

// specEnd gives the end of a field from within its format.
func specEnd(src string, i int, q string, depth int) int {
	for i < len(src) {
		switch {
		case strings.HasPrefix(src[i:], q):
			return -1
		case src[i] == '}':
			return i + 1
		case src[i] == '{':
			if i = fieldEnd(src, i+1, q, depth+1); i < 0 {
				return -1
			}
		default:
			i++
		}
	}
	return -1
}

// literal is the value of a string token.
type literal struct {
	text string
	// body is where the text begins in the file, if it stands there as it is.
	body  int
	exact bool
}

// stringValue gives the value of a string token; not ok for bytes, strings
// with fields, and characters by name.
func stringValue(src string, start, end int) (literal, bool) {
	quote := start + strings.IndexAny(src[start:end], `"'`)
	prefix := strings.ToLower(src[start:quote])
	if strings.ContainsAny(prefix, "bft") {
		return literal{}, false
	}
	q := quoteAt(src, quote)
	body := src[quote+len(q) : end-len(q)]
	if prefix == "r" || !strings.Contains(body, `\`) {
		return literal{body, quote + len(q), true}, utf8.ValidString(body)
	}
	text, ok := unescape(body)
	return literal{text: text}, ok && utf8.ValidString(text)
}

// unescape reads the escapes of a string (Python's reference, "String and
// Bytes literals"). An escape that is none stays as it is.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String(), true
		}
		b.WriteString(s[:i])
		n, ok := escape(&b, s[i+1:])
		if !ok {
			return "", false
		}
		s = s[i+1+n:]
	}
}

// escape writes what an escape stands for and gives its length behind the
// backslash.
func escape(b *strings.Builder, s string) (int, bool) {
	const names, values = `\'"abfnrtv`, "\\'\"\a\b\f\n\r\t\v"
	if i := strings.IndexByte(names, s[0]); i >= 0 {
		b.WriteByte(values[i])
		return 1, true
	}
	switch s[0] {
	case '\r', '\n':
		if strings.HasPrefix(s, "\r\n") {
			return 2, true
		}
		return 1, true
	case 'x':
		return numeric(b, s, 1, 2, 16)
	case 'u':
		return numeric(b, s, 1, 4, 16)
	case 'U':
		return numeric(b, s, 1, 8, 16)
	case 'N':
		return 0, false
	}
	digits := 0
	for digits < 3 && digits < len(s) && '0' <= s[digits] && s[digits] <= '7' {
		digits++
	}
	if digits > 0 {
		return numeric(b, s, 0, digits, 8)
	}
	b.WriteByte('\\')
	return 0, true
}

func numeric(b *strings.Builder, s string, skip, digits, base int) (int, bool) {
	if len(s) < skip+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(s[skip:skip+digits], base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	b.WriteRune(rune(n))
	return skip + digits, true
}
