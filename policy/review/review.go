// Package review compares the findings of two commits: what a change adds, mends
// and leaves, and what a person should know of the change itself. Nothing of the
// change decides about it: what it is held to comes from elsewhere. It is pure.
package review

import (
	"context"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// Verdict is the answer, in the words of GitHub's events of a review.
type Verdict string

// The verdicts.
const (
	// Approve: nothing is new but advice.
	Approve Verdict = "APPROVE"
	// Comment: there is something that a person should look at.
	Comment Verdict = "COMMENT"
	// RequestChanges: a blocker is new.
	RequestChanges Verdict = "REQUEST_CHANGES"
)

// Known reports whether the verdict is one.
func (v Verdict) Known() bool { return v == Approve || v == Comment || v == RequestChanges }

// Input is what is compared, and by what.
type Input struct {
	// Base and Head are the trees before and after the change.
	Base, Head *gitread.Tree
	// Changed are the files that differ between them.
	Changed []gitread.Change
	// Lines returns what a diff shows of changed files; nil if that is not known.
	Lines func(context.Context, []gitread.Change) (map[string]gitread.Lines, error)
	// Scan is what the checks go by: policy, database, signers and time come from
	// outside of the change. Its tree, Dockerfiles, reports and entries are not
	// used.
	Scan scan.Input
	// Checks are those that are run over both trees.
	Checks []scan.Check
	// BaseReports and HeadReports are what other tools found.
	BaseReports, HeadReports []scan.Report
	// Trusted are the acknowledgements of the target branch. An entry of the
	// change that is not among them has to be signed, whatever the policy says.
	Trusted []ack.Entry
	// Audit makes blockers warnings.
	Audit bool
}

func (in *Input) rules() config.Review {
	if in.Scan.Config == nil {
		return config.Review{}
	}
	return in.Scan.Config.Review
}

// Finding is one, and what the change does to it.
type Finding struct {
	lens.Shadowed
	// Reopened says that the finding is not new, and that it blocks as it did not
	// before: what a reviewer had signed for has changed, or the signature does not
	// count any more.
	Reopened bool
	// Edited says that the finding is not new and blocks, in an instruction that the
	// change makes another one: what is fetched without a check may be another.
	Edited bool
}

// Result is the answer of [Run].
type Result struct {
	Verdict Verdict
	// New, Fixed and Unchanged compare the findings of the trees: New and
	// Unchanged are those of the head, Fixed those of the base that are gone.
	// Reopened ones are among the unchanged.
	New, Fixed, Unchanged []Finding
	// About are findings about the change itself.
	About []Finding
	// Moved are Dockerfiles that the change adds, deletes, or changes the mode of.
	Moved []Move
	// Dockerfiles are those of the head, by path.
	Dockerfiles []string
	// Entries are the acknowledgements of the head.
	Entries []scan.Acknowledged
	// Lines are what a diff shows of files with new findings.
	Lines map[string]gitread.Lines
	// Sources are the texts of files with new findings.
	Sources map[string]string
	// Notes are what a person may want to know, one line each.
	Notes []string
	Audit bool
	// Named says that the change edits a path which the policy names as sensitive.
	Named bool
	// uncertain are files of which a forge's diff may show other lines.
	uncertain map[string]bool
}

// Run compares two trees. The error is that something could not be read, so that
// nothing is known: it is never an empty comparison.
func Run(ctx context.Context, in Input) (*Result, error) {
	candidates := contents(&in)
	base, err := look(ctx, &in, in.Base, in.BaseReports, candidates.base)
	if err != nil {
		return nil, err
	}
	head, err := look(ctx, &in, in.Head, in.HeadReports, candidates.head)
	if err != nil {
		return nil, err
	}
	r := &Result{Dockerfiles: head.dockerfiles, Entries: head.entries, Notes: head.notes, Audit: in.Audit, uncertain: uncertain(&in)}
	if r.Lines, err = lines(ctx, &in, head); err != nil {
		return nil, err
	}
	r.compare(base, head)
	if err := r.about(&in, base, head); err != nil {
		return nil, err
	}
	r.Sources = sources(head, r)
	r.Verdict = r.decide()
	return r, nil
}

// decide is the verdict on what is new.
func (r *Result) decide() Verdict {
	verdict := Approve
	for f := range r.News() {
		switch {
		case f.Blocks() && !r.Audit:
			return RequestChanges
		case f.Blocks(), f.State() == lens.Open && f.Severity == policy.Warning:
			verdict = Comment
		}
	}
	if verdict == Approve && slices.ContainsFunc(r.Unchanged, func(f Finding) bool { return f.Edited }) {
		return Comment
	}
	return verdict
}
