package manifest

import (
	"errors"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/pypi/reqfile"
)

// requirementsFile reads a requirements or a constraints file with what it
// includes.
func (r *reader) requirementsFile(name string, kind Kind) {
	use := Requirement{Scope: Requirements, Sets: set(name, "")}
	files := r.listFile(name, kind == ConstraintsFile, use)
	for _, f := range files[min(1, len(files)):] {
		r.followed(f.Path)
	}
}

// followed remembers that a file was read since another one names it.
func (r *reader) followed(name string) {
	if r.Has(name) && !slices.Contains(r.out.Follows, name) {
		r.out.Follows = append(r.out.Follows, name)
	}
}

// listFile adds the lines of a requirements file and of those that it includes.
// use says what they are used for. The files that were read come back, the
// first one included.
func (r *reader) listFile(name string, constraint bool, use Requirement) []reqfile.File {
	all := r.listSet(name, constraint)
	use.Pre = use.Pre || all.Pre
	for i := range all.Entries {
		r.entry(&all.Entries[i], use, all.PreNames)
	}
	return all.Files
}

// listKey is one way to read a requirements file.
type listKey struct {
	name       string
	constraint bool
}

// listSet reads a requirements file, once however often a Dockerfile names it,
// and says what is wrong with it.
func (r *reader) listSet(name string, constraint bool) reqfile.Set {
	key := listKey{name, constraint}
	if done, ok := r.lists[key]; ok {
		return done
	}
	set, err := reqfile.Read(name, reqfile.Options{
		Open: r.Tree.Read, Env: r.opts.Env, Constraint: constraint, Limits: reqfile.Limits{File: int(r.Limit)},
	})
	if r.lists == nil {
		r.lists = map[listKey]reqfile.Set{}
	}
	r.lists[key] = set
	var fault *reqfile.Error
	if errors.As(err, &fault) {
		r.fail(fault.File, linePosition(fault.Line), shorten(fault.Msg))
	} else if err != nil {
		r.fail(name, Position{}, shorten(err.Error()))
	}
	for _, n := range set.Notes {
		r.listNote(n)
	}
	return set
}

// linePosition is the start of a line, the zero Position for none.
func linePosition(line int) Position {
	if line == 0 {
		return Position{}
	}
	return Position{Offset: -1, Line: line, Column: 1}
}

// entryPlaces are the places of a line's text.
type entryPlaces struct{ *reqfile.Entry }

func (e entryPlaces) place(i, j int) (Span, bool) {
	from, exactFrom := e.At(i)
	to, exactTo := e.At(j)
	start := Position{from.Offset, from.Line, from.Column}
	end := Position{to.Offset, to.Line, to.Column}
	_, _, exact := e.Span(i, j)
	if !exactFrom || !exactTo {
		start.Offset, end.Offset, exact = -1, -1, false
	}
	return Span{start, end}, exact
}

// entry adds one line.
func (r *reader) entry(e *reqfile.Entry, use Requirement, pre []string) {
	q := use
	q.File = e.File
	if e.Constraint {
		q.Scope = Constraints
	}
	if len(e.Hashes) > 0 {
		q.Hashed = true
		q.Fixed = "its hashes belong to the version that it names: make the file again with the tool that made it"
	}
	at := entryPlaces{e}
	switch e.Kind {
	case reqfile.Requirement:
		n := len(r.out.Requirements)
		r.specifier(q, e.Text, at, nil)
		for i := range r.out.Requirements[n:] {
			added := &r.out.Requirements[n+i]
			added.Pre = added.Pre || names(pre, added.Name)
		}
	case reqfile.Path, reqfile.URL, reqfile.Editable:
		r.address(q, e.Text, at)
	case reqfile.NotRead:
		span, _ := at.place(0, len(e.Text))
		r.note(e.File, span, Unprovable, "", "requirements at an address are not fetched: "+shorten(e.Reason))
	}
}

func names(list []string, name string) bool {
	for _, n := range list {
		if pep503.Normalize(n) == name {
			return true
		}
	}
	return false
}

// address adds what is taken from a path or a URL: with extras and a marker, as
// pip allows, which are not looked at but for the name.
func (r *reader) address(q Requirement, text string, at places) {
	q.Text = text
	q.Span, _ = at.place(0, len(text))
	q.Spec = Span{q.Span.End, q.Span.End}
	where, _, _ := strings.Cut(text, " ;")
	where = strings.TrimSpace(where)
	if name := egg(where); pep503.Valid(name) {
		q.Name, q.Written = pep503.Normalize(name), name
	}
	if i := strings.LastIndexByte(where, '['); i >= 0 && strings.HasSuffix(where, "]") && !strings.Contains(where, "#") {
		for extra := range strings.SplitSeq(where[i+1:len(where)-1], ",") {
			q.Extras = append(q.Extras, strings.TrimSpace(extra))
		}
		where = where[:i]
	}
	q.direct(where)
	if q.Source.Kind == Path && strings.ContainsAny(where, " \t") && !strings.HasPrefix(where, ".") && !strings.HasPrefix(where, "/") {
		r.fail(q.File, q.Span.Start, q.what()+"is neither a requirement nor a path: write one requirement, and ./ before a path")
		return
	}
	r.add(q)
}

// listNote passes on what pip passes over without a word.
func (r *reader) listNote(n reqfile.Note) {
	p := linePosition(n.Line)
	what := ""
	switch n.Kind {
	case reqfile.Swallowed:
		what = "pip never reads this line (" + shorten(n.Text) + "): the comment above ends in a backslash, which joins it; take the backslash out"
	case reqfile.IgnoredOption:
		what = "pip ignores " + shorten(n.Text) + " here: put it on a line of its own"
	case reqfile.IgnoredWord:
		what = "pip ignores the word " + shorten(n.Text) + " here: take it out, or put it on a line of its own"
	default:
		return
	}
	r.note(n.File, Span{p, p}, Check, "", what)
}
