package words

import "strings"

// scanLines gives a role to the URLs of text whose grammar is not known here
// (PowerShell, cmd, shell that the parser refuses), command by command as far
// as separators tell: the scheme may change, unless the command matches
// patterns or the URL is a proxy's.
func (a *analyser) scanLines(w word) {
	for at := 0; at < len(w.s); {
		end := separator(w.s[at:])
		line := w.slice(at, at+end)
		if strings.Contains(line.s, "://") {
			a.urls(line, scanUse(line.s))
		}
		at += end + 1
	}
}

// separator returns where the first command of s ends: at a newline, or at a
// ";", "|" or "&" outside quotes.
func separator(s string) int {
	quote := byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			return i
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';' || c == '|' || c == '&':
			return i
		}
	}
	return len(s)
}

// scanUse guards against the programs that match text: in a line that names
// one, which side a URL stands on is not known.
func scanUse(line string) use {
	for f := range strings.FieldsSeq(line) {
		switch f {
		case "sed", "grep", "awk", "egrep", "-replace", "-match", "-like", "findstr":
			return matchUse("near a pattern")
		}
	}
	return wordUse("word of a command")
}
