package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
)

const auditLong = `Audit reads all Dockerfiles below the folders that are named, or below this
one, and says what builds with the frontend would change and what would stop
them: per rule, per file, and per host that fetches are refused of, with the
host rule that would keep it as it is. It judges nothing: the exit code is 0,
whatever it finds. LOOPX_MODE is not looked at.

--write-waivers FILE writes the list that a team starts from: a script for sh
with one "loopxctl ack create" for each blocker. It signs nothing that nobody
has written a reason for.`

const auditExample = `  # What would the frontend do to all of this?
  loopxctl audit

  # With the mirrors and rules that are planned
  loopxctl audit --mirror ubuntu=https://mirror.example/ubuntu --host packages.ros.org=keep services

  # The list that a team starts from; each writes its reasons, and signs
  loopxctl audit --write-waivers waivers.sh services`

type auditCommand struct {
	*program
	operator
	acceptance
	fleet
	waivers       string
	format, color *oneOf
}

func newAudit(p *program) *cobra.Command {
	c := &auditCommand{program: p, acceptance: newAcceptance(p), fleet: fleet{recursive: true}}
	cmd := &cobra.Command{
		Use:               "audit [FOLDER|FILE]...",
		Short:             "Say what builds of all Dockerfiles below folders would change, and what would stop them",
		Long:              auditLong,
		Example:           auditExample,
		ValidArgsFunction: completeDockerfiles,
		RunE:              p.does(c.run),
	}
	cmd.Flags().StringVar(&c.waivers, "write-waivers", "", "write a script with a command for each blocker to `FILE`, by which reviewers sign")
	c.format = addFormat(cmd, commonSchema)
	c.color = addColor(cmd)
	c.fleet.declareWalk(cmd)
	c.fleet.declareProgress(cmd)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	c.acceptance.declare(cmd)
	return cmd
}

func (c *auditCommand) run(cmd *cobra.Command, args []string) (int, error) {
	c.of, c.within = args, c.dir
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	if err := c.checkWaivers(cmd); err != nil {
		return 0, err
	}
	files, err := c.files(c.program, args, "")
	if err != nil {
		return 0, err
	}
	g := &pass{program: c.program, command: "audit", fleet: &c.fleet, cfg: cfg, files: files, accept: &c.acceptance}
	r, err := g.run(cmd.Context())
	if err != nil {
		return 0, err
	}
	a := report.NewAudit(r, &g.tally)
	c.problems(r)
	if err := c.writeWaivers(a, g.root); err != nil {
		return 0, err
	}
	return failedOr(exitClean, r), c.print(a)
}

// checkWaivers refuses an output before any input is read.
func (c *auditCommand) checkWaivers(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("write-waivers"):
		return nil
	case c.waivers == "":
		return errors.New("--write-waivers needs the name of a file")
	}
	return replace.Check(c.waivers)
}

func (c *auditCommand) writeWaivers(a *report.Audit, root *base) error {
	if c.waivers == "" {
		return nil
	}
	script, n := c.draft(a, root)
	if err := replace.File(c.waivers, script); err != nil {
		if _, ok := errors.AsType[*fault.Error](err); ok {
			return err
		}
		return fault.Of(c.waivers, "cannot be written", err)
	}
	a.Waivers = c.waivers
	c.note("%s: written, %s to sign for or to mend", c.waivers, count(n, "blocker", "blockers"))
	return nil
}

func (c *auditCommand) print(a *report.Audit) error {
	if c.format.value == "json" {
		return a.JSON(&c.out)
	}
	return a.Text(&c.out, paint.For(c.color.value, c.stdout, c.env))
}
