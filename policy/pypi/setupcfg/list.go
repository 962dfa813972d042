package setupcfg

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// FileItems reads a file that "file:" names, or [tool.setuptools.dynamic] of
// a pyproject.toml with {file = …}: a requirement a line, comments with # at
// the start of a line or behind a space. Places are in that file. With
// semicolons a file without any line break is cut at semicolons, as setup.cfg
// does it. The error is an *Error, for bytes that are not UTF-8.
func FileItems(src []byte, semicolons bool) ([]Item, error) {
	if !utf8.Valid(src) {
		return nil, &Error{invalidLine(src), "the line is not UTF-8"}
	}
	var lines []line
	content := string(src)
	number := 1
	for at := 0; at < len(content); number++ {
		n, width := lineEnd(content[at:])
		lines = append(lines, line{content[at : at+n], number, at})
		if at += n + width; width > 0 && at == len(content) {
			lines = append(lines, line{"", number + 1, at})
		}
	}
	return listItems(lines, semicolons), nil
}

// listItems cuts a value into requirements: its lines if there are several,
// else, if semicolons is set, what stands between semicolons. Then comments
// go, and an item that ends in a backslash is joined with the next one.
func listItems(lines []line, semicolons bool) []Item {
	isBreak := lineBreak
	if semicolons && len(lines) == 1 {
		isBreak = func(r rune) bool { return r == ';' || lineBreak(r) }
	}
	var join joiner
	for _, l := range lines {
		for at := 0; at < len(l.text); {
			n := strings.IndexFunc(l.text[at:], isBreak)
			if n < 0 {
				n = len(l.text) - at
			}
			join.add(l, at, at+n)
			_, width := utf8.DecodeRuneInString(l.text[at+n:])
			at += n + width
		}
	}
	return join.close()
}

// lineBreak says where Python's str.splitlines cuts.
func lineBreak(r rune) bool {
	return '\n' <= r && r <= '\r' || 0x1c <= r && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// joiner collects items. One that ends in a backslash is open: the next one is
// joined to it, without the two characters at its end
// (jaraco.text.join_continuation). An open last item, which setuptools drops,
// stays as it is, to fail.
type joiner struct {
	items []Item
	open  bool
	// text is the last item's, if it is being joined.
	text []byte
}

// add takes the bytes [from, to) of a line.
func (j *joiner) add(l line, from, to int) {
	chunk := strings.TrimFunc(l.text[from:to], isSpace)
	body, _, _ := strings.Cut(chunk, " #")
	if body == "" || body[0] == '#' {
		return
	}
	text := strings.TrimRightFunc(body, isSpace)
	if j.open {
		j.join(text)
	} else {
		j.close()
		it := Item{Text: text, Line: l.number}
		if l.from >= 0 {
			it.Start = l.from + from + strings.Index(l.text[from:to], chunk)
			it.End, it.Exact = it.Start+len(text), true
		}
		j.items = append(j.items, it)
	}
	j.open = strings.HasSuffix(body, `\`)
}

func (j *joiner) join(text string) {
	if j.text == nil {
		last := &j.items[len(j.items)-1]
		j.text = []byte(last.Text)
		last.Start, last.End, last.Exact = 0, 0, false
	}
	head := bytes.TrimSuffix(j.text, []byte{'\\'})
	_, n := utf8.DecodeLastRune(head)
	j.text = append(bytes.TrimFunc(head[:len(head)-n], isSpace), text...)
}

// close ends a joined item, and gives all.
func (j *joiner) close() []Item {
	if j.text != nil {
		j.items[len(j.items)-1].Text, j.text = string(j.text), nil
	}
	return j.items
}
