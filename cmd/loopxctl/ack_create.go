package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackCreateLong = `Create signs an acknowledgement of one finding and adds it to
.loopx/acknowledgements.yaml, whole or not at all. A key file signs by
ssh-keygen, which asks for its passphrase; without --key the SSH agent signs.

It counts once the file is in the change that is checked, if the signer is
among those that "ack verify" is given, and not an author of the change.`

const ackCreateExample = `  # With the one key in the agent, for thirty days
  loopxctl ack create --finding 4c1f0e --rule CurlPipeShell --file Dockerfile \
    --instruction sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
    --reason 'the script is reviewed: SEC-12' --expires 30d

  # With a key file, in place of an entry that has expired
  loopxctl ack create --replace --key ~/.ssh/id_ed25519 --finding 4c1f0e \
    --rule CurlPipeShell --file Dockerfile --occurrences 2 \
    --instruction sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
    --reason 'the script is reviewed: SEC-12' --expires 2027-03-31`

type ackCreate struct {
	tree
	entry        ack.Entry
	expires, key string
	replace      bool
	format       *oneOf
}

func newAckCreate(p *program) *cobra.Command {
	c := &ackCreate{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:               "create",
		Short:             "Sign an acknowledgement of a finding",
		Long:              ackCreateLong,
		Example:           ackCreateExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&c.entry.Fingerprint, "finding", "", "`FINGERPRINT` of the finding")
	flags.StringVar(&c.entry.Rule, "rule", "", "`RULE` of the finding")
	flags.StringVar(&c.entry.File, "file", "", "`FILE` of the finding, from the root of the repository; none, if it is in no file")
	flags.IntVar(&c.entry.Occurrences, "occurrences", 1, "`NUMBER` of findings alike; more are not acknowledged")
	flags.StringVar(&c.entry.Instruction, "instruction", "", "`DIGEST` (sha256:…) of the instruction after ARG and ENV are expanded; none, if the finding is in no Dockerfile")
	flags.StringVar(&c.entry.Reason, "reason", "", "`TEXT` that says why the finding is accepted")
	flags.StringVar(&c.expires, "expires", "", "`TIME` of the end: days (30d), a date (2027-01-31) or a time (2027-01-31T12:00:00Z)")
	flags.StringVar(&c.entry.Principal, "principal", "", "`NAME` of who signs, as the allowed signers have it; unless given, git's user.email")
	flags.StringVar(&c.key, "key", "", "key `FILE` that signs, or SHA256:… of a key in the agent; unless given, the one key in the agent")
	flags.BoolVar(&c.replace, "replace", false, "take the place of an entry for the same finding")
	for _, name := range []string{"finding", "rule", "occurrences", "instruction", "reason", "expires", "principal"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	for _, name := range []string{"finding", "rule", "reason", "expires"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is not declared: a mistake in this program
		}
	}
	c.declareRoot(cmd)
	c.declareRepository(cmd)
	c.format = addFormat(cmd)
	return cmd
}

func (c *ackCreate) run(cmd *cobra.Command, _ []string) (int, error) {
	ctx := cmd.Context()
	root := c.root(ctx)
	name, data, _, err := readAcknowledgements(root)
	if err != nil {
		return 0, err
	}
	if err := c.fill(ctx, root); err != nil {
		return 0, err
	}
	e := &c.entry
	if _, err := ack.Append(data, e, c.replace); err != nil { // before anybody types a passphrase
		return 0, c.refused(name, err)
	}
	if err := c.sign(ctx, e, c.key); err != nil {
		return 0, err
	}
	key, err := e.CheckSignature()
	if err != nil {
		return 0, &fault.Error{Message: err.Error(), Todo: "Sign with another key; nothing was written."}
	}
	if err := c.write(name, data); err != nil {
		return 0, err
	}
	if left := e.Expires.Sub(e.Created); left > ack.MaxDays*24*time.Hour {
		c.note("loopxctl: warning: it lasts longer than %d days, so it counts only where the trusted policy has more max_days", ack.MaxDays)
	}
	return exitClean, c.printCreated(name, key)
}

// fill sets what the flags leave to git and the clock, and checks it.
func (c *ackCreate) fill(ctx context.Context, root string) (err error) {
	e := &c.entry
	if e.Repository, err = c.id(ctx, root); err != nil {
		return err
	}
	if e.Principal == "" {
		if e.Principal, err = c.git(ctx, root, "config", "--get", "user.email"); err != nil || e.Principal == "" {
			return errors.New("who signs is not known: git has no user.email\nName it as the allowed signers do: --principal NAME")
		}
	}
	if e.File != "" {
		if !filepath.IsLocal(e.File) {
			return fmt.Errorf("--file: %q is not a path from the root of the repository", e.File)
		}
		e.File = filepath.ToSlash(filepath.Clean(e.File))
	}
	e.Reason = strings.TrimSpace(strings.ReplaceAll(e.Reason, "\r\n", "\n"))
	e.Created = now()
	if e.Expires, err = parseExpiry(c.expires, e.Created); err != nil {
		return err
	}
	return e.Check()
}

// parseExpiry reads --expires.
func parseExpiry(text string, created time.Time) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		t = created.AddDate(0, 0, int(n))
	}
	switch {
	case err != nil:
		return t, fmt.Errorf("--expires: %q is not days (30d), a date (2027-01-31) or a time (2027-01-31T12:00:00Z)", text)
	case !t.After(created):
		return t, fmt.Errorf("--expires: %s is not in the future", text)
	}
	return t.UTC().Truncate(time.Second), nil
}

// refused says why a file takes no entry.
func (c *ackCreate) refused(name string, err error) error {
	if exists, ok := errors.AsType[*ack.ExistsError](err); ok {
		return fmt.Errorf("%s:%d: there is an entry for the same finding\nPut the new entry in its place: --replace", name, exists.Line)
	}
	return &fault.Error{File: name, Message: err.Error()}
}

func (c *ackCreate) write(name string, data []byte) error {
	data, err := ack.Append(data, &c.entry, c.replace)
	if err != nil {
		return c.refused(name, err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fault.Of(name, "cannot be written", err)
	}
	return replace.File(name, data)
}
