package manifest

import (
	"errors"
	"fmt"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
)

// document is a TOML document in a file.
type document struct {
	*source
	root *tomltree.Value
	// inFile turns an offset in the document into one in the file.
	inFile func(int) int
}

// toml reads the file's text as a TOML document. python is true if Python
// programs read it, which know no more than TOML 1.0.
func (r *reader) toml(f *source, python bool) (*document, bool) {
	return r.tomlIn(f, f.text, func(i int) int { return i }, python)
}

// tomlIn reads a document that a part of the file spells.
func (r *reader) tomlIn(f *source, text string, inFile func(int) int, python bool) (*document, bool) {
	doc, err := tomltree.Parse(text)
	if err != nil {
		at := 0
		var located *tomltree.Error
		if errors.As(err, &located) {
			at = located.Offset
		}
		r.fail(f.name, f.at(inFile(at)), "this is no TOML: "+shorten(err.Error()))
		return nil, false
	}
	if n := len(doc.Newer); python && n > 0 {
		first := doc.Newer[0]
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		r.note(f.name, f.span(inFile(first.Start), inFile(first.End)), Check, "",
			first.What+" needs TOML 1.1"+more+": Python's tomllib, and so pip, refuses it; write it as TOML 1.0")
	}
	return &document{f, doc.Root, inFile}, true
}

// spanOf is where a value stands, its quotes included.
func (d *document) spanOf(v *tomltree.Value) Span { return d.span(d.inFile(v.Start), d.inFile(v.End)) }

func (d *document) keySpan(e *tomltree.Entry) Span {
	return d.span(d.inFile(e.Start), d.inFile(e.End))
}

// failAt reports what is wrong with a value.
func (r *reader) failAt(d *document, v *tomltree.Value, format string, args ...any) {
	r.fail(d.name, d.at(d.inFile(v.Start)), fmt.Sprintf(format, args...))
}

// stringPlaces are the places of a string's content.
type stringPlaces struct {
	*document
	text    string
	offsets tomltree.Offsets
}

func (d *document) content(v *tomltree.Value) stringPlaces {
	return stringPlaces{d, v.Text, v.Offsets()}
}

func (s stringPlaces) place(i, j int) (Span, bool) {
	from, to := s.inFile(s.offsets.At(i)), s.inFile(s.offsets.At(j))
	exact := from <= to && to <= len(s.source.text) && s.source.text[from:to] == s.text[i:j]
	return s.span(from, to), exact
}

// strings calls visit for each string of an array. What is none is reported;
// what names the list.
func (r *reader) strings(d *document, v *tomltree.Value, what string, visit func(*tomltree.Value)) {
	if v == nil {
		return
	}
	if !v.Is(tomltree.Array) {
		r.failAt(d, v, "%s is %s: write an array of strings", label(what), v.Kind)
		return
	}
	for _, item := range v.Items() {
		if item.Is(tomltree.String) {
			visit(item)
		} else {
			r.failAt(d, item, "%s holds %s: write strings", label(what), item.Kind)
		}
	}
}

// table calls visit for each key of a table. What is no table is reported.
func (r *reader) table(d *document, v *tomltree.Value, what string, visit func(*tomltree.Entry)) {
	if v == nil {
		return
	}
	if !v.Is(tomltree.Table) {
		r.failAt(d, v, "%s is %s: write a table", label(what), v.Kind)
		return
	}
	for _, e := range v.Entries() {
		visit(e)
	}
}

// list adds an array of PEP 508 requirements.
func (r *reader) list(d *document, v *tomltree.Value, scope Scope, table string) {
	r.strings(d, v, table, func(item *tomltree.Value) {
		r.specifier(d.template(item, scope, table), item.Text, d.content(item), nil)
	})
}

// template is a requirement in the string v before it is read.
func (d *document) template(v *tomltree.Value, scope Scope, table string) Requirement {
	return Requirement{File: d.name, Scope: scope, Table: table, Sets: set(d.name, table), Quote: v.Quote()}
}
