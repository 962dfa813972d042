package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackCreateLong = `Create signs an acknowledgement of one finding and adds it to
.loopx/acknowledgements.yaml, whole or not at all. A key file signs by
ssh-keygen, which asks for its passphrase; without --key the SSH agent signs.

The finding is one of the Dockerfile that --file names, by the beginning of its
fingerprint: "loopxctl check" shows it behind the rule. Give the build arguments,
mirrors and host rules that check was given. What is signed for is shown before
the key is asked.

For a finding of another tool, which "loopxctl lens" shows, name --rule too, and
the whole fingerprint; what it says is not looked at then.

It counts once the file is in the change that is checked, if the signer is
among those that the check is given, and not an author of the change.`

const ackCreateExample = `  # With the one key in the agent, for thirty days
  loopxctl ack create --finding 4c1f0e3a9b12 --reason 'the script is reviewed: SEC-12' --expires 30d

  # With a key file, in place of an entry that has expired
  loopxctl ack create --replace --key ~/.ssh/id_ed25519 --file app/Dockerfile --build-arg VERSION=2 \
    --finding 4c1f0e3a9b12 --reason 'the script is reviewed: SEC-12' --expires 2027-03-31

  # A finding of another tool
  loopxctl ack create --rule CVE-2026-1234 --file app/go.sum \
    --finding 6ef54d807ff6fe1ea8a1937608e5671fec9ace25c5016c961dbb585baa32aa23 \
    --reason 'not reachable: SEC-13' --expires 30d`

type ackCreate struct {
	tree
	operator
	entry        ack.Entry
	line         int
	expires, key string
	replace      bool
	format       *oneOf
	about        []ack.Subject // of the blockers in the Dockerfile; nil if none is read
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
	c.declareEntry(cmd)
	c.declareRoot(cmd)
	c.declareRepository(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	c.format = addFormat(cmd, commonSchema)
	return cmd
}

func (c *ackCreate) declareEntry(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.entry.Fingerprint, "finding", "", "`FINGERPRINT` of the finding, or its beginning from six digits on")
	flags.StringVar(&c.entry.File, "file", "", "`FILE` of the finding, from the root of the repository, or from here; Dockerfile, unless given. With --rule from the root, and none if it is in no file")
	flags.IntVar(&c.line, "line", 0, "`LINE` of the finding, where several instructions have one alike")
	flags.StringVar(&c.entry.Rule, "rule", "", "`RULE` of a finding of another tool")
	flags.IntVar(&c.entry.Occurrences, "occurrences", 1, "with --rule: `NUMBER` of findings alike; more are not acknowledged")
	flags.StringVar(&c.entry.Instruction, "instruction", "", "with --rule: `DIGEST` (sha256:…) of the instruction after ARG and ENV are expanded; none, if the finding is of another tool")
	flags.StringVar(&c.entry.Reason, "reason", "", "`TEXT` that says why the finding is accepted")
	flags.StringVar(&c.expires, "expires", "", "`TIME` of the end: days (30d), a date (2027-01-31) or a time (2027-01-31T12:00:00Z)")
	flags.StringVar(&c.entry.Principal, "principal", "", "`NAME` of who signs, as the allowed signers have it; unless given, git's user.email")
	flags.StringVar(&c.key, "key", "", "key `FILE` that signs, or SHA256:… of a key in the agent; unless given, the one key in the agent")
	flags.BoolVar(&c.replace, "replace", false, "take the place of an entry for the same finding")
	for _, name := range []string{"finding", "line", "rule", "occurrences", "instruction", "reason", "expires", "principal"} {
		complete(cmd, name, cobra.NoFileCompletions)
	}
	for _, name := range []string{"finding", "reason", "expires"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is not declared: a mistake in this program
		}
	}
}

func (c *ackCreate) run(cmd *cobra.Command, _ []string) (int, error) {
	ctx := cmd.Context()
	if err := c.conflict(cmd.Flags()); err != nil {
		return 0, err
	}
	root := c.base(ctx, nil)
	name, data, entries, err := readAcknowledgements(root.dir)
	if err != nil {
		return 0, err
	}
	found, err := c.find(root)
	if err != nil {
		return 0, err
	}
	if err := c.fill(ctx, root.dir); err != nil {
		return 0, err
	}
	replaces, err := c.replaces(name, data) // before anybody types a passphrase
	if err != nil {
		return 0, err
	}
	if err := c.show(found); err != nil {
		return 0, err
	}
	if err := c.sign(ctx, &c.entry, c.key); err != nil {
		return 0, err
	}
	key, err := c.entry.CheckSignature()
	if err != nil {
		return 0, &fault.Error{Message: err.Error(), Todo: "Sign with another key; nothing was written."}
	}
	if err := c.write(name, data); err != nil {
		return 0, err
	}
	c.noteTooLong()
	c.noteStale(name, entries)
	return exitClean, c.printCreated(name, key, replaces)
}

// conflict returns what is wrong with the flags as a whole.
func (c *ackCreate) conflict(flags *pflag.FlagSet) error {
	ours := []string{"line", "build-arg", "mirror", "apt-mirror", "security-mirror", "host"}
	foreign := []string{"occurrences", "instruction"}
	if c.entry.Rule == "" {
		for _, name := range foreign {
			if flags.Changed(name) {
				return fmt.Errorf("--%s goes with --rule: of a finding in a Dockerfile it is looked up", name)
			}
		}
		return nil
	}
	for _, name := range ours {
		if flags.Changed(name) {
			return fmt.Errorf("--%s and --rule exclude each other: with --rule, no Dockerfile is read", name)
		}
	}
	return nil
}

// replaces reports whether the entry takes the place of one in the file; the error
// says why it can't be added.
func (c *ackCreate) replaces(name string, data []byte) (bool, error) {
	_, err := ack.Append(data, &c.entry, false)
	exists, ok := errors.AsType[*ack.ExistsError](err)
	switch {
	case ok && !c.replace:
		return false, fmt.Errorf("%s:%d: there is an entry for the same finding\nPut the new entry in its place: --replace", name, exists.Line)
	case ok:
		return true, nil
	case err != nil:
		return false, &fault.Error{File: name, Message: err.Error()}
	}
	return false, nil
}

func (c *ackCreate) noteTooLong() {
	if left := c.entry.Expires.Sub(c.entry.Created); left > ack.MaxDays*24*time.Hour {
		c.note("loopxctl: warning: it lasts longer than %d days, so it counts only where the trusted policy has more max_days", ack.MaxDays)
	}
}

// noteStale tells which entries are for forms of the instruction that are gone.
func (c *ackCreate) noteStale(name string, entries []ack.Entry) {
	for i := range entries {
		e := &entries[i]
		mine := blocker{subject: c.entry.Subject}.alike(e) && e.Repository == c.entry.Repository
		if mine && len(c.about) > 0 && !slices.Contains(c.about, e.Subject) {
			c.note("loopxctl: note: %s:%d: is for a form of the instruction that is gone; remove the entry", printable(name), e.Line)
		}
	}
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

func (c *ackCreate) write(name string, data []byte) error {
	data, err := ack.Append(data, &c.entry, c.replace)
	if err != nil {
		return &fault.Error{File: name, Message: err.Error()}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fault.Of(name, "cannot be written", err)
	}
	return replace.File(name, data)
}
