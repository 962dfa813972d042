package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackLong = `An acknowledgement lifts a blocking finding: a reviewer signs, with an SSH key,
that it was seen, why it is accepted and until when. The acknowledgements of a
repository are in .loopx/acknowledgements.yaml; "ack create" adds one, "ack
verify" says which of them count. "loopxctl check", rewrite and lens read them,
and so do builds.

Whose signature counts is never read from the change that is checked: name a
file or a folder outside of it (--allowed-signers, --policy), or the tip of the
protected branch (--trusted-ref). Without that, none counts.`

const ackExample = `  # A reviewer signs for a finding, with the key in the agent
  loopxctl ack create --file Dockerfile --finding 4c1f0e3a9b12 \
    --reason 'the script is reviewed: SEC-12' --expires 30d

  # A pipeline asks whether all acknowledgements count
  loopxctl ack verify --policy /etc/loopx

  # What is acknowledged, and for how long?
  loopxctl ack list`

func newAck(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "ack",
		Short:             "Sign, verify and list acknowledgements of findings",
		Long:              ackLong,
		Example:           ackExample,
		Args:              onlyCommands,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAckCreate(p), newAckVerify(p), newAckList(p))
	return cmd
}

// tree is the checked tree of the acknowledgements.
type tree struct {
	*program
	dir        string // as --root has it
	repository string // as --repository has it
}

func (t *tree) declareRoot(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.dir, "root", "", "`FOLDER` that is checked; unless given, the top of the git repository, or this folder")
	complete(cmd, "root", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

func (t *tree) declareRepository(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.repository, "repository", "", "`ID` of the repository, as host/path; unless given, made of git's remote.origin.url")
	complete(cmd, "repository", cobra.NoFileCompletions)
}

// root is the folder that is checked.
func (t *tree) root(ctx context.Context) string { return t.base(ctx, nil).dir }

// shorter is a path relative to this folder, if that goes.
func shorter(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, filepath.FromSlash(path)); err == nil {
		return rel
	}
	return path
}

// id is the identifier of the repository in the folder root.
func (t *tree) id(ctx context.Context, root string) (string, error) {
	if t.repository != "" {
		return t.repository, nil
	}
	remote, err := t.git(ctx, root, "config", "--get", "remote.origin.url")
	if err == nil {
		if id, ok := ack.RepositoryID(remote); ok {
			return id, nil
		}
	}
	return "", errors.New("which repository this is is not known: git has no remote.origin.url with a host here\nName it: --repository HOST/PATH")
}

// readAcknowledgements returns the file of acknowledgements in root: its name,
// its bytes and what is in it. A file that is not there is empty.
func readAcknowledgements(root string) (name string, data []byte, entries []ack.Entry, err error) {
	name = filepath.Join(root, filepath.FromSlash(ack.Path))
	if data, err = readInside(root, name); err != nil {
		return name, nil, nil, err
	}
	entries, err = ack.Parse(data)
	if at, ok := errors.AsType[*ack.SyntaxError](err); ok {
		err = &fault.Error{File: name, Line: at.Line, Message: at.Message, Todo: "Until the file is mended, no acknowledgement counts."}
	}
	return name, data, entries, err
}

// readInside reads the acknowledgements. The checked tree may be hostile: a link
// in it must not lead to a file that is none of its own, or never ends.
func readInside(root, name string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fault.Of(root, "cannot be opened", err)
	}
	defer dir.Close()
	info, err := dir.Lstat(ack.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.Of(name, "cannot be read", err)
	case !info.Mode().IsRegular():
		return nil, &fault.Error{File: name, Message: "is not a plain file", Todo: "Put the file itself there, not a link."}
	}
	f, err := dir.Open(ack.Path)
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, ack.MaxFile+1))
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	return data, nil
}

// now is the real time: what is signed must not depend on SOURCE_DATE_EPOCH.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// git runs git in a folder and returns what it prints, without the last line
// break.
func (p *program) git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := p.command(ctx, "git", append([]string{"--no-replace-objects", "-C", dir}, args...)...)
	return strings.TrimRight(string(out), "\n"), err
}

// command runs a program without input and returns what it prints.
func (p *program) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := newCommand(ctx, p.environ, name, args...)
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if text := strings.TrimSpace(diag.String()); err != nil && text != "" {
		return nil, errors.New(text)
	}
	return out, err
}
