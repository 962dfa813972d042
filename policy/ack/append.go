package ack

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const head = `# Findings that a reviewer has signed for: see "loopxctl ack --help".
version: 1
acknowledgements:
`

// ExistsError says that a file has an entry for the same already.
type ExistsError struct{ Line int }

// Error names the line.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("the entry in line %d acknowledges the same", e.Line)
}

// Append returns data, which is a file of acknowledgements or empty, with one
// more entry at its end; all other bytes stay. With replace, the entry that
// acknowledges the same goes; without, it is an [*ExistsError]. Other errors
// are those of [Parse] and [Entry.Check].
func Append(data []byte, e *Entry, replace bool) ([]byte, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	old, err := Parse(data)
	if err != nil {
		return nil, err
	}
	for i := range old {
		switch {
		case !old[i].same(e):
		case !replace:
			return nil, &ExistsError{old[i].Line}
		default:
			data = cut(data, old[i].Line, old[i].end)
		}
	}
	out, err := join(data, e.yaml())
	if err != nil {
		return nil, err
	}
	return out, reads(out, e, len(old))
}

// join puts an entry at the end of a file. Only a list in block style that is
// the file's last key, indented as we write it or not at all, can be added to
// by its bytes.
func join(data, entry []byte) ([]byte, error) {
	if empty(data) {
		return append(bytes.Clone(data), head+string(entry)...), nil
	}
	data = bytes.Clone(data)
	if !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, '\n')
	}
	if !flush(data) {
		return append(data, entry...), nil
	}
	for line := range bytes.Lines(entry) {
		data = append(data, bytes.TrimPrefix(line, []byte("  "))...)
	}
	return data, nil
}

// flush reports whether the list's items begin in the first column.
func flush(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("- ")) {
			return true
		}
	}
	return false
}

// cut removes lines: from the first up to, not including, the second.
func cut(data []byte, from, to int) []byte {
	var out []byte
	n := 0
	for line := range bytes.Lines(data) {
		if n++; n < from || n >= to {
			out = append(out, line...)
		}
	}
	return out
}

// yaml is the entry as an item of the list.
func (e *Entry) yaml() []byte {
	var b bytes.Buffer
	lead := "  - "
	for _, f := range e.fields() {
		if f.value == "" {
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s\n", lead, f.name, scalar(f))
		lead = "    "
	}
	if e.Signature != "" {
		b.WriteString("    signature: |\n")
		for line := range strings.Lines(tidy(e.Signature)) {
			b.WriteString("      " + line)
		}
	}
	return b.Bytes()
}

// scalar spells a value that holds only printable characters and line breaks
// in double quotes, which JSON and YAML read alike.
func scalar(f field) string {
	switch f.name {
	case "occurrences", "created", "expires":
		return f.value
	}
	return strconv.Quote(f.value)
}

// reads holds that the file which was made is read as it is meant.
func reads(data []byte, e *Entry, before int) error {
	all, err := Parse(data)
	if err != nil {
		return fmt.Errorf("an entry cannot be added to the file as it is laid out (%w); write its list in block style, as its last key", err)
	}
	last := &Entry{}
	if n := len(all); n > 0 {
		last = &all[n-1]
	}
	if len(all) > before+1 || len(all) < before || !bytes.Equal(last.Payload(), e.Payload()) {
		return fmt.Errorf("an entry cannot be added to the file as it is laid out; write its list in block style, as its last key")
	}
	return nil
}
