package gitread

import (
	"context"
	"fmt"
	"strings"
)

// Modes of entries of a tree, as git spells them
// (https://git-scm.com/docs/git-fast-import, "filemodify").
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeLink       = "120000"
	ModeSubmodule  = "160000"
	ModeNone       = "000000" // there is no such entry
)

// Change is a file that differs between two commits. A renamed file is one that
// is deleted and one that is added.
type Change struct {
	// Path is from the root, with slashes, as the tree has it.
	Path string
	// Status is "A" added, "D" deleted, "M" modified or "T" of another kind.
	Status string
	// OldMode and NewMode are modes, OldID and NewID names of objects.
	OldMode, NewMode string
	OldID, NewID     string
}

// ModeChanged reports whether the file is there before and after, with another
// mode.
func (c Change) ModeChanged() bool {
	return c.OldMode != ModeNone && c.NewMode != ModeNone && c.OldMode != c.NewMode
}

// Changed returns the files that differ between two commits, by path. Renames
// are not looked for. The error is an [*Error].
func (r *Repo) Changed(ctx context.Context, from, to Commit) ([]Change, error) {
	out, err := r.git.fields(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=none", string(from), string(to))
	if err != nil {
		return nil, failed("the changed files cannot be listed", err)
	}
	var all []Change
	for i := 0; i+1 < len(out); i += 2 {
		words := strings.Fields(strings.TrimPrefix(out[i], ":"))
		if len(words) != 5 {
			return nil, &Error{Message: fmt.Sprintf("git diff-tree prints %q", out[i])}
		}
		all = append(all, Change{
			Path: out[i+1], Status: words[4],
			OldMode: words[0], NewMode: words[1], OldID: words[2], NewID: words[3],
		})
	}
	return all, nil
}
