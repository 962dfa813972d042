package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/ack"
)

// base is the root that the files of a repository are named from.
type base struct {
	dir   string            // as it is shown
	flag  string            // --root, where a command that is typed here needs it
	real  string            // absolute, without symbolic links; "" if it is not known
	known map[string]string // the same of other folders
}

func newBase(dir, flag string) *base {
	return &base{dir: dir, flag: flag, real: realFolder(dir), known: map[string]string{}}
}

// path is a file's path from the root, with slashes; "" if it is not below it.
// Links on the way to the file are followed, and the file is not, as git has it.
func (b *base) path(name string) string {
	dir, file := filepath.Split(name)
	folder, ok := b.known[dir]
	if !ok {
		folder = realFolder(dir)
		b.known[dir] = folder
	}
	if b.real == "" || folder == "" || name == input.Shown {
		return ""
	}
	path, err := filepath.Rel(b.real, filepath.Join(folder, file))
	if err != nil || !filepath.IsLocal(path) {
		return ""
	}
	return filepath.ToSlash(path)
}

// realFolder is an absolute name without symbolic links; "" if there is none.
func realFolder(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return ""
	}
	return dir
}

// base is the root of files, by their names: --root, or the top of the
// repository that we stand in. Where the first file is in none of these, it is
// the top of the repository that this file is in, or this folder.
func (t *tree) base(ctx context.Context, names []string) *base {
	if t.dir != "" {
		return newBase(t.dir, t.dir)
	}
	here := newBase(".", "")
	top, err := t.git(ctx, ".", "rev-parse", "--show-toplevel")
	inside := err == nil && top != ""
	if inside {
		here = newBase(shorter(top), "")
	}
	i := slices.IndexFunc(names, func(name string) bool { return name != input.Shown })
	if i < 0 || inside && here.path(names[i]) != "" {
		return here
	}
	if top := t.outermost(ctx, filepath.Dir(names[i])); top != "" {
		return newBase(shorter(top), shorter(top))
	}
	return here
}

// outermost is the top of the repository that a folder is in; "" if it is in
// none. Of a submodule it is that of the repository around it: a change can add
// a submodule, and must not decide by it who is trusted.
func (t *tree) outermost(ctx context.Context, dir string) string {
	top := ""
	for {
		out, err := t.git(ctx, dir, "rev-parse", "--show-superproject-working-tree", "--show-toplevel")
		around, rest, isSubmodule := strings.Cut(out, "\n")
		switch {
		case err != nil || out == "":
			return top
		case !isSubmodule:
			return out
		}
		dir, top = around, rest
	}
}

// hasAcknowledgements reports whether a folder above one of the files holds
// acknowledgements, so that the root has to be asked for.
func hasAcknowledgements(names []string) bool {
	folders, asked := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		folders[filepath.Dir(name)] = true
	}
	for folder := range folders {
		for dir := realFolder(folder); dir != "" && !asked[dir]; dir = filepath.Dir(dir) {
			asked[dir] = true
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(ack.Path))); err == nil {
				return true
			}
		}
	}
	return false
}
