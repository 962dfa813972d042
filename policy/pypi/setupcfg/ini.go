package setupcfg

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// document is a file as configparser sees it: strict, no inline comments,
// names of options kept as they are.
type document struct {
	sections []*section
	defaults *section
}

type section struct {
	name    string
	options []*option
	byName  map[string]*option
}

type option struct {
	name  string
	line  int
	lines []line
}

// line is one line of a value without the white space around it. offset is
// its first byte in the file, -1 if its text is not the file's.
type line struct {
	text         string
	number, from int
}

// raw gives the value before anything is expanded.
func (o *option) raw() string { return text(o.lines) }

// text joins the lines of a value.
func text(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return strings.TrimRightFunc(b.String(), isSpace)
}

// options gives those of a section, then those of [DEFAULT] that it doesn't
// have itself.
func (d *document) options(s *section) []*option {
	out := s.options
	for _, o := range d.defaults.options {
		if s.byName[o.name] == nil {
			out = append(out[:len(out):len(out)], o)
		}
	}
	return out
}

// parser is the state between lines (RawConfigParser._read).
type parser struct {
	doc     document
	seen    map[string]bool
	section *section
	option  *option
	// indent is that of the last line that was not a continuation.
	indent int
	// broken is the first line that is neither section nor option.
	broken *Error
}

func parseINI(src []byte) (*document, error) {
	if !utf8.Valid(src) {
		return nil, &Error{invalidLine(src), "the line is not UTF-8"}
	}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return nil, &Error{1, "the file begins with a byte order mark, which setuptools refuses; save it without"}
	}
	newSection := func(name string) *section { return &section{name: name, byName: map[string]*option{}} }
	p := parser{doc: document{defaults: newSection("DEFAULT")}, seen: map[string]bool{}}
	content := string(src)
	for at, number := 0, 1; at < len(content); number++ {
		n, width := lineEnd(content[at:])
		if err := p.line(content[at:at+n], at, number, newSection); err != nil {
			return nil, err
		}
		at += n + width
	}
	if p.broken != nil {
		return nil, p.broken
	}
	return &p.doc, nil
}

func invalidLine(src []byte) int {
	n := 1
	for row := range bytes.SplitSeq(src, []byte{'\n'}) {
		if !utf8.Valid(row) {
			return n
		}
		n++
	}
	return n
}

// lineEnd gives the length of the first line and of its end: \n, \r\n or \r,
// as Python opens text files.
func lineEnd(s string) (n, width int) {
	n = strings.IndexAny(s, "\r\n")
	switch {
	case n < 0:
		return len(s), 0
	case strings.HasPrefix(s[n:], "\r\n"):
		return n, 2
	}
	return n, 1
}

func (p *parser) line(s string, at, number int, newSection func(string) *section) error {
	value := strings.TrimFunc(s, isSpace)
	if value == "" {
		p.add(line{"", number, at})
		return nil
	}
	if value[0] == '#' || value[0] == ';' {
		return nil
	}
	lead := s[:strings.Index(s, value)]
	at += len(lead)
	indent := utf8.RuneCountInString(lead)
	if p.option != nil && p.option.name != "" && indent > p.indent {
		p.add(line{value, number, at})
		return nil
	}
	p.indent = indent
	if end := strings.LastIndexByte(value, ']'); value[0] == '[' && end > 1 {
		return p.header(value[1:end], number, newSection)
	}
	if p.section == nil {
		return &Error{number, "an option stands before the first section"}
	}
	return p.assign(value, at, number)
}

// add appends a line to the value that is open.
func (p *parser) add(l line) {
	if p.option != nil && p.option.name != "" {
		p.option.lines = append(p.option.lines, l)
	}
}

func (p *parser) header(name string, number int, newSection func(string) *section) error {
	p.option = nil
	if name == "DEFAULT" {
		p.section = p.doc.defaults
		return nil
	}
	if p.seen[name] {
		return &Error{number, "the section is there twice; merge the two"}
	}
	p.seen[name] = true
	p.section = newSection(name)
	p.doc.sections = append(p.doc.sections, p.section)
	return nil
}

// assign takes a line "name = value" or "name: value".
func (p *parser) assign(value string, at, number int) error {
	i := strings.IndexAny(value, "=:")
	if i <= 0 {
		if p.broken == nil {
			p.broken = &Error{number, "neither a section, an option nor the indented line of a value"}
		}
		// What follows belongs to no option; the file fails anyhow.
		if i == 0 {
			p.option = nil
		}
		return nil
	}
	name := strings.TrimRightFunc(value[:i], isSpace)
	if p.section.byName[name] != nil {
		return &Error{number, "the option is there twice in its section; merge the two"}
	}
	rest := strings.TrimLeftFunc(value[i+1:], isSpace)
	o := &option{name: name, line: number, lines: []line{{rest, number, at + len(value) - len(rest)}}}
	p.option, p.section.byName[name] = o, o
	p.section.options = append(p.section.options, o)
	return nil
}

// isSpace is Python's str.isspace for one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
