package main

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/review"
)

const reviewLong = `Review compares the findings of two commits and gives a verdict on the change
between them: REQUEST_CHANGES if a blocker is new, COMMENT if there is something
that a person should look at, else APPROVE. It exits 1 for REQUEST_CHANGES.

Commits are read from git's objects: nothing is checked out, and nothing of the
change is run or believed. Findings are compared from the merge base of --base
and --head. What they are held to (loopx.yaml, and the signers in .loopx) is read
from the tip of the target branch, --target, which is --base unless given. An
acknowledgement in the change counts only if one of these signers signed it.

A Dockerfile is one by its name, because a compose file, a bake file or a workflow
builds it, or because the change adds one under any name. A build whose Dockerfile
can't be told is a finding too. What edits the gate itself, silences a check or
hides a file is listed.

Findings with the tag private_or_security_sensitive block, and only their number is
told: --private-output FILE writes the whole review beside it, for the owner of the
file alone. --public does the same for all findings about security and privacy.

--queue FILE takes the list that gh prints of pull requests in place of two commits,
and tells in which order to look at them: blocked ones first, then those that change
what is sensitive. Those whose commits are here are reviewed; of the others it tells
by which commands they are got. What was merged with something new is to be audited.

What can't be read ends with exit code 3 and no verdict.`

const reviewExample = `  # What does this branch add?
  loopxctl review --base origin/main

  # In a pipeline, for a pull request, with the review for GitHub
  loopxctl review --base origin/main --head "$HEAD_SHA" --author "$AUTHOR_EMAIL" \
    --format github-review >review.json
  gh api "repos/$REPO/pulls/$NUMBER/reviews" --input review.json

  # With what another tool found, before and after
  loopxctl review --base origin/main --sarif-base base.sarif --sarif-head head.sarif

  # The pull requests in the order to look at them
  gh pr list --state all --limit 100 --json "$FIELDS" >prs.json
  loopxctl review --queue prs.json --limit 100

  # Does a verdict still hold?
  loopxctl review --base origin/main --verdict verdict.json
  loopxctl review verify verdict.json --head "$HEAD_SHA"`

// reviewCommand is one review.
type reviewCommand struct {
	*program
	reviewInput
	format, color *oneOf
	public        bool
	private       string // as --private-output has it
	verdict       string // as --verdict has it
	queue         queueFlags
}

func newReview(p *program) *cobra.Command {
	c := &reviewCommand{program: p, reviewInput: reviewInput{program: p}}
	cmd := &cobra.Command{
		Use:               "review --base REV [--head REV]",
		Short:             "Compare the findings of two commits; exit 1 if a blocker is new",
		Long:              reviewLong,
		Example:           reviewExample,
		Args:              onlyCommands,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	flags := cmd.Flags()
	c.format = addOneOf(cmd, "format", "text for people, JSON (\"loopxctl schema review\" describes it), Markdown for a comment, the request of a review for \"gh api\", SARIF 2.1.0 or workflow commands of what is new",
		"text", "json", "markdown", "github-review", "sarif", "github")
	c.color = addColor(cmd)
	flags.BoolVar(&c.public, "public", false, "of findings about security and privacy, tell only how many there are and of what family of rules")
	flags.StringVar(&c.private, "private-output", "", "write the whole review, in the same format, to `FILE`, which only you can read")
	flags.StringVar(&c.verdict, "verdict", "", "write the review as JSON to `FILE` too, for \"review verify\"")
	c.reviewInput.declare(cmd)
	c.queue.declare(cmd)
	cmd.AddCommand(newReviewVerify(p))
	return cmd
}

func (c *reviewCommand) run(cmd *cobra.Command, _ []string) (int, error) {
	if many, err := c.queue.asked(cmd); err != nil {
		return exitUsage, err
	} else if many {
		return c.reviewQueue(cmd.Context())
	}
	if err := c.checkOutputs(); err != nil {
		return 0, err
	}
	v, err := c.read(cmd.Context())
	if err != nil {
		return 0, err
	}
	v.Public = c.public
	v.Pointer = "run the review with --private-output FILE for them"
	if c.private != "" {
		v.Pointer = "they are in " + c.private
	}
	if err := c.write(v); err != nil {
		return 0, err
	}
	if v.Verdict == review.RequestChanges {
		return exitBlocked, nil
	}
	return exitClean, nil
}

// checkOutputs refuses files that can't be written before any work is done.
func (c *reviewCommand) checkOutputs() error {
	reads := slices.Concat(c.sarifBase, c.sarifHead)
	for _, o := range []struct {
		flag, name string
		check      func(string) error
	}{{"--private-output", c.private, replace.CheckPrivate}, {"--verdict", c.verdict, replace.Check}} {
		switch {
		case o.name == "":
			continue
		case isOutput(c.stdout, []string{o.name}):
			return errors.New(o.flag + " names the file that standard output goes to")
		case slices.ContainsFunc(reads, func(name string) bool { return name != input.Stdin && sameFile(name, o.name) }):
			return errors.New(o.flag + " names a file that is read")
		}
		if err := o.check(o.name); err != nil {
			return err
		}
	}
	if c.private != "" && (c.private == c.verdict || sameFile(c.private, c.verdict)) {
		return errors.New("--private-output and --verdict name one file")
	}
	return nil
}

// write prints the review. The private file is written first: what is told in
// public leads to it.
func (c *reviewCommand) write(v *review.Review) error {
	if c.private != "" {
		var b bytes.Buffer
		whole := *v
		whole.Whole = true
		if err := c.print(&b, &whole, false); err != nil {
			return err
		}
		if err := replace.Private(c.private, b.Bytes()); err != nil {
			return err
		}
	}
	if c.verdict != "" {
		var b bytes.Buffer
		if err := v.JSON(&b); err != nil {
			return err
		}
		if err := replace.File(c.verdict, b.Bytes()); err != nil {
			return err
		}
	}
	return c.print(&c.out, v, paint.For(c.color.value, c.stdout, c.env))
}

// print writes the review in the format that is asked for.
func (c *reviewCommand) print(w io.Writer, v *review.Review, p paint.Painter) error {
	switch c.format.value {
	case "json":
		return v.JSON(w)
	case "markdown":
		return v.Markdown(w)
	case "github-review":
		return v.GitHub(w)
	case "sarif", "github":
		return report.New(c.format.value, p).Write(w, v.News())
	}
	return v.Text(w, p)
}
