// Package gitread reads commits, trees and files from the objects of a git
// repository, and tells what is tagged and what is not committed. Nothing is
// checked out, nothing is written, and no program is run but git itself.
//
// It runs git's plumbing, since only git knows all forms that a repository has:
// SHA-1 and SHA-256 objects, alternates, worktrees, shallow and partial clones.
// The repository may be hostile, and so may what it holds: hooks, file system
// monitors, filters, text conversions, replaced objects, grafts, commit graphs
// and lazy fetches are off, whatever its configuration says, and of the
// environment git sees only what [Options] lists.
package gitread

import (
	"context"
	"strings"
)

// Limits of what is read. A repository beyond them is an error.
const (
	// MaxFile is the size of the largest file that is read, in bytes, unless
	// [Options] says otherwise.
	MaxFile = 64 << 20
	// MaxEntries is how many files a tree has at most.
	MaxEntries = 1_000_000
	// maxOutput is the most that one git command may print, in bytes.
	maxOutput = 128 << 20
)

// Options say which repository is read, and how.
type Options struct {
	// Dir is a folder in the repository; "" is this one.
	Dir string
	// Environ is the environment as "NAME=value". git sees of it where programs
	// and the user's own configuration are (PATH, HOME, XDG_CONFIG_HOME,
	// GIT_CONFIG_*), and where a server keeps objects that it has not accepted
	// yet (GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES,
	// GIT_QUARANTINE_PATH).
	Environ []string
	// MaxFile is the size of the largest file that is read; 0 is [MaxFile].
	MaxFile int64
}

// Repo is a repository that is read. It is safe for use by several goroutines.
type Repo struct {
	git     git
	maxFile int64
	top     string
	bare    bool
	shallow bool
	objects *objects
}

// Open finds the repository that a folder is in. The context ends git's
// processes. Close what it returns. The error is an [*Error].
func Open(ctx context.Context, o Options) (*Repo, error) {
	r := &Repo{git: git{dir: o.Dir, environ: scrub(o.Environ)}, maxFile: o.MaxFile}
	if r.maxFile == 0 {
		r.maxFile = MaxFile
	}
	out, err := r.git.lines(ctx, "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--is-inside-work-tree")
	if err != nil || len(out) != 3 {
		return nil, notRepository(o.Dir, err)
	}
	r.bare, r.shallow = out[0] == "true", out[1] == "true"
	if out[2] == "true" {
		top, err := r.git.run(ctx, "rev-parse", "--show-toplevel")
		if err != nil {
			return nil, err
		}
		r.top = strings.TrimSuffix(string(top), "\n")
	}
	r.objects = &objects{git: r.git, ctx: ctx, max: r.maxFile}
	return r, nil
}

// Close ends what was started.
func (r *Repo) Close() error { return r.objects.close() }

// Top is the folder of the working tree; "" if there is none.
func (r *Repo) Top() string { return r.top }

// Shallow reports whether the repository lacks a part of its history.
func (r *Repo) Shallow() bool { return r.shallow }

// Remote is the address of a remote, as the repository's configuration has it;
// "" if it has none.
func (r *Repo) Remote(ctx context.Context, name string) string {
	out, err := r.git.run(ctx, "config", "--get", "remote."+name+".url")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}
