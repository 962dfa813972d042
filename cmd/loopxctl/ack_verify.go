package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackVerifyLong = `Verify says of each acknowledgement whether it counts, and if not why: a
signature that doesn't match, a signer who is not allowed, a key that is revoked
or not valid now, another repository, a time that is over.

With --check, the Dockerfiles that they name are read, and each must lift a
finding that is there, in the instruction that was signed for, and no more often.
Give the build arguments, mirrors and host rules that "loopxctl check" is given.

Exit codes:
  0  all count, or there are none
  1  one doesn't count
  2  the command line or a trusted file is wrong
  3  a file could not be read`

const ackVerifyExample = `  # Signers from a folder that the change can't write to
  loopxctl ack verify --policy /etc/loopx

  # Signers from the tip of the protected branch, as a pipeline for a change
  loopxctl ack verify --trusted-ref origin/main --author dev@example.com

  # Is each still needed, and enough?
  loopxctl ack verify --check --trusted-ref origin/main

  # Two files
  loopxctl ack verify --allowed-signers /etc/loopx/allowed_signers \
    --revoked /etc/loopx/revoked_keys --repository git.example.com/acme/app`

type ackVerify struct {
	acceptance
	operator
	check         bool
	format, color *oneOf
}

func newAckVerify(p *program) *cobra.Command {
	c := &ackVerify{acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:               "verify",
		Short:             "Say which acknowledgements count",
		Long:              ackVerifyLong,
		Example:           ackVerifyExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	cmd.Flags().BoolVar(&c.check, "check", false, "read the Dockerfiles that the acknowledgements name, and ask whether their findings are there")
	c.acceptance.declare(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	c.format, c.color = addFormat(cmd, commonSchema), addColor(cmd)
	return cmd
}

func (c *ackVerify) run(cmd *cobra.Command, _ []string) (int, error) {
	ctx := cmd.Context()
	base := c.base(ctx, nil)
	root := base.dir
	name, _, entries, err := readAcknowledgements(root)
	if err != nil {
		return 0, err
	}
	trust, err := c.trust(ctx, &c.trustFlags, root)
	if err != nil {
		return 0, err
	}
	if len(entries) > 0 && trust.Source != "" {
		if trust.Repository, err = c.id(ctx, root); err != nil {
			return 0, err
		}
	}
	verdicts := ack.Check(entries, trust, now())
	if c.check {
		if err := c.match(base, entries, trust, verdicts); err != nil {
			return 0, err
		}
	}
	code := exitClean
	for _, v := range verdicts {
		if !v.State.Counts() {
			code = exitBlocked
		}
	}
	r := &ackReport{file: name, trust: trust, entries: entries, verdicts: verdicts}
	if c.format.value == "json" {
		return code, r.verifyJSON(&c.out)
	}
	return code, r.verifyText(&c.out, paint.For(c.color.value, c.stdout, c.env))
}

// match judges the entries for Dockerfiles by what is found in these. Entries for
// findings of other tools keep their verdicts.
func (c *ackVerify) match(root *base, entries []ack.Entry, trust ack.Trust, verdicts []ack.Verdict) error {
	c.of, c.within = []string{root.dir}, root.dir
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return err
	}
	r := &report.Report{}
	var ours []ack.Entry
	var at []int
	named := map[string]bool{}
	for i, e := range entries {
		if e.Instruction == "" {
			continue
		}
		ours, at = append(ours, e), append(at, i)
		name := filepath.Join(root.dir, filepath.FromSlash(e.File))
		if named[name] || !isOwn(root, name, e.File) {
			continue
		}
		named[name] = true
		f := c.planFile(name, cfg, report.Policy{})
		if f.Problem != nil {
			return f.Problem
		}
		f.Path = e.File
		f.Judge()
		r.Files = append(r.Files, f)
	}
	s := ofDockerfiles(r)
	for i, v := range s.acknowledge(ours, trust) {
		verdicts[at[i]] = v
	}
	return nil
}

// isOwn reports whether a name is that of a plain file of the tree, which a
// hostile tree may say of what is none.
func isOwn(root *base, name, path string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular() && root.path(name) == path
}
