package setupcfg

import "strings"

// Bounds of expansion: Python's own depth, and a size that no setup.cfg needs.
const (
	mostDepth = 10
	mostBytes = 1 << 20
)

// expand replaces %(name)s by the option of that name in the section or in
// [DEFAULT], and %% by %, as configparser's BasicInterpolation does. Lines
// without a % stay as they are; the others lose their place.
func (d *document) expand(s *section, o *option) ([]line, error) {
	if !strings.Contains(o.raw(), "%") {
		return trimBlank(o.lines), nil
	}
	e := expansion{doc: d, section: s}
	var out []line
	for _, l := range o.lines {
		if !strings.Contains(l.text, "%") {
			out = append(out, l)
			continue
		}
		if msg := e.add(l.text, 1); msg != "" {
			return nil, &Error{l.number, msg}
		}
		for part := range strings.SplitSeq(e.out.String(), "\n") {
			out = append(out, line{part, o.line, -1})
		}
		e.out.Reset()
	}
	return trimBlank(out), nil
}

// trimBlank cuts the blank lines at the end, as configparser does.
func trimBlank(lines []line) []line {
	for len(lines) > 1 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

type expansion struct {
	doc     *document
	section *section
	out     strings.Builder
	total   int
}

// add expands one text; what is wrong comes back, "" if nothing is.
func (e *expansion) add(s string, depth int) string {
	if depth > mostDepth {
		return "values refer to each other deeper than configparser follows"
	}
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return e.write(s)
		}
		if msg := e.write(s[:i]); msg != "" {
			return msg
		}
		s = s[i+1:]
		if rest, ok := strings.CutPrefix(s, "%"); ok {
			if msg := e.write("%"); msg != "" {
				return msg
			}
			s = rest
			continue
		}
		name, rest, ok := reference(s)
		if !ok {
			return "a % is neither %% nor %(name)s; write %% for a percent sign"
		}
		o := e.lookup(name)
		if o == nil {
			return "%(name)s refers to an option that is not there"
		}
		if msg := e.add(o.raw(), depth+1); msg != "" {
			return msg
		}
		s = rest
	}
}

// reference reads "(name)s".
func reference(s string) (name, rest string, ok bool) {
	inner, ok := strings.CutPrefix(s, "(")
	if !ok {
		return "", "", false
	}
	name, rest, ok = strings.Cut(inner, ")")
	if !ok || name == "" {
		return "", "", false
	}
	rest, ok = strings.CutPrefix(rest, "s")
	return name, rest, ok
}

func (e *expansion) lookup(name string) *option {
	if o := e.section.byName[name]; o != nil {
		return o
	}
	return e.doc.defaults.byName[name]
}

func (e *expansion) write(s string) string {
	// A reference costs something even where its value is empty.
	e.total += len(s) + 1
	if e.total > mostBytes {
		return "the value grows beyond a mebibyte when it is expanded"
	}
	e.out.WriteString(s)
	return ""
}
