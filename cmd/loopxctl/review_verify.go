package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/input"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/review"
)

const reviewVerifyLong = `Verify says whether a verdict still holds: it is for the commit that --head names,
the branches that it was made against are where they were, and so are the policy
and the signers. It exits 1 if the verdict is stale, or is REQUEST_CHANGES.

A verdict is a file that whoever wrote it could have made up: take it from a job
that the change can't write to.`

const reviewVerifyExample = `  loopxctl review --base origin/main --verdict verdict.json
  loopxctl review verify verdict.json --head "$HEAD_SHA"`

// maxVerdict is the size of the largest verdict that is read, in bytes.
const maxVerdict = 64 << 20

// reviewVerify is one verification.
type reviewVerify struct {
	*program
	root, head, target string
	format             *oneOf
}

func newReviewVerify(p *program) *cobra.Command {
	c := &reviewVerify{program: p}
	cmd := &cobra.Command{
		Use:               "verify VERDICT|-",
		Short:             "Say whether a verdict still holds; exit 1 if it is stale",
		Long:              reviewVerifyLong,
		Example:           reviewVerifyExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE:              p.does(func(cmd *cobra.Command, args []string) (int, error) { return c.run(cmd.Context(), args[0]) }),
	}
	flags := cmd.Flags()
	flags.StringVar(&c.head, "head", "HEAD", "`REV` that the verdict shall be for")
	flags.StringVar(&c.target, "target", "", "`BRANCH` that it shall be against; unless given, the verdict's")
	flags.StringVar(&c.root, "root", "", "`FOLDER` in the repository; unless given, this one")
	c.format = addFormat(cmd, "review")
	for _, name := range []string{"head", "target"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	complete(cmd, "root", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	return cmd
}

// verification is the answer as JSON.
type verification struct {
	SchemaVersion int            `json:"schema_version"`
	Command       string         `json:"command"`
	Verdict       review.Verdict `json:"verdict"`
	Head          string         `json:"head"`
	Holds         bool           `json:"holds"`
	Stale         []string       `json:"stale"`
}

func (c *reviewVerify) run(ctx context.Context, name string) (_ int, err error) {
	doc, err := c.read(name)
	if err != nil {
		return 0, err
	}
	repo, err := gitread.Open(ctx, gitread.Options{Dir: c.root, Environ: c.environ})
	if err != nil {
		return 0, fromGit(err)
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	stale, err := c.stale(ctx, repo, doc)
	if err != nil {
		return 0, fromGit(err)
	}
	out := verification{review.SchemaVersion, review.Command + " verify", doc.Verdict, string(doc.Head.Commit), len(stale) == 0, append([]string{}, stale...)}
	code := exitClean
	if !out.Holds || doc.Verdict == review.RequestChanges {
		code = exitBlocked
	}
	if c.format.value == "json" {
		return code, plain.Encode(&c.out, out)
	}
	for _, why := range stale {
		fmt.Fprintf(&c.out, "stale: %s\n", plain.Text(why))
	}
	if out.Holds {
		fmt.Fprintf(&c.out, "%s holds for %s\n", doc.Verdict, doc.Head.Commit)
	}
	return code, nil
}

// read reads a verdict. Any other document is an error: it is no verdict.
func (c *reviewVerify) read(name string) (*review.Document, error) {
	src := io.NopCloser(c.stdin)
	if name != input.Stdin {
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			return nil, &fault.Error{File: name, Message: "is no plain file"}
		}
		if src, err = openReport(name); err != nil {
			return nil, err
		}
	}
	defer src.Close()
	data, err := io.ReadAll(io.LimitReader(src, maxVerdict+1))
	if err != nil {
		return nil, fault.Of(inputName(name), "cannot be read", err)
	}
	const todo = "Name what \"loopxctl review --verdict FILE\" wrote."
	var doc review.Document
	switch err := json.Unmarshal(data, &doc); {
	case len(data) > maxVerdict:
		return nil, &fault.Error{File: inputName(name), Message: fmt.Sprintf("is larger than %d MiB", maxVerdict>>20), Todo: todo}
	case err != nil:
		return nil, &fault.Error{File: inputName(name), Message: "is no verdict: " + err.Error(), Todo: todo}
	case doc.Command != review.Command || doc.SchemaVersion != review.SchemaVersion || !doc.Verdict.Known():
		return nil, &fault.Error{File: inputName(name), Message: "is no verdict of this release", Todo: todo}
	}
	return &doc, nil
}

// stale is why the verdict does not hold.
func (c *reviewVerify) stale(ctx context.Context, repo *gitread.Repo, doc *review.Document) ([]string, error) {
	var why []string
	for _, rev := range []struct {
		what, now string
		was       review.RevDocument
	}{
		{"head", c.head, doc.Head},
		{"base", doc.Base.Name, doc.Base},
		{"target", cmp.Or(c.target, doc.Target.Name), doc.Target},
	} {
		now, err := repo.Resolve(ctx, rev.now)
		if err != nil {
			return nil, err
		}
		if now.Commit != rev.was.Commit {
			why = append(why, fmt.Sprintf("the %s %s is %s, and the verdict is for %s", rev.what, rev.now, now.Commit.Short(), rev.was.Commit.Short()))
		}
	}
	tip, err := repo.Resolve(ctx, cmp.Or(c.target, doc.Target.Name))
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(ctx, tip.Commit)
	if err != nil {
		return nil, err
	}
	policy := &targetPolicy{tip: tree, rev: tip}
	if _, err := policy.config(); err != nil {
		return nil, err
	}
	if _, err := policy.trust(); err != nil {
		return nil, err
	}
	if policy.digest() != doc.Policy {
		why = append(why, "the policy or the signers of the target have changed")
	}
	return why, nil
}
