package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/review"
	"github.com/loopx/loopx-frontend/policy/scan"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// trustedFolder is where the signers of a target branch are.
const trustedFolder = ".loopx"

// reviewInput are the flags that say what is compared, and by what.
type reviewInput struct {
	*program
	operator
	floors               floorsInput
	trusted              trustFlags
	root, base, head     string
	target, repository   string
	sarifBase, sarifHead []string
}

func (in *reviewInput) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&in.base, "base", "", "`REV` that the change is for: a branch, such as origin/main, or a commit")
	flags.StringVar(&in.head, "head", "HEAD", "`REV` of the change")
	flags.StringVar(&in.target, "target", "", "`BRANCH` whose tip has the policy and the signers; unless given, --base")
	flags.StringVar(&in.root, "root", "", "`FOLDER` in the repository; unless given, this one")
	flags.StringArrayVar(&in.sarifBase, "sarif-base", nil, "`FILE` with what another tool found in the merge base, as SARIF 2.1.0; repeatable")
	flags.StringArrayVar(&in.sarifHead, "sarif-head", nil, "`FILE` with what another tool found in the head, as SARIF 2.1.0; repeatable")
	flags.StringVar(&in.repository, "repository", "", "`ID` of the repository, as host/path; unless given, made of git's remote.origin.url")
	flags.StringVar(&in.trusted.policy, "policy", "", "trusted `FOLDER` with allowed_signers, revoked_keys and policy.yaml, in place of the target's")
	flags.StringArrayVar(&in.trusted.authors, "author", nil, "`EMAIL` of an author of the change, who can't sign for it; repeatable")
	for _, name := range []string{"base", "head", "target", "repository", "author"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	for _, name := range []string{"root", "policy"} {
		complete(cmd, name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		})
	}
	for _, name := range []string{"sarif-base", "sarif-head"} {
		complete(cmd, name, cobra.FixedCompletions([]string{"sarif", "json"}, cobra.ShellCompDirectiveFilterFileExt))
	}
	in.floors.declareDatabase(cmd)
	in.operator.declare(cmd)
}

// check refuses what makes no sense.
func (in *reviewInput) check() error {
	switch {
	case in.base == "":
		return errors.New("--base is missing: name the branch that the change is for, such as origin/main")
	case (len(in.sarifBase) == 0) != (len(in.sarifHead) == 0):
		return errors.New("--sarif-base and --sarif-head go together: what a tool found is compared with what it found before")
	}
	return nil
}

// read compares. An error of the repository is a [*fault.Error]: it is never a
// verdict.
func (in *reviewInput) read(ctx context.Context) (_ *review.Review, err error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	repo, err := gitread.Open(ctx, gitread.Options{Dir: in.root, Environ: in.environ})
	if err != nil {
		return nil, fromGit(err)
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	r := &reviewing{reviewInput: in, ctx: ctx, repo: repo}
	if err := r.frame(); err != nil {
		return nil, fromGit(err)
	}
	if r.Scan.Manifests.BuildArgs, err = parseBuildArgs(in.buildArgs, in.env); err == nil {
		err = r.judgedBy()
	}
	if err != nil {
		return nil, fromGit(err)
	}
	in.given = r.Scan.Config // the target's: the change has no say in what it is held to
	cfg, err := in.configure(&in.operator)
	if err != nil {
		return nil, err
	}
	r.Input.Audit, r.Scan.Rewrite = cfg.Route.Mode == route.Audit, cfg
	result, err := review.Run(ctx, r.Input)
	if err != nil {
		return nil, unreviewed(err)
	}
	result.Notes = append(r.notes, result.Notes...)
	v := review.Of(r.Frame, result)
	v.Rules = slices.Concat(scan.Rules(), review.Rules())
	return v, nil
}

// reviewing is what a comparison is made of, as it is gathered.
type reviewing struct {
	*reviewInput
	review.Input
	review.Frame
	ctx   context.Context
	repo  *gitread.Repo
	notes []string
}

// frame resolves the commits, and reads the trees.
func (r *reviewing) frame() (err error) {
	for _, rev := range []struct {
		name string
		to   *gitread.Rev
	}{{r.base, &r.Frame.Base}, {r.head, &r.Frame.Head}, {cmp.Or(r.target, r.base), &r.Target}} {
		if *rev.to, err = r.repo.Resolve(r.ctx, rev.name); err != nil {
			return err
		}
	}
	if !r.Target.Branch() {
		r.notes = append(r.notes, "the target "+r.Target.Name+" is no branch: an old commit of it has the policy and the signers of then")
	}
	bases, err := r.repo.MergeBases(r.ctx, r.Frame.Base.Commit, r.Frame.Head.Commit)
	if err != nil {
		return err
	}
	if r.MergeBase = bases[0]; len(bases) > 1 {
		r.MergeBase = r.Frame.Base.Commit
		r.notes = append(r.notes, "the commits have several merge bases, so the head is compared with the tip of "+r.base)
	}
	r.Tool = thisTool()
	if r.Input.Base, err = r.repo.Tree(r.ctx, r.MergeBase); err != nil {
		return err
	}
	if r.Input.Head, err = r.repo.Tree(r.ctx, r.Frame.Head.Commit); err != nil {
		return err
	}
	r.Changed, err = r.repo.Changed(r.ctx, r.MergeBase, r.Frame.Head.Commit)
	r.Lines = func(ctx context.Context, files []gitread.Change) (map[string]gitread.Lines, error) {
		return r.repo.Lines(ctx, r.MergeBase, r.Frame.Head.Commit, files)
	}
	return err
}

// judgedBy reads what the change is held to, from the tip of the target branch.
func (r *reviewing) judgedBy() error {
	tip, err := r.repo.Tree(r.ctx, r.Target.Commit)
	if err != nil {
		return err
	}
	policy := &targetPolicy{tip: tip, rev: r.Target}
	if r.Scan.Config, err = policy.config(); err != nil {
		return err
	}
	if err := r.trustOf(policy); err != nil {
		return err
	}
	r.Policy = policy.digest()
	if err := r.signedBy(tip); err != nil {
		return err
	}
	if err := r.advisories(); err != nil {
		return err
	}
	r.Scan.Now = now()
	r.Checks = []scan.Check{scan.Dockerfile, scan.Floors}
	if r.sarifHead != nil {
		r.Checks = append(r.Checks, scan.Lens)
		r.BaseReports, r.HeadReports = reportsOf(r.sarifBase), reportsOf(r.sarifHead)
	}
	return nil
}

func reportsOf(names []string) []scan.Report {
	var all []scan.Report
	for _, name := range names {
		all = append(all, scan.Report{Name: name, Open: func() (io.ReadCloser, error) { return openReport(name) }})
	}
	return all
}

// trustOf reads the signers: those of the target, or those of a folder outside.
func (r *reviewing) trustOf(policy *targetPolicy) (err error) {
	if r.Scan.Trust, err = policy.trust(); err != nil {
		return err
	}
	for _, author := range r.trusted.authors {
		r.Scan.Trust.Authors = append(r.Scan.Trust.Authors, address(author))
	}
	if r.trusted.policy != "" {
		if r.Scan.Trust, err = r.trust(r.ctx, &r.trusted, cmp.Or(r.repo.Top(), ".")); err != nil {
			return err
		}
	}
	r.Repository = r.repository
	if r.Repository == "" {
		r.Repository, _ = ack.RepositoryID(r.repo.Remote(r.ctx, "origin"))
	}
	r.Scan.Trust.Repository = r.Repository // without one no entry counts, and says so
	if r.Scan.Config.Review.CommitAuthors {
		authors, err := r.repo.Authors(r.ctx, r.MergeBase, r.Frame.Head.Commit, ack.Path)
		if err != nil {
			return err
		}
		r.Scan.Trust.Authors = append(r.Scan.Trust.Authors, authors...)
	}
	return nil
}

// signedBy reads the acknowledgements of the target.
func (r *reviewing) signedBy(tip *gitread.Tree) error {
	entries, broken := scan.Entries(tip)
	if broken != nil {
		return &fault.Error{File: r.Target.Name + ":" + broken.File, Line: broken.Line, Message: broken.Message}
	}
	r.Trusted = entries
	return nil
}

// advisories opens the database that the flags or the target's policy name.
func (r *reviewing) advisories() (err error) {
	c := r.Scan.Config
	if source := c.Database.Source; r.floors.database == "" && !r.floors.noDatabase && source != "" && source != config.NoDatabase && !strings.Contains(source, "://") {
		return errors.New("the policy of the target names the database " + source + ", a file of the repository, which a review does not read from there\nName it: --database FILE, or do without: --no-database")
	}
	if err := r.floors.override(c); err != nil {
		return err
	}
	p := &floorsProject{Input: floors.Input{Config: c}}
	r.Scan.Database, r.Scan.Snapshot, err = r.floors.advisories(r.ctx, r.program, p)
	if err == nil && r.Scan.Database == nil && c.Database.Source != config.NoDatabase {
		r.notes = append(r.notes, "there is no advisory database, so floors are those of the policy alone")
	}
	if err == nil && r.Scan.Database != nil && r.Scan.Snapshot.Older(now(), c.Database.Oldest()) {
		return &fault.Error{Message: "the advisory database is older than " + c.Database.Oldest().String() + ", or of no known age", Todo: "Run loopxctl floors update, or name another one with --database."}
	}
	return err
}

// targetPolicy is what the tip of the target branch says.
type targetPolicy struct {
	tip   *gitread.Tree
	rev   gitread.Rev
	files []review.PolicyFile
}

// read returns a file of the tip, and keeps it for the digest.
func (t *targetPolicy) read(name string, most int64) ([]byte, error) {
	data, err := t.tip.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.files = append(t.files, review.PolicyFile{Name: name})
		return nil, err
	case err != nil:
		return nil, fault.Of(t.shown(name), "cannot be read", err)
	case int64(len(data)) > most:
		return nil, &fault.Error{File: t.shown(name), Message: "is too large"}
	}
	t.files = append(t.files, review.PolicyFile{Name: name, Data: data})
	return data, nil
}

// shown is a file's name in messages.
func (t *targetPolicy) shown(name string) string {
	return t.rev.Name + ":" + name + " (commit " + t.rev.Commit.Short() + ")"
}

// config is the target's loopx.yaml; an empty one if it has none.
func (t *targetPolicy) config() (*config.Config, error) {
	data, err := t.read(config.File, config.MaxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c, err := config.Parse(t.shown(config.File), data)
	if err != nil {
		return nil, misread(err)
	}
	return c, nil
}

// trust is the target's signers. Trust.Source is "" if it has none.
func (t *targetPolicy) trust() (ack.Trust, error) {
	name := ""
	trust, err := ack.Load(t.shown(trustedFolder), time.Local, func(file string) ([]byte, error) {
		name = path.Join(trustedFolder, file)
		return t.read(name, ack.MaxFile)
	})
	if failure, ok := errors.AsType[*fault.Error](err); ok {
		return trust, failure
	}
	if err != nil {
		return trust, misconfigured(t.shown(name), errors.Unwrap(err))
	}
	return trust, nil
}

// digest names what decides.
func (t *targetPolicy) digest() string { return review.PolicyDigest(t.files...) }

// fromGit tells an error of the repository as this program does.
func fromGit(err error) error {
	if e, ok := errors.AsType[*gitread.Error](err); ok {
		return &fault.Error{Message: e.Message, Todo: e.Todo}
	}
	return err
}

// unreviewed is what kept the trees from being compared.
func unreviewed(err error) error {
	if e, ok := errors.AsType[*gitread.Error](err); ok {
		return fromGit(e)
	}
	return &fault.Error{Message: "the commits are not compared: " + strings.ReplaceAll(err.Error(), "\n", "; "), Todo: "Nothing was judged. A check that did not run has not found nothing."}
}
