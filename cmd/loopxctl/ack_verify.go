package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackVerifyLong = `Verify says of each acknowledgement whether it counts, and if not why: a
signature that doesn't match, a signer who is not allowed, a key that is revoked
or not valid now, another repository, a time that is over.

Whether a finding needs it, and how many there are, is not asked here.

Exit codes:
  0  all count, or there are none
  1  one doesn't count
  2  the command line or a trusted file is wrong
  3  a file could not be read`

const ackVerifyExample = `  # Signers from a folder that the change can't write to
  loopxctl ack verify --policy /etc/loopx

  # Signers from the tip of the protected branch, as a pipeline for a change
  loopxctl ack verify --trusted-ref origin/main --author dev@example.com

  # Two files
  loopxctl ack verify --allowed-signers /etc/loopx/allowed_signers \
    --revoked /etc/loopx/revoked_keys --repository git.example.com/acme/app`

type ackVerify struct {
	tree
	trustFlags
	format, color *oneOf
}

func newAckVerify(p *program) *cobra.Command {
	c := &ackVerify{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:               "verify",
		Short:             "Say which acknowledgements count",
		Long:              ackVerifyLong,
		Example:           ackVerifyExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.trustFlags.declare(cmd)
	c.declareRoot(cmd)
	c.declareRepository(cmd)
	c.format, c.color = addFormat(cmd), addColor(cmd)
	return cmd
}

func (c *ackVerify) run(cmd *cobra.Command, _ []string) (int, error) {
	ctx := cmd.Context()
	root := c.root(ctx)
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
