package gitread

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Uncommitted is a file of the working tree that is not as it was committed.
type Uncommitted struct {
	// Path is from the top of the working tree, with slashes.
	Path string
	// Why is a few words: "changed", "added", "deleted", "untracked",
	// "conflict", "submodule", or "hidden from git" for a file whose changes git
	// has been told to overlook.
	Why string
}

// Uncommitted returns what makes the working tree other than its commit, by path:
// files that are changed, staged, or untracked and not ignored. No filter is run:
// a file for which attributes name one, and which git has not seen since it was
// written, counts as changed, unless it is one of Git LFS and as its pointer
// says. Submodules that are checked out are looked into. The error is an
// [*Error].
func (r *Repo) Uncommitted(ctx context.Context) ([]Uncommitted, error) { return r.uncommitted(ctx, 0) }

// maxDepth is how deep submodules are looked into.
const maxDepth = 10

func (r *Repo) uncommitted(ctx context.Context, depth int) ([]Uncommitted, error) {
	if r.top == "" {
		return nil, &Error{Message: "the repository has no working tree", Todo: "Run it in a clone that is checked out."}
	}
	g := git{dir: r.top, environ: r.git.environ}
	filters, err := filters(ctx, g)
	if err != nil {
		return nil, err
	}
	g.config = filters
	out, err := g.fields(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames")
	if err != nil {
		return nil, failed("the state of the working tree cannot be read", err)
	}
	var all []Uncommitted
	for _, record := range out {
		if len(record) < 4 {
			return nil, &Error{Message: "git status prints " + plain.Text(record)}
		}
		if u := (Uncommitted{record[3:], why(record[:2])}); u.Why != "changed" || !r.isPointed(ctx, u.Path) {
			all = append(all, u)
		}
	}
	index, err := index(ctx, g)
	if err != nil {
		return nil, err
	}
	hidden, err := r.hidden(index)
	if err != nil {
		return nil, err
	}
	below, err := r.inSubmodules(ctx, index, depth)
	all = slices.Concat(all, hidden, below)
	slices.SortFunc(all, func(a, b Uncommitted) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

// why is the meaning of git's two letters (git-status(1), "Short Format").
func why(letters string) string {
	switch {
	case letters == "??":
		return "untracked"
	case strings.Contains(letters, "U") || letters == "AA" || letters == "DD":
		return "conflict"
	case strings.Contains(letters, "D"):
		return "deleted"
	case strings.Contains(letters, "A"):
		return "added"
	}
	return "changed"
}

// filters is configuration that takes the programs from all filters: a filter
// whose process is empty runs nothing (apply_filter in git's convert.c).
func filters(ctx context.Context, g git) ([]string, error) {
	names, err := g.fields(ctx, "config", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if s, ok := errors.AsType[*status](err); ok && s.code == 1 {
		return nil, nil // there is none
	}
	if err != nil {
		return nil, failed("the filters cannot be listed", err)
	}
	var config []string
	for _, name := range names {
		driver := name[:strings.LastIndexByte(name, '.')]
		if strings.ContainsAny(driver, "=\n") {
			return nil, &Error{Message: fmt.Sprintf("the configuration has a filter called %s, which cannot be turned off", plain.Text(driver))}
		}
		for _, setting := range []string{".process=", ".clean=", ".smudge=", ".required=false"} {
			if !slices.Contains(config, driver+setting) {
				config = append(config, driver+setting)
			}
		}
	}
	return config, nil
}

// isPointed reports whether a file is what the pointer of Git LFS in its place
// stands for.
func (r *Repo) isPointed(ctx context.Context, name string) bool {
	data, err := r.git.run(ctx, "cat-file", "blob", ":"+name)
	if err != nil {
		return false
	}
	pointer, ok := ParsePointer(data)
	if !ok {
		return false
	}
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return false
	}
	defer root.Close()
	if info, err := root.Lstat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() || info.Size() != pointer.Size {
		return false
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, pointer.Size))
	return err == nil && fmt.Sprintf("%x", sum.Sum(nil)) == pointer.SHA256
}

// hidden are files whose changes git has been told to overlook: with the bit
// assume-unchanged, or with skip-worktree if they are there.
func (r *Repo) hidden(index []indexed) ([]Uncommitted, error) {
	root, err := os.OpenRoot(r.top)
	if err != nil {
		return nil, &Error{Message: "the working tree cannot be read", Err: err}
	}
	defer root.Close()
	var all []Uncommitted
	for _, f := range index {
		absent := false
		if f.letter == "S" {
			_, err := root.Lstat(filepath.FromSlash(f.path))
			absent = err != nil // as a sparse checkout has it
		}
		if f.letter == "S" && !absent || f.letter == strings.ToLower(f.letter) {
			all = append(all, Uncommitted{f.path, "hidden from git"})
		}
	}
	return all, nil
}

// inSubmodules are the files of submodules that are checked out.
func (r *Repo) inSubmodules(ctx context.Context, index []indexed, depth int) ([]Uncommitted, error) {
	var all []Uncommitted
	for _, f := range index {
		dir := filepath.Join(r.top, filepath.FromSlash(f.path))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); f.mode != ModeSubmodule || err != nil {
			continue
		}
		if depth == maxDepth {
			return nil, &Error{Message: fmt.Sprintf("%s: submodules are nested more than %d deep", plain.Text(f.path), maxDepth)}
		}
		sub, err := Open(ctx, Options{Dir: dir, Environ: r.git.environ})
		if err != nil {
			return nil, err
		}
		files, err := sub.uncommitted(ctx, depth+1)
		if err = errors.Join(err, sub.Close()); err != nil {
			return nil, err
		}
		for _, u := range files {
			all = append(all, Uncommitted{f.path + "/" + u.Path, u.Why})
		}
	}
	return all, nil
}

// indexed is an entry of the index, with git's letter for it (git-ls-files(1),
// -v).
type indexed struct{ letter, mode, path string }

func index(ctx context.Context, g git) ([]indexed, error) {
	out, err := g.fields(ctx, "ls-files", "-z", "-v", "--stage", "--full-name")
	if err != nil {
		return nil, failed("the index cannot be read", err)
	}
	all := make([]indexed, len(out))
	for i, record := range out {
		head, name, ok := strings.Cut(record, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 {
			return nil, &Error{Message: "git ls-files prints " + plain.Text(record)}
		}
		all[i] = indexed{words[0], words[1], name}
	}
	return all, nil
}
