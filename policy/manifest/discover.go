package manifest

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/gitignore"
	"github.com/loopx/loopx-frontend/policy/tree"
)

// Found is a file that declares dependencies.
type Found struct {
	// Name is a slash path relative to the root of the file system.
	Name string
	Kind Kind
}

// Discovery is what was found.
type Discovery struct {
	// Files are sorted by name.
	Files []Found
	// Notes tell of links that lead out of the root.
	Notes  []Note
	Errors []*Error
}

// Find says what to look for.
type Find struct {
	// Scripts asks for Python scripts with inline metadata too (PEP 723):
	// every *.py file is read for that.
	Scripts bool
}

// maxEntries is how many files and folders are looked at.
const maxEntries = 1 << 20

// Discover lists the files below a folder that declare dependencies. It leaves
// out what git ignores by the .gitignore files from that folder down, the
// folders of version control, virtual environments, installed and vendored
// packages, and what builds have made. A link is followed to a file inside of
// the file system; one that leads out is noted.
func Discover(fsys fs.FS, folder string, f Find) Discovery {
	d := discoverer{Tree: tree.Tree{FS: fsys, Limit: maxFile}, find: f, seen: map[string]bool{}}
	d.walk(path.Clean(folder), nil)
	slices.SortFunc(d.out.Files, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return d.out
}

type discoverer struct {
	tree.Tree
	find    Find
	out     Discovery
	seen    map[string]bool
	entries int
}

func (d *discoverer) walk(dir string, ignored gitignore.Stack) {
	list, err := fs.ReadDir(d.FS, dir)
	if err != nil {
		d.out.Errors = append(d.out.Errors, &Error{dir, Position{}, "the folder " + tree.Why(err)})
		return
	}
	if made(dir, list) {
		return
	}
	if d.entries += len(list); d.entries > maxEntries {
		d.out.Errors = append(d.out.Errors, &Error{dir, Position{}, "there are too many files: check a folder of the project by itself"})
		return
	}
	if slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		if text, err := d.Read(path.Join(dir, ".gitignore")); err == nil {
			ignored = append(ignored[:len(ignored):len(ignored)], gitignore.Parse(dir, string(text)))
		}
	}
	for _, e := range list {
		if d.entries > maxEntries {
			return
		}
		d.entry(path.Join(dir, e.Name()), e, ignored)
	}
}

func (d *discoverer) entry(name string, e fs.DirEntry, ignored gitignore.Stack) {
	switch {
	case ignored.Ignored(name, e.IsDir()):
	case e.IsDir():
		if !foreign(e.Name()) {
			d.walk(name, ignored)
		}
	case e.Type()&fs.ModeSymlink != 0:
		d.link(name)
	case e.Type().IsRegular():
		d.file(name, name)
	}
}

// link follows a link to a file, under the link's name.
func (d *discoverer) link(name string) {
	to, info, err := d.Resolve(name)
	if errors.Is(err, tree.ErrOutside) {
		p := Position{}
		d.out.Notes = append(d.out.Notes, Note{name, Span{p, p}, Unprovable, "", "this link leads out of the folder that is read, and is not followed"})
		return
	}
	if err == nil && info.Mode().IsRegular() {
		d.file(name, to)
	}
}

// file lists a file whose name, which may be a link's, says what it is.
func (d *discoverer) file(name, to string) {
	kind, ok := KindOf(name)
	if !ok || d.seen[to] || kind == Script && !d.script(to) {
		return
	}
	d.seen[to] = true
	d.out.Files = append(d.out.Files, Found{to, kind})
}

// script reports whether a Python file has the opening line of a block of
// metadata.
func (d *discoverer) script(name string) bool {
	if !d.find.Scripts {
		return false
	}
	text, err := d.Read(name)
	return err == nil && bytes.Contains(text, []byte("# /// script"))
}

// foreign reports whether a folder of this name holds what the project has not
// written.
func foreign(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".bzr", "node_modules", "vendor", "site-packages", "dist-packages", "__pypackages__", "__pycache__",
		".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".pixi":
		return true
	}
	return strings.HasSuffix(name, ".egg") || strings.HasSuffix(name, ".egg-info") || strings.HasSuffix(name, ".dist-info")
}

// made reports whether a program has made the folder: a virtual environment, a
// conda environment, or the output of a Python build.
func made(dir string, list []fs.DirEntry) bool {
	for _, e := range list {
		name := e.Name()
		switch {
		case name == "pyvenv.cfg" && dir != ".", name == "conda-meta" && e.IsDir():
			return true
		case path.Base(dir) == "build" && e.IsDir() && (name == "lib" || strings.HasPrefix(name, "lib.") || strings.HasPrefix(name, "bdist.")):
			return true
		case path.Base(dir) == "dist" && !e.IsDir() && (strings.HasSuffix(name, ".whl") || strings.HasSuffix(name, ".egg")):
			return true
		}
	}
	return false
}
