package review

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/review/steps"
)

// view is a tree as the checks see it: files that ignore others are not there,
// since they take nothing out of a commit, and the Dockerfiles that stand in other
// files are files of their own. It keeps the first failure of the repository
// itself, which no check may take for a property of the tree.
type view struct {
	*gitread.Tree
	inline map[string]inline // by path

	mu     sync.Mutex
	failed error
}

// inline is a Dockerfile in another file.
type inline struct {
	step steps.Step
	text []byte
}

var (
	_ fs.ReadLinkFS = (*view)(nil)
	_ fs.ReadDirFS  = (*view)(nil)
	_ fs.ReadFileFS = (*view)(nil)
	_ fs.StatFS     = (*view)(nil)
)

// add makes a file of an inline Dockerfile and returns its path: that of the file
// that it stands in, a "#" and its name there. Its lines are those of that file,
// as far as they are known.
func (v *view) add(s steps.Step) string {
	name := s.File + "#" + strings.Map(func(r rune) rune {
		if r == '/' || r < ' ' {
			return '-'
		}
		return r
	}, s.Name)
	for v.taken(name) {
		name += "#"
	}
	v.inline[name] = inline{s, append(bytes.Repeat([]byte("\n"), max(0, s.Inline.Line-1)), s.Inline.Text...)}
	return name
}

func (v *view) taken(name string) bool {
	if _, ok := v.inline[name]; ok {
		return true
	}
	_, err := v.Tree.Lstat(name)
	return err == nil
}

// note keeps an error that is not about the tree.
func (v *view) note(err error) error {
	var own *gitread.Error
	if err != nil && (errors.Is(err, gitread.ErrMissing) || errors.As(err, &own)) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.failed == nil {
			v.failed = err
		}
	}
	return err
}

// hidden reports whether a path is one of a file that leaves others out.
func hidden(name string) bool { return path.Base(name) == ".gitignore" }

func absent(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// Open opens a file or a folder.
func (v *view) Open(name string) (fs.File, error) {
	if i, ok := v.inline[name]; ok {
		return &inlineFile{inlineInfo{name, len(i.text)}, bytes.NewReader(i.text)}, nil
	}
	if hidden(name) {
		return nil, absent("open", name)
	}
	f, err := v.Tree.Open(name)
	return f, v.note(err)
}

// ReadFile returns the content of a file.
func (v *view) ReadFile(name string) ([]byte, error) {
	if i, ok := v.inline[name]; ok {
		return slices.Clone(i.text), nil
	}
	if hidden(name) {
		return nil, absent("open", name)
	}
	data, err := v.Tree.ReadFile(name)
	return data, v.note(err)
}

// ReadDir lists a folder.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := v.Tree.ReadDir(name)
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return hidden(e.Name()) }), v.note(err)
}

// Stat describes what a path leads to.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	if i, ok := v.inline[name]; ok {
		return inlineInfo{name, len(i.text)}, nil
	}
	info, err := v.Tree.Stat(name)
	return info, v.note(err)
}

// Lstat describes a path itself.
func (v *view) Lstat(name string) (fs.FileInfo, error) {
	if i, ok := v.inline[name]; ok {
		return inlineInfo{name, len(i.text)}, nil
	}
	info, err := v.Tree.Lstat(name)
	return info, v.note(err)
}

// inlineInfo describes an inline Dockerfile.
type inlineInfo struct {
	name string
	size int
}

// The methods are those of [fs.FileInfo].
func (i inlineInfo) Name() string       { return path.Base(i.name) }
func (i inlineInfo) Size() int64        { return int64(i.size) }
func (i inlineInfo) Mode() fs.FileMode  { return 0o644 }
func (i inlineInfo) ModTime() time.Time { return time.Time{} }
func (i inlineInfo) IsDir() bool        { return false }
func (i inlineInfo) Sys() any           { return nil }

type inlineFile struct {
	info inlineInfo
	*bytes.Reader
}

func (f *inlineFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *inlineFile) Close() error               { return nil }
