package builder

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// vcs says where in which repository the inputs are, as buildx does: the frontend
// looks acknowledgements up by it, and provenance has it. Nothing is said where
// there is no git, no repository, or BUILDX_GIT_INFO=0.
func (p *plan) vcs() error {
	if value, ok := p.options.Env("BUILDX_GIT_INFO"); ok {
		if on, err := strconv.ParseBool(value); err == nil && !on {
			return nil
		}
	}
	dir, ok := p.folders[contextInput]
	if !ok {
		return nil
	}
	root := git(dir, "rev-parse", "--show-toplevel")
	if root == "" {
		return nil
	}
	if revision := git(dir, "rev-parse", "HEAD"); revision != "" {
		p.opt.FrontendAttrs["vcs:revision"] = revision
	}
	if source := git(dir, "config", "--get", "remote."+remote(dir)+".url"); source != "" {
		p.opt.FrontendAttrs["vcs:source"] = route.Redact(source)
	}
	for name, folder := range p.folders {
		if below, ok := pathBelow(root, folder); ok {
			p.opt.FrontendAttrs["vcs:localdir:"+name] = below
		}
	}
	return nil
}

// remote is the repository's remote that is asked for its address: that of the
// branch, else origin.
func remote(dir string) string {
	branch := git(dir, "symbolic-ref", "--quiet", "--short", "HEAD")
	if branch == "" {
		return "origin"
	}
	if name := git(dir, "config", "--get", "branch."+branch+".remote"); name != "" && name != "." {
		return name
	}
	return "origin"
}

// git is the answer of git in a folder, "" if it has none.
func git(dir string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// pathBelow is a folder's path from the root, with slashes.
func pathBelow(root, dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	path, err := filepath.Rel(root, dir)
	return filepath.ToSlash(path), err == nil && filepath.IsLocal(path)
}
