package manifest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
	"github.com/loopx/loopx-frontend/policy/pypi/poetry"
)

// dialect is how the specifiers of a table whose keys are names are written.
type dialect struct {
	syntax Syntax
	// read returns a union.
	read func(text string) ([]pep440.Specifiers, error)
}

// The dialects of tools.
func standard() dialect   { return dialect{Specifiers, plainSpecifier} }
func inPoetry() dialect   { return dialect{PoetryConstraint, poetryConstraint} }
func overriding() dialect { return dialect{BareVersion, pdmOverride} }

// plainSpecifier is PEP 440's, or a star for every version.
func plainSpecifier(text string) ([]pep440.Specifiers, error) {
	if text = strings.TrimSpace(text); text == "*" || text == "" {
		return []pep440.Specifiers{{}}, nil
	}
	s, err := pep440.ParseSpecifiers(text)
	return []pep440.Specifiers{s}, err
}

// pdmOverride is a specifier, or a version alone, which is pinned.
func pdmOverride(text string) ([]pep440.Specifiers, error) {
	if v, err := pep440.Parse(text); err == nil {
		text = "==" + v.String()
	}
	return plainSpecifier(text)
}

// named adds the requirement, or the list of them, that stands under the name e
// in a table.
func (r *reader) named(d *document, e *tomltree.Entry, scope Scope, table string, in dialect) {
	q := Requirement{File: d.name, Scope: scope, Table: table, Sets: set(d.name, table), Written: e.Key, Name: normal(e.Key)}
	if !e.Value.Is(tomltree.Array) || e.Value.Repeated() {
		q.Span = d.span(d.inFile(e.Start), d.inFile(max(e.Value.End, e.End)))
	}
	if !e.Value.Is(tomltree.Array) {
		r.namedValue(d, q, e.Value, in)
		return
	}
	for i, v := range e.Value.Items() {
		q.Span = d.spanOf(v)
		q.Sets = set(d.name, fmt.Sprintf("%s.%s[%d]", table, e.Key, i))
		r.namedValue(d, q, v, in)
	}
}

// namedValue is a specifier, or a table that says more.
func (r *reader) namedValue(d *document, q Requirement, v *tomltree.Value, in dialect) {
	switch {
	case v.Is(tomltree.String) && (hasScheme(v.Text) || isVCS(v.Text)):
		q.Text = q.Written + " @ " + v.Text
		q.Spec = Span{q.Span.End, q.Span.End}
		q.direct(v.Text)
	case v.Is(tomltree.String):
		if !r.namedSpecifier(d, &q, v, in) {
			return
		}
	case v.Is(tomltree.Table):
		if !r.namedTable(d, &q, v, in) {
			return
		}
	default:
		r.failAt(d, v, "%s is %s: write a version in quotes, or a table", label(q.Table+"."+q.Written), v.Kind)
		return
	}
	r.add(q)
}

// namedSpecifier fills in what the string v admits. ok is false if it is no
// specifier, which is reported.
func (r *reader) namedSpecifier(d *document, q *Requirement, v *tomltree.Value, in dialect) (ok bool) {
	at := d.content(v)
	admits, err := in.read(v.Text)
	if err != nil {
		offset := errorOffset(err)
		span, _ := at.place(offset, offset)
		r.fail(d.name, span.Start, fmt.Sprintf("%s is no specifier: %s", label(q.Table+"."+q.Written), err))
		return false
	}
	from := len(v.Text) - len(strings.TrimLeft(v.Text, " \t"))
	to := max(len(strings.TrimRight(v.Text, " \t")), from)
	var exact bool
	if q.Spec, exact = at.place(from, to); !exact {
		q.Fixed = "the file spells it with escapes"
	}
	q.Text = q.Written + " " + v.Text[from:to]
	q.Admits, q.Quote, q.Syntax = admits, v.Quote(), in.syntax
	if _, err := pep440.Parse(v.Text); q.Syntax == BareVersion && err != nil {
		q.Syntax = Specifiers
	}
	return true
}

// errorOffset is where a specifier's reader stopped.
func errorOffset(err error) int {
	var standard *pep440.SyntaxError
	var poetic *poetry.SyntaxError
	switch {
	case errors.As(err, &standard):
		return standard.Offset
	case errors.As(err, &poetic):
		return poetic.Offset
	}
	return 0
}

// namedTable fills in what a table says: {version = …, extras = …} and so on.
func (r *reader) namedTable(d *document, q *Requirement, v *tomltree.Value, in dialect) (ok bool) {
	for _, item := range v.Get("extras").Items() {
		q.Extras = append(q.Extras, item.Str())
	}
	if v.Get("optional").True() && q.Scope == Runtime {
		q.Scope = Optional
	}
	q.Pre = q.Pre || v.Get("allow-prereleases").True() || v.Get("allow_prereleases").True()
	version := v.Get("version")
	switch {
	case version.Is(tomltree.String):
		if !r.namedSpecifier(d, q, version, in) {
			return false
		}
	case version != nil:
		r.failAt(d, version, "%s is %s: write a version in quotes", label(q.Table+"."+q.Written+".version"), version.Kind)
		return false
	default:
		q.Text = q.Written
		q.Spec = Span{q.Span.End, q.Span.End}
		q.Admits = []pep440.Specifiers{{}}
		q.Fixed = "its table names no version"
	}
	q.addressIn(v)
	return r.namedMarker(d, q, v, in)
}

// addressIn is the path, the URL or the repository that a table names.
func (q *Requirement) addressIn(v *tomltree.Value) {
	for _, key := range []string{"path", "file", "url"} {
		if s := v.Get(key).Str(); s != "" {
			q.Text += " @ " + s
			q.direct(s)
			return
		}
	}
	for _, key := range []string{"git", "hg", "svn", "bzr"} {
		if s := v.Get(key).Str(); s != "" {
			q.Text += " @ " + key + "+" + s
			q.direct(key + "+" + s)
			q.Source.Hint = shorten(revision(v))
			return
		}
	}
}

// markerKeys are the variables that a Pipfile may name one by one.
var markerKeys = []string{
	"os_name", "sys_platform", "platform_machine", "platform_python_implementation", "platform_release", "platform_system",
	"platform_version", "python_version", "python_full_version", "implementation_name", "implementation_version",
}

// namedMarker puts a table's conditions into one marker.
func (r *reader) namedMarker(d *document, q *Requirement, v *tomltree.Value, in dialect) (ok bool) {
	var parts []string
	add := func(from *tomltree.Value, text string) bool {
		if _, err := pep508.ParseMarker(text); err != nil {
			r.failAt(d, from, "the condition of %s is no marker: %s", label(q.Table+"."+q.Written), err)
			return false
		}
		parts = append(parts, "("+text+")")
		return true
	}
	for _, key := range []string{"markers", "marker", "env-markers"} {
		if m := v.Get(key); m.Str() != "" && !add(m, m.Text) {
			return false
		}
	}
	for _, key := range markerKeys {
		if m := v.Get(key); m.Str() != "" && !add(m, key+" "+m.Text) {
			return false
		}
	}
	if m := v.Get("platform"); m.Str() != "" && !add(m, "sys_platform == '"+m.Text+"'") {
		return false
	}
	if m := v.Get("python"); m.Str() != "" {
		admits, err := in.read(m.Text)
		if err != nil {
			r.failAt(d, m, "the Python of %s is no specifier: %s", label(q.Table+"."+q.Written), err)
			return false
		}
		if text := pythonMarker(admits); text != "" && !add(m, text) {
			return false
		}
	}
	if len(parts) > 0 {
		q.Marker, _ = pep508.ParseMarker(strings.Join(parts, " and "))
	}
	return true
}

// pythonMarker says in a marker which versions of Python a union admits; "" if
// it admits all.
func pythonMarker(admits []pep440.Specifiers) string {
	var either []string
	for _, s := range admits {
		var all []string
		for _, c := range s.Clauses {
			variable := "python_full_version"
			if c.Op == pep440.Equal && !c.Wildcard && len(c.Version.Release()) < 3 {
				variable = "python_version"
			}
			all = append(all, fmt.Sprintf("%s %s '%s'", variable, c.Op, c.Text))
		}
		if len(all) == 0 {
			return ""
		}
		either = append(either, strings.Join(all, " and "))
	}
	return strings.Join(either, " or ")
}
