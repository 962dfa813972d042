package gitread

import (
	"context"
	"strings"
)

// Tag is the name of a commit, behind "refs/tags/".
type Tag struct {
	Name string
	// Annotated says that the tag is an object of its own, with an author, a date
	// and perhaps a signature.
	Annotated bool
}

// Tags are those of a commit, by name. The error is an [*Error].
func (r *Repo) Tags(ctx context.Context, c Commit) ([]Tag, error) {
	out, err := r.git.lines(ctx, "for-each-ref", "--points-at", string(c), "--format=%(objecttype) %(refname)", "refs/tags/")
	if err != nil {
		return nil, failed("the tags of "+c.Short()+" cannot be listed", err)
	}
	var all []Tag
	for _, line := range out {
		kind, ref, _ := strings.Cut(line, " ")
		all = append(all, Tag{Name: strings.TrimPrefix(ref, "refs/tags/"), Annotated: kind == "tag"})
	}
	return all, nil
}
