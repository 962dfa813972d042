// Package walk finds the Dockerfiles below folders.
package walk

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/manifest/gitignore"
)

// Options say what is found.
type Options struct {
	// Include are patterns in place of [dockerfile.IsName], Exclude are those of
	// files and folders that are left out; both as in a .gitignore file of the
	// folder that is walked.
	Include, Exclude []string
	// NoIgnore takes what .gitignore files leave out.
	NoIgnore bool
	// Without is a folder that is not entered; "" for none.
	Without string
}

// File is one that was found, or a folder that could not be read.
type File struct {
	// Name is the folder's name as it was given, and the path in it.
	Name string
	// Path is the path in the folder, with slashes; the last part of the name for
	// a file that was named itself.
	Path string
	// Problem is set for a folder that could not be read, or not wholly.
	Problem *fault.Error
}

// Found is the answer of [Find].
type Found struct {
	// Files are in the order of the names, and below a folder in that of its
	// entries. No file is in it twice.
	Files []File
	// Notes tell what has the name of a Dockerfile and was left out.
	Notes []string
	// Ignored is how many files .gitignore files left out, those in folders that
	// were left out whole not counted.
	Ignored int
}

// Find lists the Dockerfiles below folders. A name that is not a folder's is
// listed as it is, whether it is there or not.
//
// It does not enter .git, .hg, .svn, node_modules and vendor, nor what .gitignore
// files leave out, unless one is named itself. A link to a file is followed
// inside of the folder, where the file has its own name; links to folders are
// not. The error is that a pattern is none.
func Find(names []string, o Options) (Found, error) {
	w := walker{readDir: os.ReadDir, noIgnore: o.NoIgnore, without: realPath(o.Without), seen: map[string]bool{}}
	var err error
	if w.include, err = patterns("--include", o.Include); err != nil {
		return Found{}, err
	}
	if w.exclude, err = patterns("--exclude", o.Exclude); err != nil {
		return Found{}, err
	}
	for _, name := range names {
		w.named(name)
	}
	return w.out, nil
}

type walker struct {
	readDir          func(string) ([]fs.DirEntry, error)
	include, exclude gitignore.Stack
	noIgnore         bool
	without          string // absolute and without links; "" for none
	seen             map[string]bool
	out              Found

	// About the folder that is walked:
	root, real string // as it was named; absolute and without links
	prefix     string // its path from the top of the repository
}

func (w *walker) named(name string) {
	info, err := os.Stat(name)
	if name == input.Stdin || err != nil || !info.IsDir() {
		w.add(File{Name: name, Path: filepath.Base(name)}, realPath(name))
		return
	}
	w.root, w.real = name, realPath(name)
	var ignored gitignore.Stack
	w.prefix, ignored = above(w.real)
	w.folder(".", ignored)
}

// folder lists the folder of a slash path from the root.
func (w *walker) folder(dir string, ignored gitignore.Stack) {
	list, err := w.readDir(w.file(dir))
	if err != nil {
		problem := fault.Of(w.file(dir), "the folder cannot be read", err)
		w.out.Files = append(w.out.Files, File{Name: w.file(dir), Path: dir, Problem: problem})
	}
	for _, e := range list {
		if e.Name() == ignoreFile && !w.noIgnore {
			ignored = withFile(ignored, w.file(path.Join(dir, ignoreFile)), path.Join(w.prefix, dir))
		}
	}
	for _, e := range list {
		w.entry(path.Join(dir, e.Name()), e, ignored)
	}
}

func (w *walker) entry(name string, e fs.DirEntry, ignored gitignore.Stack) {
	left := !w.noIgnore && ignored.Ignored(path.Join(w.prefix, name), e.IsDir())
	switch {
	case w.exclude.Ignored(name, e.IsDir()):
	case e.IsDir():
		if !left && !foreign(e.Name()) && w.absolute(name) != w.without {
			w.folder(name, ignored)
		}
	case !w.wanted(name):
	case left:
		w.out.Ignored++
	case e.Type()&fs.ModeSymlink != 0:
		w.link(name)
	case e.Type().IsRegular():
		w.add(File{Name: w.file(name), Path: name}, w.absolute(name))
	default:
		w.note(name, "is no plain file, and is left out")
	}
}

// foreign reports whether a folder of this name holds what others have written,
// or no files of a tree at all.
func foreign(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", "node_modules", "vendor":
		return true
	}
	return false
}

func (w *walker) wanted(name string) bool {
	if w.include != nil {
		return w.include.Ignored(name, false)
	}
	return dockerfile.IsName(path.Base(name))
}

// link takes the file that a link leads to, under its own name. One that leads
// nowhere is taken itself, so that reading it tells.
func (w *walker) link(name string) {
	target, err := filepath.EvalSymlinks(w.absolute(name))
	if err != nil {
		w.add(File{Name: w.file(name), Path: name}, w.absolute(name))
		return
	}
	to, err := filepath.Rel(w.real, target)
	if err != nil || !filepath.IsLocal(to) {
		w.note(name, "is a link out of the folder, and is not followed")
		return
	}
	if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() {
		if to = filepath.ToSlash(to); !w.excluded(to) {
			w.add(File{Name: w.file(to), Path: to}, target)
		}
	}
}

// excluded reports whether a file, or a folder on the way to it, is left out.
func (w *walker) excluded(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if w.exclude.Ignored(dir, true) {
			return true
		}
	}
	return w.exclude.Ignored(name, false)
}

// add lists a file, unless it is in the list. real is its name without links; ""
// if it is not known.
func (w *walker) add(f File, real string) {
	if real != "" && w.seen[real] {
		return
	}
	w.seen[real] = true
	w.out.Files = append(w.out.Files, f)
}

func (w *walker) note(name, text string) {
	w.out.Notes = append(w.out.Notes, fmt.Sprintf("%s: %s", w.file(name), text))
}

// file is the name of a slash path from the root, as a person would write it.
func (w *walker) file(name string) string {
	file := filepath.Join(w.root, filepath.FromSlash(name))
	if file == input.Stdin {
		return "." + string(filepath.Separator) + file
	}
	return file
}

func (w *walker) absolute(name string) string {
	return filepath.Join(w.real, filepath.FromSlash(name))
}

// realPath is an absolute name without links; "" if there is none.
func realPath(name string) string {
	if name == "" || name == input.Stdin {
		return ""
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return ""
}
