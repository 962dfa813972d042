package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

// trustFlags say where the signers come from.
type trustFlags struct {
	signers, revoked, policy, ref string
	authors                       []string
}

func (f *trustFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy, "policy", "", "trusted `FOLDER` with allowed_signers, revoked_keys and policy.yaml")
	flags.StringVar(&f.signers, "allowed-signers", "", "`FILE` of whose signatures count (ssh-keygen(1), ALLOWED SIGNERS)")
	flags.StringVar(&f.revoked, "revoked", "", "`FILE` of keys that are revoked: keys, certificates or fingerprints, one a line")
	flags.StringVar(&f.ref, "trusted-ref", "", "protected `BRANCH` whose tip has these files, such as origin/main; the folder is .loopx unless --policy names one")
	flags.StringArrayVar(&f.authors, "author", nil, "`EMAIL` of an author of the change, who can't sign for it; repeatable")
	complete(cmd, "author", cobra.NoFileCompletions)
	complete(cmd, "trusted-ref", cobra.NoFileCompletions)
	complete(cmd, "policy", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

// reader reads the trusted files from where the change can't write.
type trustReader interface {
	// read returns a file's content; fs.ErrNotExist if there is none. flag is
	// the one that named it.
	read(ctx context.Context, flag, name string) ([]byte, error)
	// shown is the file's name in messages.
	shown(name string) string
	join(dir, name string) string
}

// trust reads what the flags name. Trust.Source is "" if they name no signers
// and no policy.
func (p *program) trust(ctx context.Context, f *trustFlags, root string) (_ ack.Trust, err error) {
	var r trustReader = &outside{program: p, root: root}
	folder := f.policy
	if f.ref != "" {
		tip, err := p.tip(ctx, root, f.ref)
		if err != nil {
			return ack.Trust{}, err
		}
		defer func() { err = errors.Join(err, tip.repo.Close()) }()
		r = tip
		if folder == "" && f.signers == "" {
			folder = ".loopx"
		}
	}
	t, err := f.load(ctx, r, folder)
	for _, author := range f.authors {
		t.Authors = append(t.Authors, address(author))
	}
	return t, err
}

// address is the e-mail address in "Name <address>", or the text itself.
func address(author string) string {
	if _, rest, ok := strings.Cut(author, "<"); ok {
		author, _, _ = strings.Cut(rest, ">")
	}
	return strings.TrimSpace(author)
}

// load reads the files: those that flags name must be there, and of the
// folder's one of signers and policy.
func (f *trustFlags) load(ctx context.Context, r trustReader, folder string) (ack.Trust, error) {
	loader := trustLoader{flags: f, from: r, folder: folder}
	t, err := ack.Load("", time.Local, func(file string) ([]byte, error) { return loader.read(ctx, file) })
	switch {
	case loader.err != nil:
		return t, loader.err
	case err != nil:
		return t, misconfigured(loader.last, errors.Unwrap(err))
	case folder != "" && loader.source == "":
		return t, &fault.Error{File: r.shown(folder), Message: "has neither " + ack.SignersFile + " nor " + ack.PolicyFile, Todo: "Put the signers there, or name another folder with --policy."}
	}
	t.Source = loader.source
	return t, nil
}

// trustLoader reads the files of [ack.Load] from where the flags say.
type trustLoader struct {
	flags  *trustFlags
	from   trustReader
	folder string // "" for none

	source string // the first of signers and policy that is there, as it is shown
	last   string // the last file, as it is shown
	err    error  // of a file that cannot be read
}

func (l *trustLoader) read(ctx context.Context, file string) ([]byte, error) {
	flag, name := "--policy", ""
	switch {
	case file == ack.SignersFile && l.flags.signers != "":
		flag, name = "--allowed-signers", l.flags.signers
	case file == ack.RevokedFile && l.flags.revoked != "":
		flag, name = "--revoked", l.flags.revoked
	case l.folder != "":
		name = l.from.join(l.folder, file)
	default:
		return nil, fs.ErrNotExist
	}
	l.last = l.from.shown(name)
	data, err := l.from.read(ctx, flag, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag == "--policy":
		return nil, err
	case errors.Is(err, fs.ErrNotExist):
		err = &fault.Error{File: l.last, Message: "there is no such file", Todo: "Name a file that " + flag + " can read."}
	case err == nil && l.source == "" && file != ack.RevokedFile:
		l.source = l.last
	}
	l.err = err
	return data, err
}

// misconfigured names file and line of a mistake in a trusted file.
func misconfigured(name string, err error) error {
	if at, ok := errors.AsType[*ack.SyntaxError](err); ok && at.Line > 0 {
		return fmt.Errorf("%s:%d: %s", name, at.Line, at.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// outside reads files that are not in the checked tree.
type outside struct {
	*program
	root string
}

func (o *outside) join(dir, name string) string { return filepath.Join(dir, name) }

func (o *outside) shown(name string) string { return name }

func (o *outside) read(ctx context.Context, flag, name string) ([]byte, error) {
	tops := []string{o.root}
	if top, err := o.git(ctx, o.root, "rev-parse", "--show-toplevel"); err == nil && top != "" {
		tops = append(tops, filepath.FromSlash(top))
	}
	for _, top := range tops {
		if within(top, name) {
			return nil, fmt.Errorf("%s: %s is inside the tree that is checked, so a change could choose who signs for it\nKeep it outside, or read it from the tip of the protected branch: --trusted-ref origin/main", flag, name)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fault.Of(name, "cannot be read", err)
	}
	return data, err
}

// within reports whether a file is in a folder: by its name, or where symbolic
// links lead to.
func within(dir, name string) bool {
	top, err := os.Stat(dir)
	if err != nil {
		return false
	}
	paths := []string{name}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		paths = append(paths, real)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return true
		}
		for {
			if info, err := os.Stat(path); err == nil && os.SameFile(info, top) {
				return true
			}
			up := filepath.Dir(path)
			if up == path {
				break
			}
			path = up
		}
	}
	return false
}

// tip reads files of the tip of a branch, never of the working tree.
type tip struct {
	repo *gitread.Repo
	tree *gitread.Tree
	ref  string
}

// tip resolves a branch. Whatever is no branch, or is what is checked out, may
// be the change itself or an old state of the branch, where a signer who has
// gone is still allowed. The caller closes the repository.
func (p *program) tip(ctx context.Context, root, ref string) (_ *tip, err error) {
	const branch = "\nName the protected branch of the remote, such as origin/main."
	repo, err := gitread.Open(ctx, gitread.Options{Dir: root, Environ: p.environ, MaxFile: ack.MaxFile})
	if err != nil {
		return nil, fromGit(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, repo.Close())
		}
	}()
	rev, err := repo.Resolve(ctx, ref)
	if e, ok := errors.AsType[*gitread.Error](err); ok {
		return nil, fmt.Errorf("--trusted-ref: %s%s", e.Message, branch)
	}
	if !rev.Branch() {
		return nil, fmt.Errorf("--trusted-ref: %s is not a branch: only the tip of a branch is trusted%s", ref, branch)
	}
	if head, err := p.git(ctx, root, "symbolic-ref", "-q", "HEAD"); err == nil && head == rev.Ref {
		return nil, fmt.Errorf("--trusted-ref: %s is what is checked out, so it may be the change itself%s", ref, branch)
	}
	tree, err := repo.Tree(ctx, rev.Commit)
	if err != nil {
		return nil, fromGit(err)
	}
	return &tip{repo: repo, tree: tree, ref: ref}, nil
}

func (t *tip) join(dir, name string) string { return path.Join(filepath.ToSlash(dir), name) }

func (t *tip) shown(name string) string {
	return t.ref + ":" + name + " (commit " + t.tree.Commit.Short() + ")"
}

// read takes the file as it was committed, without the filters that attributes of
// the checked tree may name.
func (t *tip) read(_ context.Context, flag, name string) ([]byte, error) {
	name = path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%s: with --trusted-ref, %s is a path in the branch, from its root", flag, name)
	}
	info, err := t.tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err == nil && !info.Mode().IsRegular():
		return nil, &fault.Error{File: t.shown(name), Message: "is not a file"}
	}
	data, err := t.tree.ReadFile(name)
	if err != nil {
		return nil, fault.Of(t.shown(name), "cannot be read", err)
	}
	return data, nil
}
