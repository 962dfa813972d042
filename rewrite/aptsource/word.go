package aptsource

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// wordReader takes words from a line as apt's ParseQuoteWord does: blanks
// separate them, except within double quotes or brackets.
type wordReader struct {
	s  string
	at int
}

// word is the range of a word in its line.
type word struct{ start, end int }

func (r *wordReader) skipSpace() {
	for r.at < len(r.s) && isSpace(r.s[r.at]) {
		r.at++
	}
}

// next returns the word at r and moves behind it and the blanks that follow.
// ok is false at the end of the line and before a quote or bracket that is
// never closed; r then stays where it is.
func (r *wordReader) next() (w word, ok bool) {
	if r.at == len(r.s) {
		return word{}, false
	}
	end := r.at
	for ; end < len(r.s) && !isSpace(r.s[end]); end++ {
		closing := byte('"')
		switch r.s[end] {
		case '"':
		case '[':
			closing = ']'
		default:
			continue
		}
		n := strings.IndexByte(r.s[end+1:], closing)
		if n < 0 {
			return word{}, false
		}
		end += 1 + n
	}
	w = word{r.at, end}
	r.at = end
	r.skipSpace()
	return w, true
}

// options reads "[ name=value … ]" if it stands at r.
func (r *wordReader) options() (map[string][]string, complaint) {
	if r.at == len(r.s) || r.s[r.at] != '[' {
		return nil, ""
	}
	r.at++
	r.skipSpace()
	options := map[string][]string{}
	for r.at == len(r.s) || r.s[r.at] != ']' {
		w, ok := r.next()
		if !ok {
			return nil, "[option] unparsable"
		}
		option := w.decode(r.s)
		if len(option) < 3 {
			return nil, "[option] too short"
		}
		if option[len(option)-1] == ']' {
			option = option[:len(option)-1]
			r.at = strings.LastIndexByte(r.s[:min(r.at+1, len(r.s))], ']')
			if r.at < 0 { // it was spelled "%5d"
				return nil, "[option] unparsable"
			}
		}
		if c := addOption(options, option); c != "" {
			return nil, c
		}
	}
	r.at++
	r.skipSpace()
	return options, ""
}

// addOption adds "name=value"; the last value of a name counts.
func addOption(options map[string][]string, option string) complaint {
	name, value, ok := strings.Cut(option, "=")
	switch {
	case !ok && isTemplate(option):
		return ""
	case !ok:
		return "[option] not assignment"
	case name == "":
		return "[option] no key"
	case value == "":
		return "[option] no value"
	}
	options[name] = optionValues(name, value)
	return ""
}

// isVariable reports whether the word is one variable and nothing else.
func (w word) isVariable(line string) bool {
	s := line[w.start:w.end]
	return strings.HasPrefix(s, "${") && strings.IndexByte(s, '}') == len(s)-1
}

// decode returns the word without quotes and percent escapes.
func (w word) decode(line string) string {
	s := line[w.start:w.end]
	if !strings.ContainsAny(s, `"%`) {
		return s
	}
	return decodeWord(textmap.Identity(s)).String()
}

// decodeWord removes double quotes and percent escapes from a word of the
// one-line format. An escaped quote (%22) stays.
func decodeWord(t textmap.Text) textmap.Text {
	s := t.String()
	if !strings.ContainsAny(s, `"%`) {
		return t
	}
	var b textmap.Builder
	b.Init("")
	from := 0
	for i := 0; i < len(s); i++ {
		c, escaped := unhex(s[i:])
		if !escaped && s[i] != '"' {
			continue
		}
		b.Append(t.Slice(from, i))
		if escaped {
			b.Decoded(string([]byte{c}), t.Slice(i, i+3))
			i += 2
		}
		from = i + 1
	}
	b.Append(t.Slice(from, len(s)))
	return b.Text()
}

// unhex returns the byte that s begins to spell as "%" and two hex digits.
func unhex(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' || !isHex(s[1]) || !isHex(s[2]) {
		return 0, false
	}
	digit := func(c byte) byte {
		if c <= '9' {
			return c - '0'
		}
		return (c | 0x20) - 'a' + 10
	}
	return digit(s[1])<<4 | digit(s[2]), true
}
