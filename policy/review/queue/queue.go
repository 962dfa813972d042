// Package queue puts the pull requests of a repository into the order in which
// people should look at them. It reads what GitHub's gh prints, has each one
// reviewed where its commits are at hand, and says by which commands the evidence
// is got where they are not. It is pure: the review is a function, and the clock
// is given.
//
// What it writes is counts and places, never what a review found: a pull request
// is public text.
package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy/review/area"
)

// Status is what is known of a pull request.
type Status string

// Statuses, the most urgent first.
const (
	// Blocked has a new blocker, or the label [policy.SensitiveTag].
	Blocked Status = "blocked"
	// Audit is merged, and brought in something new that is found.
	Audit Status = "audit"
	// Failed could not be reviewed, because a tool failed. It is never clean.
	Failed Status = "failed"
	// Unread has commits that are not at hand.
	Unread Status = "not_reviewed"
	// Clean was reviewed, and nothing blocks.
	Clean Status = "clean"
)

// Verdict is what a review says of two commits, in counts.
type Verdict struct {
	// Event is GitHub's: REQUEST_CHANGES, APPROVE or COMMENT.
	Event string
	// New, Fixed and Unchanged count findings; New are all that the verdict is about.
	New, Fixed, Unchanged int
	// Of the new ones, Blockers block, Sensitive are not public, and Unprovable are
	// builds of which it isn't known what they take.
	Blockers, Sensitive, Unprovable int
	// Named says that a path is changed which the policy names as sensitive.
	Named bool
}

// Events of a review on GitHub.
const (
	RequestChanges = "REQUEST_CHANGES"
	Approve        = "APPROVE"
	Comment        = "COMMENT"
)

// ErrUnread is the error of a [Review] whose commits are not at hand.
var ErrUnread = errors.New("the commits are not in this repository")

// Review reviews what the head of a pull request changes since it left the base. An
// error that is no [ErrUnread] is a failure of the review.
type Review func(ctx context.Context, pr *PullRequest) (Verdict, error)

// Options say how the queue is made.
type Options struct {
	// Limit is the one that gh was given.
	Limit int
	// Now is the time that ages are counted to.
	Now time.Time
	// Remote is the name that the repository has in the clone.
	Remote string
	// Review is nil where nothing is to be reviewed.
	Review Review
}

// Entry is a pull request in the queue.
type Entry struct {
	PullRequest
	Status Status
	// Verdict is nil unless there was a review.
	Verdict *Verdict
	// Problem is why the review failed; "" if it didn't.
	Problem string
	// Areas are those of the sensitive paths that it changes, sorted. Unlisted says
	// that it changes files that the list leaves out.
	Areas    []area.Area
	Unlisted bool
	// Age is the time since it was opened, or merged.
	Age time.Duration
	// Commands get the evidence, in their order; nil if a name in them can't be
	// written as a word of a shell.
	Commands []string
}

// Size is the number of lines added and deleted.
func (e *Entry) Size() int { return e.Additions + e.Deletions }

// Queue is the answer.
type Queue struct {
	// Open and Merged are in the order to look at them.
	Open, Merged []Entry
	// Closed counts those that were closed without a merge, of which nothing is told.
	Closed int
	// Limit is the one that gh was given, and Cut says that there may be more than it.
	Limit int
	Cut   bool
}

// Build makes the queue. The error is that of ctx.
func Build(ctx context.Context, list []PullRequest, o Options) (*Queue, error) {
	q := &Queue{Limit: o.Limit, Cut: len(list) >= o.Limit}
	for _, pr := range list {
		if pr.State == StateClosed {
			q.Closed++
			continue
		}
		e := entry(pr, o)
		if err := e.review(ctx, o.Review); err != nil {
			return nil, err
		}
		if pr.State == StateMerged {
			q.Merged = append(q.Merged, e)
		} else {
			q.Open = append(q.Open, e)
		}
	}
	slices.SortStableFunc(q.Open, byRisk)
	slices.SortStableFunc(q.Merged, byMerge)
	return q, nil
}

func entry(pr PullRequest, o Options) Entry {
	since := pr.Created
	if pr.State == StateMerged {
		since = pr.Merged
	}
	return Entry{
		PullRequest: pr, Status: Unread, Age: max(0, o.Now.Sub(since)),
		Areas: area.Of(pr.Files), Unlisted: len(pr.Files) < pr.ChangedFiles, Commands: commands(&pr, o.Remote),
	}
}

// review sets the status. The error is that of ctx.
func (e *Entry) review(ctx context.Context, review Review) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if review != nil {
		v, err := review(ctx, &e.PullRequest)
		if stopped := ctx.Err(); stopped != nil {
			return stopped
		}
		switch {
		case errors.Is(err, ErrUnread):
		case err != nil:
			e.Status, e.Problem = Failed, err.Error()
		default:
			e.Verdict, e.Status = &v, e.judge(&v)
			if v.Named {
				e.Areas = append(e.Areas, area.Named)
				slices.Sort(e.Areas)
			}
		}
	}
	if e.Sensitive() && e.State != StateMerged {
		e.Status = Blocked
	}
	return nil
}

func (e *Entry) judge(v *Verdict) Status {
	switch {
	case e.State == StateMerged && (v.New > 0 || v.Event == RequestChanges):
		return Audit
	case v.Event == RequestChanges:
		return Blocked
	}
	return Clean
}

// byRisk orders open ones: drafts last, blocked first, then those that change
// sensitive paths; of equals the smaller one, which is done sooner, then the older.
func byRisk(a, b Entry) int {
	return cmp.Or(
		boolean(a.Draft, b.Draft),
		cmp.Compare(a.Status.rank(), b.Status.rank()),
		-cmp.Compare(a.blockers(), b.blockers()),
		-boolean(a.risky(), b.risky()),
		-cmp.Compare(len(a.Areas), len(b.Areas)),
		cmp.Compare(a.Size(), b.Size()),
		a.Created.Compare(b.Created),
		cmp.Compare(a.Number, b.Number),
	)
}

// byMerge orders merged ones: those to audit first, then the latest.
func byMerge(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Status.rank(), b.Status.rank()),
		-cmp.Compare(a.blockers(), b.blockers()),
		b.Merged.Compare(a.Merged),
		cmp.Compare(a.Number, b.Number),
	)
}

func (s Status) rank() int { return slices.Index([]Status{Blocked, Audit, Failed, Unread, Clean}, s) }

func (e *Entry) blockers() int {
	if e.Verdict == nil {
		return 0
	}
	return e.Verdict.Blockers
}

// risky reports whether it changes sensitive paths, or may.
func (e *Entry) risky() bool { return len(e.Areas) > 0 || e.Unlisted }

// boolean orders false before true.
func boolean(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Blocks reports whether the queue holds anything that must not be as it is: a
// blocked pull request that is no draft, or one to audit.
func (q *Queue) Blocks() bool {
	return slices.ContainsFunc(slices.Concat(q.Open, q.Merged), func(e Entry) bool {
		return e.Status == Audit || e.Status == Blocked && !e.Draft
	})
}

// Failures are the entries whose review failed.
func (q *Queue) Failures() []Entry {
	var failed []Entry
	for _, e := range slices.Concat(q.Open, q.Merged) {
		if e.Problem != "" {
			failed = append(failed, e)
		}
	}
	return failed
}
