package manifest

import (
	"errors"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// pipfile reads a Pipfile: [packages], [dev-packages], and tables of other
// names, which are categories. Source: Pipenv's documentation, "Pipfile &
// Pipfile.lock".
func (r *reader) pipfile(f *source) {
	d, ok := r.toml(f, true)
	if !ok {
		return
	}
	pre := d.root.Get("pipenv", "allow_prereleases").True()
	for _, e := range d.root.Entries() {
		switch e.Key {
		case "source", "requires", "scripts", "pipenv", "pipfile":
			continue
		}
		scope := Groups
		if e.Key == "packages" {
			scope = Requirements
		}
		r.table(d, e.Value, e.Key, func(name *tomltree.Entry) {
			n := len(r.out.Requirements)
			r.named(d, name, scope, e.Key, standard())
			for i := range r.out.Requirements[n:] {
				q := &r.out.Requirements[n+i]
				q.Pre = q.Pre || pre
				if scope == Groups {
					q.Groups = []string{e.Key}
				}
			}
		})
	}
	r.pipfilePython(d, d.root.Get("requires"))
}

// pipfilePython is the Python that a Pipfile asks for: 3.11 means all of 3.11.
func (r *reader) pipfilePython(d *document, v *tomltree.Value) {
	for _, key := range []string{"python_version", "python_full_version"} {
		version := v.Get(key)
		if version.Str() == "" || version.Str() == "*" {
			continue
		}
		text := "==" + version.Text
		if key == "python_version" {
			text += ".*"
		}
		s, err := pep440.ParseSpecifiers(text)
		if err != nil {
			r.failAt(d, version, "requires.%s is no version: write one such as 3.12", key)
			continue
		}
		r.out.Python = append(r.out.Python, Python{d.name, d.spanOf(version), version.Text, s.Set()})
	}
}

// pipfileLock reads a Pipfile.lock: a table for each category.
func (r *reader) pipfileLock(f *source) {
	root, err := parseJSON(f.text)
	if err != nil {
		at := 0
		var located *jsonError
		if errors.As(err, &located) {
			at = located.offset
		}
		r.fail(f.name, f.at(at), "this is no JSON: "+shorten(err.Error()))
		return
	}
	if !root.isObject {
		r.fail(f.name, f.at(root.start), "this is no Pipfile.lock: make it again with pipenv lock")
		return
	}
	for _, category := range root.entries {
		if category.key == "_meta" {
			continue
		}
		for _, e := range category.value.entries {
			r.pipfileLocked(f, category.key, e)
		}
	}
}

// pipfileLocked is one package of a Pipfile.lock.
func (r *reader) pipfileLocked(f *source, category string, e jsonEntry) {
	v := e.value
	q := Requirement{
		File: f.name, Scope: Locks, Table: category, Written: e.key, Name: normal(e.key), Text: e.key, Fixed: lockedFixed,
		Groups: []string{category}, Sets: set(f.name, category+"."+e.key), Span: f.span(v.start, v.end), Quote: `"`,
		Hashed: v.get("hashes") != nil,
	}
	q.Spec = Span{q.Span.End, q.Span.End}
	if m, err := pep508.ParseMarker(v.get("markers").str()); err == nil {
		q.Marker = m
	}
	jsonSource(&q, v)
	version := v.get("version")
	switch {
	case version.str() != "":
		s, err := pep440.ParseSpecifiers(version.text)
		if err != nil {
			r.fail(f.name, f.at(version.start+1), "the locked version of "+label(e.key)+" is no specifier: "+err.Error())
			return
		}
		q.Text = e.key + " " + version.text
		q.Span = f.span(version.start+1, version.end-1)
		q.Spec = q.Span
		q.Admits = []pep440.Specifiers{s}
	case !q.Local():
		q.Unprovable = "the lock has no version for it"
	}
	r.add(q)
}

func jsonSource(q *Requirement, v *jsonValue) {
	switch path, file, git := v.get("path").str(), v.get("file").str(), v.get("git").str(); {
	case git != "":
		q.Source = Source{Kind: VCS, Place: shorten(git), Hint: shorten(v.get("ref").str())}
	case strings.Contains(file, "://") || isArchive(file):
		q.Source = Source{Kind: Archive, Place: shorten(file)}
	case path+file != "":
		q.Source = Source{Kind: Path, Place: shorten(path + file)}
	}
}
