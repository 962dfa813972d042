// Package tree reads the files of a tree that may be hostile: links lead nowhere
// outside of it, what is no plain file is not read, and no file is read beyond a
// bound. It is pure: the tree is an [fs.FS].
package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Tree is the files of a project. Links are followed inside of it and nowhere
// else.
type Tree struct {
	FS fs.FS
	// Limit is the size of the largest file that is read, in bytes.
	Limit int64
}

// maxLinks is how many links are followed on the way to one file: as many as
// Linux follows (path_resolution(7)).
const maxLinks = 40

// Errors of files, as clauses: "the file " goes before them.
var (
	ErrOutside   = errors.New("leads out of the folder that is read")
	ErrLinks     = errors.New("is a circle of links")
	ErrIrregular = errors.New("is no regular file")
)

// Resolve returns the path without links, and what lies there. A file system
// that can't read links is trusted to stay inside of its root.
func (t *Tree) Resolve(name string) (string, fs.FileInfo, error) {
	fsys, ok := t.FS.(fs.ReadLinkFS)
	if !ok {
		info, err := fs.Stat(t.FS, name)
		return name, info, err
	}
	w := walk{fsys: fsys, rest: strings.Split(path.Clean(name), "/")}
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			return "", nil, err
		}
	}
	name = path.Join(append([]string{"."}, w.done...)...)
	if w.last == nil {
		info, err := fs.Stat(t.FS, name)
		return name, info, err
	}
	return name, w.last, nil
}

// walk goes along a path and follows the links on it.
type walk struct {
	fsys  fs.ReadLinkFS
	done  []string // the way so far, without links
	rest  []string
	last  fs.FileInfo // of the last part of done, nil if that was left by ".."
	links int
}

// step takes the next part of the path.
func (w *walk) step() error {
	part := w.rest[0]
	w.rest = w.rest[1:]
	switch {
	case part == "." || part == "":
		return nil
	case part == ".." && len(w.done) == 0:
		return ErrOutside
	case part == "..":
		w.done, w.last = w.done[:len(w.done)-1], nil
		return nil
	}
	at := path.Join(append(w.done[:len(w.done):len(w.done)], part)...)
	info, err := w.fsys.Lstat(at)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return w.link(at)
	}
	w.done, w.last = append(w.done, part), info
	return nil
}

// link goes on with what a link says.
func (w *walk) link(at string) error {
	to, err := w.fsys.ReadLink(at)
	if err != nil {
		return err
	}
	if w.links++; w.links > maxLinks {
		return ErrLinks
	}
	if to = strings.ReplaceAll(to, `\`, "/"); path.IsAbs(to) || strings.Contains(to, ":") {
		return ErrOutside
	}
	w.rest = append(strings.Split(to, "/"), w.rest...)
	return nil
}

// Read returns the content of a regular file inside of the root.
func (t *Tree) Read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, ErrOutside
	}
	name, info, err := t.Resolve(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrIrregular
	}
	if info.Size() > t.Limit {
		return nil, t.tooLarge()
	}
	f, err := t.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > t.Limit {
			return nil, t.tooLarge()
		}
		if errors.Is(err, io.EOF) || err == nil && int64(len(data)) == info.Size() {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func (t *Tree) tooLarge() error { return fmt.Errorf("has more than %d bytes", t.Limit) }

// Has reports whether there is a regular file of this path inside of the root.
func (t *Tree) Has(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	_, info, err := t.Resolve(name)
	return err == nil && info.Mode().IsRegular()
}

// Why words an error of a file as a clause, without the paths of this machine.
func Why(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not there"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read"
	case errors.As(err, &at):
		return "can't be read: " + at.Err.Error()
	}
	return err.Error()
}
