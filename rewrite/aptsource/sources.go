package aptsource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// ParseSources reads deb822 text: a ".sources" file. Entries are in the order
// of the text, one per URI of each stanza; a stanza that apt would reject
// gives a Problem and no Entry. Of a field that stands twice in a stanza only
// the last counts. Stanzas that are switched off give entries with Enabled
// false.
func ParseSources(t textmap.Text) ([]Entry, []Problem) {
	d := newDocument(t)
	var entries []Entry
	var problems []Problem
	for number, at := 0, 0; !d.atEnd(at); {
		fields, next, ok := scanStanza(d.s, at)
		if !ok {
			problems = append(problems, Problem{d.at(at).number, "Unable to parse package file (1)"})
			break
		}
		at = next
		if len(fields) == 0 {
			continue
		}
		number++
		es, c := d.stanza(fields)
		entries = append(entries, es...)
		if c != "" {
			problems = append(problems, Problem{d.at(fields[0].start).number, stanzaMessage(number, c)})
		}
	}
	return entries, withSettings(problems, entries)
}

// stanzaMessage words c as apt does for a stanza of a ".sources" file.
func stanzaMessage(number int, c complaint) string {
	switch {
	case c == noType:
		return fmt.Sprintf("Malformed stanza %d in source list (type)", number)
	case strings.HasPrefix(c, "Type "):
		return fmt.Sprintf("%s on stanza %d in source list", c, number)
	}
	return fmt.Sprintf("Malformed entry %d in sources file (%s)", number, c)
}

// document is deb822 text as apt scans it.
type document struct {
	t textmap.Text
	// s is t without comment lines, and with newlines at the end until two
	// stand there.
	s string
	// kept are the lines of t that s is made of.
	kept []keptLine
}

// keptLine is where a line begins in document.s and in its text, and its
// number there, from 1.
type keptLine struct{ s, t, number int }

// newDocument removes the lines that begin with "#", wherever they stand: apt
// does so before it looks for fields.
func newDocument(t textmap.Text) *document {
	d := &document{t: t}
	var b strings.Builder
	for at, number, rest := 0, 1, t.String(); rest != ""; number++ {
		line := rest
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			line = rest[:n+1]
		}
		if line[0] != '#' {
			d.kept = append(d.kept, keptLine{b.Len(), at, number})
			b.WriteString(line)
		}
		at += len(line)
		rest = rest[len(line):]
	}
	d.s = b.String()
	if tail := d.s[len(strings.TrimRight(d.s, "\r\n")):]; d.s != "" {
		d.s += strings.Repeat("\n", max(0, 2-strings.Count(tail, "\n")))
	}
	return d
}

// atEnd reports whether apt sees no further stanza at offset i of d.s: it
// silently drops a rest of up to three bytes that is no stanza.
func (d *document) atEnd(i int) bool {
	if len(d.s)-i > 3 {
		return false
	}
	_, _, ok := scanStanza(d.s, i)
	return !ok
}

// at returns the line that holds byte i of d.s.
func (d *document) at(i int) keptLine {
	n, found := slices.BinarySearchFunc(d.kept, i, func(l keptLine, i int) int { return l.s - i })
	if !found {
		n--
	}
	return d.kept[n]
}

// slice returns the word of d.s as it stands in the text.
func (d *document) slice(w word) textmap.Text {
	l := d.at(w.start)
	return d.t.Slice(l.t+w.start-l.s, l.t+w.end-l.s)
}

// field is a field of a stanza, as ranges of document.s.
type field struct {
	start, nameEnd int
	value, end     int
}

// scanStanza finds the fields of the stanza at offset at of s, as apt's
// pkgTagSection::Scan does: a line that begins with white space belongs to the
// field before it, and everything up to the next colon is a field's name, even
// across lines. next is where the next stanza begins. ok is false if no colon
// follows a name.
func scanStanza(s string, at int) (fields []field, next int, ok bool) {
	for at < len(s) {
		if !isSpace(s[at]) {
			endFields(fields, s, at)
			f, ok := scanField(s, at)
			if !ok {
				return nil, at, false
			}
			fields = append(fields, f)
			at = f.value
		}
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return nil, at, false
		}
		at += n
		for at+1 < len(s) && s[at+1] == '\r' {
			at++
		}
		if at+1 < len(s) && s[at+1] == '\n' {
			endFields(fields, s, at)
			return fields, len(s) - len(strings.TrimLeft(s[at:], "\r\n")), true
		}
		at++
	}
	return nil, at, false
}

// scanField reads the name at offset at of s and finds where its value begins.
func scanField(s string, at int) (field, bool) {
	n := strings.IndexByte(s[at:], ':')
	if n < 0 {
		return field{}, false
	}
	f := field{start: at, nameEnd: at + len(strings.TrimRightFunc(s[at:at+n], isSpaceRune))}
	f.value = at + n + 1
	for f.value < len(s) && isSpace(s[f.value]) {
		if s[f.value] == '\n' && !strings.HasPrefix(s[f.value+1:], " ") {
			break
		}
		f.value++
	}
	return f, f.value < len(s)
}

// endFields ends the last field of fields before offset end.
func endFields(fields []field, s string, end int) {
	if len(fields) == 0 {
		return
	}
	f := &fields[len(fields)-1]
	f.end = f.value + len(strings.TrimRightFunc(s[f.value:end], isSpaceRune))
}

func isSpaceRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }

// stanza returns the entries of a stanza, or apt's complaint about it.
func (d *document) stanza(fields []field) ([]Entry, complaint) {
	types, ok := d.find(fields, "Types")
	if !ok {
		return nil, noType
	}
	e := Entry{
		Format:     Deb822,
		Enabled:    !d.disabled(fields),
		Types:      d.values(types),
		Suites:     d.valuesOf(fields, "Suites"),
		Components: d.valuesOf(fields, "Components"),
		Options:    d.options(fields),
	}
	unknown := slices.IndexFunc(e.Types, func(typ string) bool { return !known(typ) && !isTemplate(typ) })
	switch {
	case len(e.Types) == 0:
		return nil, ""
	case unknown == 0:
		return nil, unknownType(e.Types[0])
	}
	entries, c := d.entries(e, fields)
	switch {
	case c != "" && e.Enabled:
		return nil, c
	case unknown > 0:
		return nil, unknownType(e.Types[unknown])
	}
	return entries, ""
}

// entries returns e with each URI of the stanza, and apt's first complaint.
func (d *document) entries(e Entry, fields []field) (entries []Entry, first complaint) {
	complain := func(c complaint) {
		if first == "" {
			first = c
		}
	}
	uris, _ := d.find(fields, "URIs")
	words := d.words(uris)
	if len(words) == 0 {
		complain("URI")
	}
	if len(e.Suites) == 0 {
		complain("Suite")
	}
	for _, w := range words {
		e.Decoded = d.s[w.start:w.end]
		if !strings.Contains(e.Decoded, ":") && !isTemplate(e.Decoded) {
			complain("URI parse")
			continue
		}
		for _, suite := range e.Suites {
			complain(checkSuite(suite, e.Components))
		}
		e.URI = d.slice(w)
		e.Line = d.at(w.start).number
		entries = append(entries, e)
	}
	return entries, first
}

// find returns the last field of the name.
func (d *document) find(fields []field, name string) (field, bool) {
	for _, f := range slices.Backward(fields) {
		if f.nameEnd-f.start == len(name) && strings.EqualFold(d.s[f.start:f.nameEnd], name) {
			return f, true
		}
	}
	return field{}, false
}

// text returns the value of f.
func (d *document) text(f field) string { return d.s[f.value:f.end] }

// words returns the words of the value of f, as ranges of d.s.
func (d *document) words(f field) []word {
	var words []word
	for i := f.value; i < f.end; i++ {
		if isSpace(d.s[i]) {
			continue
		}
		w := word{i, i}
		for w.end < f.end && !isSpace(d.s[w.end]) {
			w.end++
		}
		words = append(words, w)
		i = w.end
	}
	return words
}

func (d *document) values(f field) []string {
	var values []string
	for _, w := range d.words(f) {
		values = append(values, d.s[w.start:w.end])
	}
	return values
}

func (d *document) valuesOf(fields []field, name string) []string {
	f, _ := d.find(fields, name)
	return d.values(f)
}

// disabled reports whether the stanza says "Enabled: no". A word that apt does
// not know leaves it on.
func (d *document) disabled(fields []field) bool {
	f, ok := d.find(fields, "Enabled")
	if !ok || f.value == f.end {
		return false
	}
	on, known := parseBool(d.text(f))
	return known && !on
}

// options returns the options that the stanza sets.
func (d *document) options(fields []field) map[string][]string {
	options := map[string][]string{}
	for _, o := range stanzaOptions {
		f, ok := d.find(fields, o.field)
		switch {
		case !ok:
		case isList(o.name):
			options[o.name] = optionValues(o.name, strings.Join(d.values(f), ","))
		default:
			options[o.name] = []string{d.text(f)}
		}
	}
	return options
}
