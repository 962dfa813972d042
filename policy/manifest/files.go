package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// tree is the files of a project. Links are followed inside of it and nowhere
// else.
type tree struct {
	fsys  fs.FS
	limit int64
}

// Bounds on files.
const (
	maxFile  = 32 << 20 // bytes, unless Options say otherwise
	maxLinks = 40       // on the way to one file
)

// Errors of files, as clauses.
var (
	errOutside   = errors.New("leads out of the folder that is read")
	errLinks     = errors.New("is a circle of links")
	errIrregular = errors.New("is no regular file")
)

// resolve returns the path without links, and what lies there. A file system
// that can't read links is trusted to stay inside of its root.
func (t *tree) resolve(name string) (string, fs.FileInfo, error) {
	fsys, ok := t.fsys.(fs.ReadLinkFS)
	if !ok {
		info, err := fs.Stat(t.fsys, name)
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
		info, err := fs.Stat(t.fsys, name)
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
		return errOutside
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
		return errLinks
	}
	if to = strings.ReplaceAll(to, `\`, "/"); path.IsAbs(to) || strings.Contains(to, ":") {
		return errOutside
	}
	w.rest = append(strings.Split(to, "/"), w.rest...)
	return nil
}

// read returns the content of a regular file inside of the root.
func (t *tree) read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, errOutside
	}
	name, info, err := t.resolve(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	if info.Size() > t.limit {
		return nil, t.tooLarge()
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > t.limit {
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

func (t *tree) tooLarge() error { return fmt.Errorf("has more than %d bytes", t.limit) }

// is reports whether there is a regular file of this path inside of the root.
func (t *tree) is(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	_, info, err := t.resolve(name)
	return err == nil && info.Mode().IsRegular()
}

// why words an error of a file as a clause, without the paths of this machine.
func why(err error) string {
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
