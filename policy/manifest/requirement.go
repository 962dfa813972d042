package manifest

import (
	"errors"
	"regexp"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// places tells where the bytes [i, j) of a decoded text stand in its file.
// exact is true if they stand there as they are, so that they can be edited.
type places interface {
	place(i, j int) (at Span, exact bool)
}

// specifier adds q with what a text of PEP 508 says. The text may have been
// read before; then parsed is it.
func (r *reader) specifier(q Requirement, text string, at places, parsed *pep508.Requirement) {
	if parsed == nil {
		p, err := pep508.Parse(text)
		if err != nil {
			r.malformed(q, text, at, err)
			return
		}
		parsed = &p
	}
	q.take(text, at, parsed)
	r.add(q)
}

// take fills in what the requirement says.
func (q *Requirement) take(text string, at places, p *pep508.Requirement) {
	q.Text = strings.TrimSpace(text)
	q.Written, q.Name = p.Name, normal(p.Name)
	q.Extras, q.Marker = p.Extras, p.Marker
	q.Span, _ = at.place(p.NameSpan.Start, len(strings.TrimRight(text, " \t\r\n")))
	spec, exact := at.place(p.SpecInner.Start, p.SpecInner.End)
	q.Spec = spec
	q.Admits = []pep440.Specifiers{p.Specifiers}
	if p.URL != "" {
		q.direct(p.URL)
	} else if q.Fixed == "" && !exact {
		q.Fixed = "the file spells it with escapes or a variable"
	}
	if unknown.MatchString(text[p.SpecInner.Start:p.SpecInner.End]) {
		q.unproved("its version is a variable whose value is not known")
	}
}

// unproved says that what q admits is not known.
func (q *Requirement) unproved(why string) {
	q.Admits, q.Unprovable = nil, why
	if q.Fixed == "" {
		q.Fixed = why
	}
}

// unknown is a variable without a value.
var unknown = regexp.MustCompile(`\$\{[^}]*\}`)

// start is the name and the extras at the start of a requirement, and the byte
// behind them.
var start = regexp.MustCompile(`^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:$|[=<>!~(@;])`)

// malformed reports a text that is no requirement, unless only a variable that
// is not known makes it so: then its name is all that is known.
func (r *reader) malformed(q Requirement, text string, at places, err error) {
	var syntax *pep508.SyntaxError
	offset, message := 0, err.Error()
	if errors.As(err, &syntax) {
		offset, message = syntax.Offset, syntax.Msg
	}
	if !unknown.MatchString(text) {
		span, _ := at.place(offset, offset)
		r.fail(q.File, span.Start, q.what()+"is no requirement: "+message)
		return
	}
	r.guess(q, text, at)
}

// what names the list in a message.
func (q Requirement) what() string {
	if q.Table == "" {
		return "this "
	}
	return "this entry of " + label(q.Table) + " "
}

// set names the set that a list of a file is.
func set(file, table string) []string {
	if table == "" {
		return []string{file}
	}
	return []string{file + ": " + table}
}

// guess adds a text of which a tool makes the requirement only later: its name
// is all that is known.
func (r *reader) guess(q Requirement, text string, at places) {
	q.Text = text
	q.Span, _ = at.place(0, len(text))
	q.Spec = Span{q.Span.End, q.Span.End}
	if m := start.FindStringSubmatch(text); m != nil {
		q.Written, q.Name = m[1], normal(m[1])
	}
	q.unproved("it holds a variable whose value is not known")
	r.add(q)
}

// normal is a name as names are compared.
func normal(name string) string { return pep503.Normalize(name) }
