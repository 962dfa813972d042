package report

import (
	"strings"
	"unicode/utf16"

	"github.com/loopx/loopx-frontend/policy"
)

// bom may open a file. It is no character of the first line.
const bom = "\ufeff"

// sources are those of r by the names that entries have.
func sources(r *Report) map[string]string {
	all := map[string]string{}
	for name, text := range r.Sources {
		all[shownFile(name)] = text
	}
	return all
}

// shownFile is a file's name as [lens.Apply] makes it.
func shownFile(name string) string { return policy.Redact(policy.CleanFile(name)) }

// texts are files by name, each split into lines without their ends.
type texts map[string][]string

func split(r *Report) texts {
	t := texts{}
	for name, text := range sources(r) {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimSuffix(line, "\r")
		}
		t[name] = lines
	}
	return t
}

// line returns a line, which counts from 1.
func (t texts) line(file string, n int) (text string, ok bool) {
	if lines := t[file]; 0 < n && n <= len(lines) {
		return lines[n-1], true
	}
	return "", false
}

// column turns a column in bytes into one in UTF-16 code units, which is what
// most editors count. A place in a file that is not known stays as it is.
func (t texts) column(file string, at policy.Position) int {
	line, ok := t.line(file, at.Line)
	if !ok || at.Column < 1 || at.Column > len(line)+1 {
		return at.Column
	}
	before := line[:at.Column-1]
	if at.Line == 1 {
		before = strings.TrimPrefix(before, bom)
	}
	return 1 + units(before)
}

// units is the length of s in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// position returns where the byte at an offset is; ok is false outside of the
// text.
func position(text string, offset int) (at policy.Position, ok bool) {
	if offset < 0 || offset > len(text) {
		return at, false
	}
	before := text[:offset]
	return policy.Position{
		Line:   1 + strings.Count(before, "\n"),
		Column: offset - strings.LastIndexByte(before, '\n'),
	}, true
}
