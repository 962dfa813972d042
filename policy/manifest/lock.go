package manifest

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// lockedFixed says why what is in a lock is not edited.
const lockedFixed = "a lock is written by its tool"

// lock reads a lock file in TOML: each locked version by itself.
func (r *reader) lock(f *source, kind Kind) {
	d, ok := r.toml(f, kind != UvLock)
	if !ok {
		return
	}
	key, python := "package", ""
	switch kind {
	case PyLock:
		key, python = "packages", "requires-python"
	case UvLock:
		python = "requires-python"
	}
	if python != "" {
		r.pythonOf(d, d.root.Get(python), python)
	}
	if v := d.root.Get("metadata", "python-versions"); kind == PoetryLock && v.Is(tomltree.String) {
		r.pythonUnion(d, v, "metadata.python-versions")
	}
	packages := d.root.Get(key)
	if packages == nil {
		return
	}
	if !packages.Is(tomltree.Array) {
		r.failAt(d, packages, "%s is %s: make the lock again with its tool", key, packages.Kind)
		return
	}
	for i, v := range packages.Items() {
		r.lockedPackage(d, v, kind, i)
	}
}

// lockedPackage is one [[package]].
func (r *reader) lockedPackage(d *document, v *tomltree.Value, kind Kind, i int) {
	name := v.Get("name")
	if !name.Is(tomltree.String) {
		r.failAt(d, v, "a locked package has no name: make the lock again with its tool")
		return
	}
	q := Requirement{
		File: d.name, Scope: Locks, Table: "package", Written: name.Text, Name: normal(name.Text), Fixed: lockedFixed,
		Span: d.spanOf(name), Sets: []string{fmt.Sprintf("%s: package %d", d.name, i+1)},
	}
	q.Hashed = locksHashes(v) || len(d.root.Get("metadata", "files", name.Text).Items()) > 0
	for _, g := range v.Get("groups").Items() {
		q.Groups = append(q.Groups, g.Str())
	}
	lockSource(&q, v, kind)
	r.lockMarker(d, &q, v)
	r.lockedVersion(d, q, v.Get("version"))
}

// lockedVersion adds q with the version that the string v says, if it is there.
func (r *reader) lockedVersion(d *document, q Requirement, v *tomltree.Value) {
	q.Spec = Span{q.Span.End, q.Span.End}
	q.Text = q.Written
	if v == nil {
		if !q.Local() {
			q.Unprovable = "the lock has no version for it"
		}
		r.add(q)
		return
	}
	version, err := pep440.Parse(v.Str())
	if err != nil {
		r.failAt(d, v, "the locked version of %s is no version: %s", label(q.Written), err)
		return
	}
	q.Text = q.Written + " " + v.Text
	q.Spec, _ = d.content(v).place(0, len(v.Text))
	q.Span, q.Quote, q.Syntax = q.Spec, v.Quote(), BareVersion
	q.pin(version)
	r.add(q)
}

// pin lets q admit one version.
func (q *Requirement) pin(v pep440.Version) {
	if s, err := pep440.ParseSpecifiers("==" + v.String()); err == nil {
		q.Admits = []pep440.Specifiers{s}
	}
}

// lockSource says where a locked package is from. Sources: the format
// descriptions of uv.lock, poetry.lock and pdm.lock, and PEP 751.
func lockSource(q *Requirement, v *tomltree.Value, kind Kind) {
	switch kind {
	case UvLock:
		uvLocked(q, v.Get("source"))
	case PoetryLock:
		from := v.Get("source")
		poetryLocked(q, from.Get("type").Str(), from.Get("url").Str(), from)
	case PdmLock:
		tableLocked(q, v)
	case PyLock:
		pyLocked(q, v)
	}
}

func uvLocked(q *Requirement, v *tomltree.Value) {
	for _, key := range []string{"virtual", "editable", "directory"} {
		if s := v.Get(key); s != nil {
			q.Source = Source{Kind: Path, Place: shorten(s.Str())}
		}
	}
	if s := v.Get("git").Str(); s != "" {
		_, fragment, _ := strings.Cut(s, "#")
		q.Source = Source{Kind: VCS, Place: shorten(s), Hint: shorten(fragment)}
	}
	for _, key := range []string{"url", "path"} {
		if s := v.Get(key).Str(); s != "" {
			q.Source = Source{Kind: Archive, Place: shorten(s)}
		}
	}
}

func poetryLocked(q *Requirement, kind, url string, v *tomltree.Value) {
	switch kind {
	case "directory":
		q.Source = Source{Kind: Path, Place: shorten(url)}
	case "git", "hg", "svn":
		q.Source = Source{Kind: VCS, Place: shorten(url), Hint: shorten(revision(v))}
	case "file", "url":
		q.Source = Source{Kind: Archive, Place: shorten(url)}
	}
}

// tableLocked is where the source is told by the package's own keys.
func tableLocked(q *Requirement, v *tomltree.Value) {
	switch path, url, git := v.Get("path").Str(), v.Get("url").Str(), v.Get("git").Str(); {
	case git != "":
		q.Source = Source{Kind: VCS, Place: shorten(git), Hint: shorten(revision(v))}
	case url != "" || isArchive(path):
		q.Source = Source{Kind: Archive, Place: shorten(url + path)}
	case path != "":
		q.Source = Source{Kind: Path, Place: shorten(path)}
	}
}

func pyLocked(q *Requirement, v *tomltree.Value) {
	if s := v.Get("directory"); s != nil {
		q.Source = Source{Kind: Path, Place: shorten(s.Get("path").Str())}
	}
	if s := v.Get("vcs"); s != nil {
		q.Source = Source{Kind: VCS, Place: shorten(s.Get("url").Str() + s.Get("path").Str()), Hint: shorten(s.Get("requested-revision").Str())}
	}
	if s := v.Get("archive"); s != nil {
		q.Source = Source{Kind: Archive, Place: shorten(s.Get("url").Str() + s.Get("path").Str())}
	}
}

// lockMarker is the condition under which a package is installed: one marker,
// or several of which one must hold. One that can't be read is as good as none:
// the package may be installed.
func (r *reader) lockMarker(d *document, q *Requirement, v *tomltree.Value) {
	var parts []string
	for _, key := range []string{"marker", "markers", "resolution-markers"} {
		s := v.Get(key)
		if s.Is(tomltree.String) {
			parts = append(parts, "("+s.Text+")")
		}
		for _, item := range s.Items() {
			parts = append(parts, "("+item.Str()+")")
		}
		for _, e := range s.Entries() { // by group, in a poetry.lock
			parts = append(parts, "("+e.Value.Str()+")")
		}
	}
	if len(parts) == 0 {
		return
	}
	m, err := pep508.ParseMarker(strings.Join(parts, " or "))
	if err != nil {
		r.note(d.name, d.spanOf(v), Check, q.Table, "the marker of "+label(q.Written)+" can't be read, so the package counts as one that is always installed")
		return
	}
	q.Marker = m
}

// locksHashes reports whether the lock has hashes of the package's files.
func locksHashes(v *tomltree.Value) bool {
	for _, key := range []string{"files", "wheels"} {
		if items := v.Get(key).Items(); len(items) > 0 {
			return items[0].Get("hash") != nil || items[0].Get("hashes") != nil
		}
	}
	return v.Get("sdist", "hash") != nil || v.Get("sdist", "hashes") != nil || v.Get("archive", "hashes") != nil
}
