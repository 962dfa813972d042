package review

import (
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// The request "Create a review for a pull request" of GitHub's REST API
// (https://docs.github.com/rest/pulls/reviews, version 2022-11-28).
type (
	githubReview struct {
		CommitID gitread.Commit  `json:"commit_id"`
		Event    Verdict         `json:"event"`
		Body     string          `json:"body"`
		Comments []githubComment `json:"comments"`
	}
	githubComment struct {
		Path string `json:"path"`
		Line int    `json:"line"`
		Side string `json:"side"`
		Body string `json:"body"`
	}
)

// GitHub writes the review for "gh api repos/OWNER/REPO/pulls/N/reviews". A finding
// in a line that the diff shows is a comment of it; GitHub refuses a review with a
// comment elsewhere, so where that can't be told the finding is in the body.
func (v *Review) GitHub(w io.Writer) error {
	doc := githubReview{CommitID: v.Head.Commit, Event: v.Verdict, Comments: []githubComment{}}
	said := map[int]bool{}
	for i, f := range v.News().Findings {
		if len(doc.Comments) < maxComments && v.commented(f) {
			doc.Comments = append(doc.Comments, githubComment{Path: f.Location.File, Line: f.Location.Start.Line, Side: "RIGHT", Body: item(f)})
			said[i] = true
		}
	}
	doc.Body = v.body(said)
	return plain.Encode(w, doc)
}

// commented reports whether a finding can be a comment.
func (v *Review) commented(f lens.Shadowed) bool {
	at := f.Location
	return at != nil && utf8.ValidString(at.File) && plain.Text(at.File) == at.File && !v.uncertain[at.File] && v.shows(*at)
}

// maxDiff is how many files GitHub shows of a diff.
const maxDiff = 300

// uncertain are changed files of which GitHub's diff may show other lines than
// ours: all of a large change, files that may be renamed ones, and what attributes
// make binary.
func uncertain(in *Input) map[string]bool {
	all := map[string]bool{}
	deletes := false
	for _, c := range in.Changed {
		deletes = deletes || c.Status == "D"
	}
	binary := binaryBelow(in.Head)
	for _, c := range in.Changed {
		below := func(dir string) bool { return dir == "." || strings.HasPrefix(c.Path, dir+"/") }
		if len(in.Changed) > maxDiff || c.Status == "A" && deletes || slices.ContainsFunc(binary, below) {
			all[c.Path] = true
		}
	}
	return all
}

// binaryBelow are folders whose attributes may make files binary to a diff.
func binaryBelow(tree *gitread.Tree) []string {
	var folders []string
	for _, e := range tree.Entries() {
		if path.Base(e.Path) != ".gitattributes" {
			continue
		}
		data, err := tree.ReadFile(e.Path)
		if text := string(data); err != nil || strings.Contains(text, "-diff") || strings.Contains(text, "binary") {
			folders = append(folders, path.Dir(e.Path))
		}
	}
	return folders
}
