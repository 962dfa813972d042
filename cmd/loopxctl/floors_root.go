package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
)

// floorsRoot is the folder that a check of floors does not leave.
type floorsRoot struct {
	dir string // as it is shown
	// top is the folder that holds the acknowledgements, and prefix the path
	// from there to dir, "" if they are one.
	top    *base
	prefix string
	// paths are what is looked at, as slash paths from dir.
	paths []string
	// config is the file found in dir, "" if there is none.
	config string
	*os.Root
}

// root opens the root of what args name: --root, else the folder at or above
// all of them that has a loopx.yaml, up to the top of the repository, else that
// top. Outside of a repository it is this folder, or where the paths are.
func (t *tree) floorsRoot(ctx context.Context, args []string, nearest bool) (*floorsRoot, error) {
	names, err := floorsPaths(args)
	if err != nil {
		return nil, err
	}
	r := &floorsRoot{top: t.base(ctx, names)}
	if !r.holds(names) {
		if t.dir != "" {
			return nil, fmt.Errorf("%s is not in %s: --root names a folder around everything that is checked", printable(args[0]), printable(t.dir))
		}
		around := commonFolder(names)
		r.top = newBase(shorter(around), around)
		r.holds(names)
	}
	r.dir = r.top.dir
	if t.dir == "" && nearest {
		r.descend()
	}
	if r.Root, err = os.OpenRoot(r.dir); err != nil {
		return nil, fault.Of(r.dir, "cannot be opened", err)
	}
	if _, err := r.Lstat(config.File); err == nil {
		r.config = config.File
	}
	return r, nil
}

// floorsPaths are the paths as base takes them: a folder ends in "/.".
func floorsPaths(args []string) ([]string, error) {
	names := make([]string, len(args))
	for i, name := range args {
		if name == input.Stdin {
			return nil, errors.New("standard input is no project: name a folder or a file, since other files belong to it")
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &fault.Error{File: name, Message: "there is no such file or folder"}
		case err != nil:
			return nil, fault.Of(name, "cannot be read", err)
		}
		if names[i] = name; info.IsDir() {
			names[i] += string(filepath.Separator) + "."
		}
	}
	return names, nil
}

// holds makes the paths, and reports whether all are below the top.
func (r *floorsRoot) holds(names []string) bool {
	r.paths = nil
	for _, name := range names {
		path := r.top.path(name)
		if path == "" {
			return false
		}
		r.paths = append(r.paths, path)
	}
	return true
}

// commonFolder is the deepest folder around all names, absolute.
func commonFolder(names []string) string {
	common := realFolder(filepath.Dir(names[0]))
	for _, name := range names[1:] {
		for dir := realFolder(filepath.Dir(name)); common != filepath.Dir(common); common = filepath.Dir(common) {
			if rel, err := filepath.Rel(common, dir); err == nil && filepath.IsLocal(rel) {
				break
			}
		}
	}
	return common
}

// descend moves the root down to the folder of the nearest loopx.yaml.
func (r *floorsRoot) descend() {
	for folder := r.deepest(); folder != "."; folder = path.Dir(folder) {
		dir := filepath.Join(r.dir, filepath.FromSlash(folder))
		if _, err := os.Lstat(filepath.Join(dir, config.File)); err != nil {
			continue
		}
		r.dir, r.prefix = dir, folder
		for i, p := range r.paths {
			r.paths[i] = strings.TrimPrefix(strings.TrimPrefix(p, folder), "/")
			if r.paths[i] == "" {
				r.paths[i] = "."
			}
		}
		return
	}
}

// deepest is the deepest folder, from the root, that is around all paths.
func (r *floorsRoot) deepest() string {
	around := func(p string) string {
		if info, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(p))); err == nil && info.IsDir() {
			return p
		}
		return path.Dir(p)
	}
	common := around(r.paths[0])
	for _, p := range r.paths[1:] {
		for common != "." && around(p) != common && !strings.HasPrefix(p, common+"/") {
			common = path.Dir(common)
		}
	}
	return common
}

// otherPolicies are the policies in folders below the root that hold, or are
// around, a file that was found.
func (p *floorsProject) otherPolicies() []string {
	seen := map[string]bool{".": true}
	var all []string
	for _, f := range p.found.Files {
		for dir := path.Dir(f.Name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			name := path.Join(dir, config.File)
			if _, err := p.Lstat(name); err == nil {
				all = append(all, name)
			}
		}
	}
	return all
}

// find lists the files that declare dependencies.
func (r *floorsRoot) find(scripts bool) (manifest.Discovery, error) {
	var all manifest.Discovery
	seen := map[string]bool{}
	for _, p := range r.paths {
		one, err := r.below(p, scripts)
		if err != nil {
			return all, err
		}
		for _, f := range one.Files {
			if !seen[f.Name] {
				seen[f.Name] = true
				all.Files = append(all.Files, f)
			}
		}
		all.Notes = append(all.Notes, one.Notes...)
		all.Errors = append(all.Errors, one.Errors...)
	}
	return all, nil
}

// below is what one path stands for: the files of a folder, or the file itself.
func (r *floorsRoot) below(p string, scripts bool) (manifest.Discovery, error) {
	info, err := r.Stat(p)
	shown := filepath.Join(r.dir, filepath.FromSlash(p))
	switch {
	case err != nil:
		return manifest.Discovery{}, fault.Of(shown, "cannot be read", err)
	case info.IsDir():
		return manifest.Discover(r.FS(), p, manifest.Find{Scripts: scripts}), nil
	}
	kind, ok := manifest.KindOf(p)
	switch ext := path.Ext(p); {
	case ok:
	case ext == ".txt" || ext == ".in":
		kind = manifest.RequirementsFile
	case ext == ".py":
		kind = manifest.Script
	default:
		return manifest.Discovery{}, &fault.Error{
			File: shown, Message: "is no file that is known to declare Python dependencies",
			Todo: "Name a pyproject.toml, a requirements file, a lock file, a Dockerfile, or the folder that they are in.",
		}
	}
	return manifest.Discovery{Files: []manifest.Found{{Name: p, Kind: kind}}}, nil
}
