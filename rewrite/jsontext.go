package rewrite

import (
	"encoding/json"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// decodeArray returns the strings of a JSON array with their places. t is
// valid JSON, and args is what encoding/json makes of it: a string that isn't
// decoded to the same is returned without a source.
func decodeArray(t textmap.Text, args []string) []textmap.Text {
	var out []textmap.Text
	s := t.String()
	for at := 0; at < len(s) && len(out) < len(args); at++ {
		if s[at] != '"' {
			continue
		}
		end := stringEnd(s, at)
		text := decodeString(t.Slice(at+1, end-1))
		if want := args[len(out)]; text.String() != want {
			text = textmap.Synthetic(want)
		}
		out = append(out, text)
		at = end - 1
	}
	return out
}

// stringEnd returns the end of the JSON string that starts at s[at].
func stringEnd(s string, at int) int {
	for k := at + 1; k < len(s); k++ {
		switch s[k] {
		case '\\':
			k++
		case '"':
			return k + 1
		}
	}
	return len(s)
}

// decodeString decodes the inside of a JSON string. Each escape becomes bytes
// that map to the whole escape.
func decodeString(t textmap.Text) textmap.Text {
	s := t.String()
	var b textmap.Builder
	b.Init("")
	plain := 0
	for at := 0; at < len(s); {
		if s[at] != '\\' {
			at++
			continue
		}
		n := escapeLen(s[at:])
		var char string
		if json.Unmarshal([]byte(`"`+s[at:at+n]+`"`), &char) != nil {
			char = s[at : at+n]
		}
		b.Append(t.Slice(plain, at))
		b.Decoded(char, t.Slice(at, at+n))
		at += n
		plain = at
	}
	b.Append(t.Slice(plain, len(s)))
	return b.Text()
}

// escapeLen returns the length of the escape that s starts with; two \u
// escapes that may be a surrogate pair count as one.
func escapeLen(s string) int {
	if len(s) < 6 || s[1] != 'u' {
		return min(2, len(s))
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' && (s[2] == 'd' || s[2] == 'D') && s[3] >= '8' {
		return 12
	}
	return 6
}
