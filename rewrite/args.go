package rewrite

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// The functions here find BuildKit's arguments of an instruction again in its
// text. They never read the text by rules of their own: an argument is found
// where its bytes are, and one that isn't found is returned without a source,
// so it can be read and not edited.

// values returns the arguments of a node as BuildKit split them.
func values(node *parser.Node) []string {
	var out []string
	for n := node.Next; n != nil; n = n.Next {
		out = append(out, n.Value)
	}
	return out
}

// tail returns the end of line that spells s. The parser trims blanks from the
// end of an instruction, and whatever it doesn't split is the rest of it.
func tail(line textmap.Text, s string) (textmap.Text, bool) {
	text := strings.TrimRightFunc(line.String(), unicode.IsSpace)
	if !strings.HasSuffix(text, s) {
		return textmap.Synthetic(s), false
	}
	return line.Slice(len(text)-len(s), len(text)), true
}

// tailWords returns the words at the end of line, which blanks separate.
func tailWords(line textmap.Text, words []string, escape byte) []textmap.Text {
	out := make([]textmap.Text, len(words))
	rest := line.String()
	lost := false
	for i, w := range slices.Backward(words) {
		at, ok := wordEnd(rest, w, escape)
		if lost = lost || !ok; lost {
			out[i] = textmap.Synthetic(w)
			continue
		}
		out[i] = line.Slice(at-len(w), at)
		rest = rest[:at-len(w)]
	}
	return out
}

// wordEnd returns the end of w where it is the last word of s. Blanks may
// follow it, and in ENV and ARG an escape token at the very end is dropped. A
// word may end in a blank that is none for the splitter, so the narrower set
// is tried first.
func wordEnd(s, w string, escape byte) (int, bool) {
	narrow := strings.TrimRight(s, "\t\v\f\r ")
	wide := strings.TrimRightFunc(s, unicode.IsSpace)
	for _, c := range []string{narrow, wide, strings.TrimSuffix(wide, string(escape))} {
		if strings.HasSuffix(c, w) {
			return len(c), true
		}
	}
	return 0, false
}

// jsonArgs returns the strings of the JSON array at the end of line.
func jsonArgs(line textmap.Text, args []string) []textmap.Text {
	if at := arrayAt(line, args); at >= 0 {
		text := strings.TrimRightFunc(line.String(), unicode.IsSpace)
		return decodeArray(line.Slice(at, len(text)), args)
	}
	return synthetic(args)
}

// arrayAt returns where in line the JSON array of these strings begins, -1 if
// there is none at its end.
func arrayAt(line textmap.Text, args []string) int {
	text := strings.TrimRightFunc(line.String(), unicode.IsSpace)
	for at := range len(text) {
		if text[at] == '[' && spells(text[at:], args) {
			return at
		}
	}
	return -1
}

// spells reports whether text is a JSON array of these strings.
func spells(text string, args []string) bool {
	inner := strings.TrimLeft(text[1:], " \t\r\n")
	if inner == "" || inner[0] != '"' && inner[0] != ']' {
		return false
	}
	var got []string
	return json.Unmarshal([]byte(text), &got) == nil && slices.Equal(got, args)
}

func synthetic(args []string) []textmap.Text {
	out := make([]textmap.Text, len(args))
	for i, a := range args {
		out[i] = textmap.Synthetic(a)
	}
	return out
}
