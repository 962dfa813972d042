package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
	"github.com/loopx/loopx-frontend/policy/review/queue"
)

// ghLimit is how many pull requests gh lists unless it is told another number.
const ghLimit = 30

// queueFlags are those of `review --queue`.
type queueFlags struct {
	file, remote string
	limit        int
	now          moment
}

func (q *queueFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&q.file, "queue", "", "take the pull requests of this `FILE`, which gh pr list --json wrote, in place of --base and --head; - is standard input")
	flags.IntVar(&q.limit, "limit", ghLimit, "with --queue: the `NUMBER` that gh was limited to")
	flags.StringVar(&q.remote, "remote", "origin", "with --queue: `NAME` that the repository of the pull requests has in the clone")
	flags.Var(&q.now, "now", "with --queue: the moment that ages are counted to, in place of the machine's clock")
	for _, name := range []string{"limit", "remote", "now"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
}

// asked reports whether there is a queue. The error is about flags that don't go
// together.
func (q *queueFlags) asked(cmd *cobra.Command) (bool, error) {
	flags := cmd.Flags()
	if !flags.Changed("queue") {
		for _, name := range []string{"limit", "remote", "now"} {
			if flags.Changed(name) {
				return false, fmt.Errorf("--%s goes with --queue", name)
			}
		}
		return false, nil
	}
	for _, name := range []string{"base", "head", "target", "author", "sarif-base", "sarif-head", "verdict", "private-output", "public"} {
		if flags.Changed(name) {
			return false, fmt.Errorf("--queue and --%s exclude each other: what is compared is in the list, and only counts are told", name)
		}
	}
	switch {
	case q.file == "":
		return false, errors.New("--queue needs the name of a file; - is standard input")
	case q.limit < 1:
		return false, errors.New("--limit is the number that gh was limited to: 1 or more")
	case q.remote == "" || strings.HasPrefix(q.remote, "-"):
		return false, fmt.Errorf("--remote %q is no name of a remote repository", q.remote)
	}
	return true, nil
}

// reviewQueue reviews the pull requests and prints the queue.
func (c *reviewCommand) reviewQueue(ctx context.Context) (int, error) {
	write, err := queueFormat(c.format.value)
	if err != nil {
		return exitUsage, err
	}
	if _, err := c.configure(&c.operator); err != nil {
		return exitUsage, err
	}
	list, err := c.queue.read(c.stdin)
	if err != nil {
		return exitFailed, err
	}
	if len(list) > c.queue.limit {
		return exitUsage, fmt.Errorf("the list has %s, and gh was limited to %d: say with --limit what it was limited to, so that a cut list is known", count(len(list), "pull request", "pull requests"), c.queue.limit)
	}
	q, err := queue.Build(ctx, list, queue.Options{
		Limit: c.queue.limit, Now: cmp.Or(c.queue.now.Time, now()), Remote: c.queue.remote, Review: c.reviewOne,
	})
	if err != nil {
		return exitFailed, &fault.Error{Message: "the review was interrupted: " + err.Error()}
	}
	if err := write(q, &c.out); err != nil {
		return exitFailed, err
	}
	failed := q.Failures()
	for _, e := range failed {
		c.note("loopxctl: #%d could not be reviewed: %s", e.Number, e.Problem)
	}
	switch {
	case len(failed) > 0:
		return exitFailed, nil
	case q.Blocks():
		return exitBlocked, nil
	}
	return exitClean, nil
}

func queueFormat(format string) (func(*queue.Queue, io.Writer) error, error) {
	switch format {
	case "text":
		return (*queue.Queue).Text, nil
	case "json":
		return (*queue.Queue).JSON, nil
	case "markdown":
		return (*queue.Queue).Markdown, nil
	case "github-review":
		return (*queue.Queue).GitHub, nil
	}
	return nil, fmt.Errorf("--queue has no --format %s: write text, json, markdown or github-review", format)
}

// reviewOne is the review of one pull request: from the base that GitHub names, by
// the policy at the tip of its target branch.
func (c *reviewCommand) reviewOne(ctx context.Context, pr *queue.PullRequest) (queue.Verdict, error) {
	one, quiet := c.reviewInput, *c.program // whose notes on the configuration are told once
	one.program, quiet.notes = &quiet, bytes.Buffer{}
	one.base, one.head, one.target = pr.BaseOID, pr.HeadOID, "refs/remotes/"+c.queue.remote+"/"+pr.Base
	if err := one.atHand(ctx); err != nil {
		return queue.Verdict{}, err
	}
	v, err := one.read(ctx)
	if err != nil {
		return queue.Verdict{}, err
	}
	if v.MergeBase == v.Head.Commit {
		return queue.Verdict{}, errors.New("the base that the list names has the head already, so there is nothing to compare")
	}
	n := v.Counts()
	return queue.Verdict{
		Event: string(v.Verdict), New: n.New + n.Reopened + n.About, Fixed: n.Fixed, Unchanged: n.Unchanged - n.Reopened,
		Blockers: n.Blockers, Sensitive: n.Sensitive, Unprovable: n.Unprovable, Named: v.Named,
	}, nil
}

// atHand returns [queue.ErrUnread] where the clone lacks a commit or the history
// that a review needs.
func (in *reviewInput) atHand(ctx context.Context) (err error) {
	repo, err := gitread.Open(ctx, gitread.Options{Dir: in.root, Environ: in.environ})
	if err != nil {
		return fromGit(err)
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	if repo.Shallow() {
		return queue.ErrUnread
	}
	for _, name := range []string{in.base, in.head, in.target} {
		if _, err := repo.Resolve(ctx, name); err != nil {
			return queue.ErrUnread
		}
	}
	return nil
}

// read reads the list. The error is a [*fault.Error].
func (q *queueFlags) read(stdin io.Reader) ([]queue.PullRequest, error) {
	const todo = "Write it with: gh pr list --state all --limit 100 --json " + queue.Fields
	src := io.NopCloser(stdin)
	if q.file != input.Stdin {
		f, err := openReport(q.file)
		if e, ok := errors.AsType[*fault.Error](err); ok {
			e.Todo = todo
			return nil, e
		}
		src = f
	}
	defer src.Close()
	list, err := queue.Read(src)
	if err == nil {
		return list, nil
	}
	e := &fault.Error{File: inputName(q.file), Message: err.Error(), Todo: todo}
	if at, ok := errors.AsType[*jsonstream.Error](err); ok {
		e.Line, e.Message = at.Line, at.Message
	}
	return nil, e
}
