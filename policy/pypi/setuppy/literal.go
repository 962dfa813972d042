package setuppy

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/setupcfg"
)

// expr is the tokens of an expression; reason says why it can't be read, if it
// can't, with the token that it is about in lo.
type expr struct {
	lo, hi int
	reason string
}

const notLiteral = "the value is no plain list of strings; only running the file can tell it"

// resolve cuts brackets around a whole expression, and follows a name to the
// one literal that it stands for.
func (f *file) resolve(lo, hi int) expr {
	e := f.bare(expr{lo: lo, hi: hi})
	if e.hi-e.lo != 1 || f.kind(e.lo) != name || f.text(e.lo) == "None" {
		return e
	}
	to := f.follow(f.text(e.lo))
	if to.reason != "" {
		to.lo, to.hi = e.lo, e.hi
	}
	return to
}

// bare cuts brackets that only group.
func (f *file) bare(e expr) expr {
	for e.hi-e.lo > 2 && f.text(e.lo) == "(" && int(f.tokens[e.lo].pair) == e.hi-1 {
		parts := f.split(e.lo+1, e.hi-1)
		if len(parts) != 1 || parts[0][1] != e.hi-1 {
			break
		}
		e.lo, e.hi = e.lo+1, e.hi-1
	}
	return e
}

// inside gives the tokens between the brackets of an expression that is one
// bracket of the kind.
func (f *file) inside(e expr, open string) (lo, hi int, ok bool) {
	if e.hi-e.lo < 2 || f.text(e.lo) != open || int(f.tokens[e.lo].pair) != e.hi-1 {
		return 0, 0, false
	}
	return e.lo + 1, e.hi - 1, true
}

// list takes in a list or tuple of strings, or a string of lines.
func (f *file) list(key, extra string, e expr) {
	if e.reason != "" {
		f.unprovable(key, e.lo, e.reason)
		return
	}
	if e.hi-e.lo == 1 && f.text(e.lo) == "None" {
		return
	}
	lo, hi, ok := f.inside(e, "[")
	if !ok {
		lo, hi, ok = f.inside(e, "(")
	}
	if !ok {
		f.element(key, extra, e)
		return
	}
	for _, part := range f.split(lo, hi) {
		f.element(key, extra, f.resolve(part[0], part[1]))
	}
}

// element takes in one string. setuptools reads each of its lines as a
// requirement.
func (f *file) element(key, extra string, e expr) {
	l, ok := f.str(&e)
	if !ok {
		f.unprovable(key, e.lo, e.reason)
		return
	}
	items, err := setupcfg.FileItems([]byte(l.text), false)
	if err != nil {
		f.unprovable(key, e.lo, notLiteral)
		return
	}
	for _, it := range items {
		out := Item{Key: key, Extra: extra, Text: it.Text, Line: int(f.tokens[e.lo].line)}
		if l.exact && it.Exact {
			out.Line += it.Line - 1
			out.Start, out.End, out.Exact = l.body+it.Start, l.body+it.End, true
		}
		f.out.Items = append(f.out.Items, out)
	}
}

// str gives the value of an expression that is strings and nothing else; if it
// isn't, e.reason says so.
func (f *file) str(e *expr) (literal, bool) {
	if e.reason == "" && e.lo == e.hi {
		e.reason = notLiteral
	}
	if e.reason != "" {
		return literal{}, false
	}
	var one literal
	var all strings.Builder
	for i := e.lo; i < e.hi; i++ {
		if f.kind(i) != str {
			e.reason = notLiteral
			return literal{}, false
		}
		var ok bool
		if one, ok = stringValue(f.src, int(f.tokens[i].start), int(f.tokens[i].end)); !ok {
			e.reason = "a string has parts that only running the file can tell"
			return literal{}, false
		}
		all.WriteString(one.text)
	}
	if e.hi-e.lo == 1 {
		return one, true
	}
	return literal{text: all.String()}, true
}

// specifiers takes in python_requires.
func (f *file) specifiers(e expr) {
	if e.reason == "" && e.hi-e.lo == 1 && f.text(e.lo) == "None" {
		return
	}
	l, ok := f.str(&e)
	if !ok {
		f.unprovable(PythonRequires, e.lo, e.reason)
		return
	}
	text := strings.TrimSpace(l.text)
	out := Item{Key: PythonRequires, Text: text, Line: int(f.tokens[e.lo].line)}
	if l.exact {
		out.Start = l.body + strings.Index(l.text, text)
		out.End, out.Exact = out.Start+len(text), true
		out.Line += lineCount(f.src[f.tokens[e.lo].start:out.Start])
	}
	f.out.Items = append(f.out.Items, out)
}

// extras takes in a dictionary of lists.
func (f *file) extras(e expr) {
	if e.reason != "" {
		f.unprovable(ExtrasRequire, e.lo, e.reason)
		return
	}
	if e.hi-e.lo == 1 && f.text(e.lo) == "None" {
		return
	}
	lo, hi, ok := f.inside(e, "{")
	if !ok {
		f.unprovable(ExtrasRequire, e.lo, "the value is no plain dictionary of lists; only running the file can tell it")
		return
	}
	for _, part := range f.split(lo, hi) {
		f.extra(part[0], part[1])
	}
}

// extra takes in one entry "key: list".
func (f *file) extra(lo, hi int) {
	colon := lo
	for colon < hi && f.text(colon) != ":" {
		if pair := int(f.tokens[colon].pair); pair > colon {
			colon = pair
		}
		colon++
	}
	key := f.resolve(lo, min(colon, hi))
	l, ok := f.str(&key)
	if !ok || colon >= hi {
		f.unprovable(ExtrasRequire, lo, "an entry has no plain string for its key")
		return
	}
	f.list(ExtrasRequire, l.text, f.resolve(colon+1, hi))
}
