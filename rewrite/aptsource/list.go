package aptsource

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// ParseList reads one-line text: sources.list or a ".list" file. Entries are
// in the order of the text; a line that apt would reject gives a Problem and
// no Entry.
func ParseList(t textmap.Text) ([]Entry, []Problem) {
	var entries []Entry
	var problems []Problem
	for number, start := 1, 0; start < t.Len(); number++ {
		line, _, _ := strings.Cut(t.String()[start:], "\n")
		i, j := content(line)
		if i < j {
			e, c := readLine(t.Slice(start+i, start+j))
			e.Line = number
			if c == "" {
				entries = append(entries, e)
			} else {
				problems = append(problems, Problem{number, listMessage(number, c)})
			}
		}
		start += len(line) + 1
	}
	return entries, withSettings(problems, entries)
}

// ParseLine reads t as a single line in the one-line format, as it stands in
// an argument of echo or in a variable. ok is false if the line gives no entry:
// because it does not begin with a source type (the Problem is nil), or because
// of the Problem. Text of several lines is a Problem: read it with [ParseList].
func ParseLine(t textmap.Text) (e Entry, ok bool, p *Problem) {
	line := strings.TrimRight(t.String(), "\r\n")
	i, j := content(line)
	typ := firstWord(line[i:j])
	switch {
	case !known(typ) || len(typ) == j-i:
		return Entry{}, false, nil
	case strings.Contains(line, "\n"):
		return Entry{}, false, &Problem{1, "more than one line"}
	}
	e, c := readLine(t.Slice(i, j))
	if c != "" {
		return Entry{}, false, &Problem{1, listMessage(1, c)}
	}
	e.Line = 1
	return e, true, nil
}

// content returns the range of a line that is left when its comment, the
// blanks around it, and what follows a NUL are cut. A "#" between "[" and "]"
// begins no comment.
func content(line string) (i, j int) {
	j = len(line)
	open := 0
scan:
	for k := range len(line) {
		switch line[k] {
		case '[':
			open++
		case ']':
			open--
		case '#':
			if open <= 0 {
				j = k
				break scan
			}
		case 0:
			j = k
			break scan
		}
	}
	j = len(strings.TrimRight(line[:j], " \t\r"))
	return j - len(strings.TrimLeft(line[:j], " \t\r")), j
}

// firstWord returns the type of a line: it ends at a blank, a tab or a
// vertical tab, no other white space.
func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\v"); i >= 0 {
		return s[:i]
	}
	return s
}

// complaint is the part of apt's message that says what is wrong: the reason
// in its parentheses, or a sentence.
type complaint = string

// noType is the complaint about a line of a single word.
const noType complaint = "(type)"

// listMessage words c as apt does for a line of a ".list" file.
func listMessage(line int, c complaint) string {
	switch {
	case c == noType:
		return fmt.Sprintf("Malformed line %d in source list (type)", line)
	case strings.HasPrefix(c, "Type "):
		return fmt.Sprintf("%s on line %d in source list", c, line)
	}
	return fmt.Sprintf("Malformed entry %d in list file (%s)", line, c)
}

// readLine reads a line without comment and surrounding blanks. The complaint
// is empty if apt accepts the line.
func readLine(t textmap.Text) (Entry, complaint) {
	s := t.String()
	typ := firstWord(s)
	switch {
	case typ == "" || typ == s:
		return Entry{}, noType
	case !known(typ):
		return Entry{}, unknownType(typ)
	}
	r := wordReader{s: s, at: len(typ)}
	r.skipSpace()
	options, c := r.options()
	if c != "" {
		return Entry{}, c
	}
	e := Entry{Format: OneLine, Enabled: true, Types: []string{typ}, Options: options}
	return e, e.readWords(&r, t)
}

// readWords reads the URI and what follows it.
func (e *Entry) readWords(r *wordReader, t textmap.Text) complaint {
	uri, ok := r.next()
	if ok && uri.isVariable(r.s) && strings.Contains(r.s[r.at:], "://") {
		uri, ok = r.next() // the variable holds options
	}
	if !ok {
		return "URI"
	}
	e.URI = t.Slice(uri.start, uri.end)
	e.Decoded = uri.decode(r.s)
	open := isTemplate(e.Decoded)
	suite, ok := r.next()
	switch {
	case !ok && open:
		return ""
	case !ok:
		return "Suite"
	case !open && !strings.Contains(e.Decoded, ":"):
		return "URI parse"
	}
	e.Suites = []string{suite.decode(r.s)}
	for w, ok := r.next(); ok; w, ok = r.next() {
		e.Components = append(e.Components, w.decode(r.s))
	}
	return checkSuite(e.Suites[0], e.Components)
}

// checkSuite returns apt's complaint about a suite with these components.
func checkSuite(suite string, components []string) complaint {
	exact := strings.HasSuffix(suite, "/")
	switch {
	case exact && len(components) > 0 && !isTemplate(strings.Join(components, "")):
		return "absolute Suite Component"
	case !exact && len(components) == 0 && !isTemplate(suite):
		return "Component"
	}
	return ""
}
