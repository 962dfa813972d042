package reqfile

import "strings"

// shellWords splits as Python's shlex.split does: blanks and tabs separate,
// quotes group, a backslash takes the next character, but inside double quotes
// only a quote or a backslash. It is not ok if a quote or an escape is left
// open.
func shellWords(s string) (words []string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return words, true
		}
		word, n := shellWord(s)
		if n < 0 {
			return nil, false
		}
		words, s = append(words, word), s[n:]
	}
}

// shellWord reads one word and gives its length in s; -1 if it is left open.
func shellWord(s string) (string, int) {
	if i := strings.IndexAny(s, " \t\r\n'\"\\"); i < 0 {
		return s, len(s)
	} else if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
		return s[:i], i
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			return b.String(), i
		case '\\':
			if i++; i == len(s) {
				return "", -1
			}
			b.WriteByte(s[i])
		case '\'', '"':
			n := quoted(&b, s[i+1:], c)
			if n < 0 {
				return "", -1
			}
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(s)
}

// quoted reads up to the closing quote and gives how many bytes it took.
func quoted(b *strings.Builder, s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			if i++; s[i] != '"' && s[i] != '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return -1
}
