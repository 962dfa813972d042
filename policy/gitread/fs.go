package gitread

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// maxHops is how many symbolic links one path may lead through, as Linux has it
// (path_resolution(7)).
const maxHops = 40

// maxTarget is the length of the longest link, in bytes (PATH_MAX of Linux).
const maxTarget = 4096

// The interfaces of io/fs that a tree has.
var (
	_ fs.ReadDirFS  = (*Tree)(nil)
	_ fs.ReadFileFS = (*Tree)(nil)
	_ fs.StatFS     = (*Tree)(nil)
	_ fs.ReadLinkFS = (*Tree)(nil)
)

// Resolve returns the path of what a path leads to, links followed within the
// tree. The error is an [*fs.PathError].
func (t *Tree) Resolve(name string) (string, error) {
	to, _, err := t.follow("open", name)
	return to, err
}

// follow walks a path from the root, through links. Where it stands is always a
// folder without links, so ".." is the folder above.
func (t *Tree) follow(op, name string) (string, *node, error) {
	if !fs.ValidPath(name) && !validBytes(name) {
		return "", nil, pathError(op, name, fs.ErrInvalid)
	}
	at, n := ".", t.nodes["."]
	for hops, rest := 0, name; rest != ""; {
		part, left, _ := strings.Cut(rest, "/")
		rest = left
		next, err := t.step(at, n, part)
		if err == nil && t.nodes[next].isLink() {
			if hops++; hops > maxHops {
				return "", nil, pathError(op, name, ErrLoop)
			}
			var target string
			target, err = t.target(t.nodes[next].entry)
			rest, next = target+"/"+rest, at
		}
		if err != nil {
			return "", nil, pathError(op, name, err)
		}
		at, n = next, t.nodes[next]
	}
	return at, n, nil
}

// step is where a part of a path leads from a folder.
func (t *Tree) step(at string, n *node, part string) (string, error) {
	next := path.Join(at, part)
	switch {
	case part == "" || part == ".":
		return at, nil
	case !n.folder():
		return "", fs.ErrNotExist
	case part == ".." && at == ".":
		return "", ErrOutside
	case t.nodes[next] == nil:
		return "", fs.ErrNotExist
	}
	return next, nil
}

// target is what a link says, if it can lead within the tree.
func (t *Tree) target(e *Entry) (string, error) {
	if e.Size > maxTarget {
		return "", ErrTooLarge
	}
	data, err := t.blob(e)
	switch {
	case err != nil:
		return "", err
	case len(data) == 0:
		return "", fs.ErrNotExist
	case data[0] == '/' || bytes.IndexByte(data, 0) >= 0:
		return "", ErrOutside
	}
	return string(data), nil
}

// blob returns the bytes of an entry.
func (t *Tree) blob(e *Entry) ([]byte, error) {
	switch {
	case e.Size < 0:
		return nil, ErrMissing
	case e.Size > t.repo.maxFile:
		return nil, ErrTooLarge
	}
	return t.repo.objects.read(e.ID)
}

// ReadFile returns the content of a file.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	_, n, err := t.follow("open", name)
	switch {
	case err != nil:
		return nil, err
	case n.folder():
		return nil, pathError("read", name, errors.New("is a folder"))
	}
	data, err := t.blob(n.entry)
	if err != nil {
		return nil, pathError("read", name, err)
	}
	return data, nil
}

// Open opens a file or a folder.
func (t *Tree) Open(name string) (fs.File, error) {
	_, n, err := t.follow("open", name)
	if err != nil {
		return nil, err
	}
	if n.folder() {
		return &folder{n: n, left: n.list()}, nil
	}
	data, err := t.blob(n.entry)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &file{info{n}, bytes.NewReader(data)}, nil
}

// ReadDir lists a folder, by name. Links are listed as such.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	_, n, err := t.follow("readdir", name)
	switch {
	case err != nil:
		return nil, err
	case !n.folder():
		return nil, pathError("readdir", name, errors.New("is no folder"))
	}
	return n.list(), nil
}

// Stat describes what a path leads to.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	_, n, err := t.follow("stat", name)
	if err != nil {
		return nil, err
	}
	return info{n}, nil
}

// Lstat describes a path itself, if it is a link.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	n, err := t.link("lstat", name)
	if err != nil {
		return nil, err
	}
	return info{n}, nil
}

// ReadLink returns where a symbolic link says that it leads.
func (t *Tree) ReadLink(name string) (string, error) {
	n, err := t.link("readlink", name)
	switch {
	case err != nil:
		return "", err
	case !n.isLink():
		return "", pathError("readlink", name, fs.ErrInvalid)
	case n.entry.Size > maxTarget:
		return "", pathError("readlink", name, ErrTooLarge)
	}
	target, err := t.blob(n.entry)
	if err != nil {
		return "", pathError("readlink", name, err)
	}
	return string(target), nil
}

// link follows links on the way to a path, and not the last one.
func (t *Tree) link(op, name string) (*node, error) {
	if n := t.nodes[name]; n != nil {
		return n, nil
	}
	dir, _, err := t.follow(op, path.Dir(name))
	if err != nil {
		return nil, pathError(op, name, errors.Unwrap(err))
	}
	if n := t.nodes[path.Join(dir, path.Base(name))]; n != nil {
		return n, nil
	}
	return nil, pathError(op, name, fs.ErrNotExist)
}

// folder reports whether a node has, or could have, others below it.
func (n *node) folder() bool { return n.entry == nil || n.entry.Submodule() }

func (n *node) isLink() bool { return n.entry != nil && n.entry.Link() }

func (n *node) list() []fs.DirEntry {
	all := make([]fs.DirEntry, len(n.children))
	for i, child := range n.children {
		all[i] = info{child}
	}
	return all
}

// info describes a node, and is its entry in a list.
type info struct{ n *node }

func (i info) Name() string               { return i.n.name }
func (i info) IsDir() bool                { return i.n.folder() }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) ModTime() time.Time         { return time.Time{} }

// Sys returns the [*Entry], nil for a folder.
func (i info) Sys() any { return i.n.entry }

func (i info) Size() int64 {
	if i.n.folder() {
		return 0
	}
	return max(0, i.n.entry.Size)
}

func (i info) Mode() fs.FileMode {
	switch {
	case i.n.folder():
		return fs.ModeDir | 0o755
	case i.n.entry.Link():
		return fs.ModeSymlink | 0o777
	case i.n.entry.Mode == ModeExecutable:
		return 0o755
	}
	return 0o644
}

type file struct {
	info info
	*bytes.Reader
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type folder struct {
	n    *node
	left []fs.DirEntry
}

func (f *folder) Stat() (fs.FileInfo, error) { return info{f.n}, nil }
func (f *folder) Close() error               { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, pathError("read", f.n.name, errors.New("is a folder"))
}

// ReadDir is that of [fs.ReadDirFile].
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		all := f.left
		f.left = nil
		return all, nil
	}
	if len(f.left) == 0 {
		return nil, io.EOF
	}
	k := min(n, len(f.left))
	some := f.left[:k]
	f.left = f.left[k:]
	return some, nil
}
