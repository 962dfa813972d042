// Package plain makes foreign text harmless to print. A Dockerfile's words, a
// file's name or a parser's message may hold bytes that a terminal or a CI
// system's log obeys; what a person reads must be only text.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s as one line that is only text: control characters, invisible
// format characters (Unicode's bidi controls among them) and bytes that are not
// UTF-8 are spelled as escapes, and neither GitHub Actions ("::name::" at a
// line's start, "##[name]" anywhere) nor Azure Pipelines ("##vso[name]") takes
// a command from it.
func Text(s string) string {
	return defuse(escape(s, func(r rune) bool { return strconv.IsPrint(r) }))
}

// Line is Text for a line of a file that is quoted as it stands: tabs, and a
// carriage return at the end, are kept.
func Line(s string) string {
	body, cr := strings.CutSuffix(s, "\r")
	body = defuse(escape(body, func(r rune) bool { return r == '\t' || strconv.IsPrint(r) }))
	if cr {
		body += "\r"
	}
	return body
}

// JSON returns an encoded JSON document that means the same and is only text:
// what Text spells as an escape is spelled here as JSON does.
func JSON(doc []byte) []byte {
	s := strings.ReplaceAll(string(doc), "##[", `#\u0023[`)
	s = strings.ReplaceAll(s, "##vso[", `#\u0023vso[`)
	var b []byte
	for _, r := range s {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		}
	}
	return b
}

func escape(s string, keep func(rune) bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case keep(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

func defuse(s string) string {
	s = strings.ReplaceAll(s, "##[", `#\x23[`)
	s = strings.ReplaceAll(s, "##vso[", `#\x23vso[`)
	if body := strings.TrimLeft(s, " \t"); strings.HasPrefix(body, "::") {
		s = s[:len(s)-len(body)] + `\x3a` + body[1:]
	}
	return s
}
