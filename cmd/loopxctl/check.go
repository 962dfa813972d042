package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const checkLong = `Check lists what the frontend would say about each Dockerfile, one finding a
line: FILE:LINE:COLUMN: severity: message [Rule]. It exits 1 if one of them is
a blocker, that is, if a build would fail; LOOPX_MODE=audit makes blockers
warnings. What the frontend moves during the build is advice here, also where
"loopxctl rewrite" cannot edit it. Check changes nothing.`

const checkExample = `  # Would ./Dockerfile build?
  loopxctl check

  # All Dockerfiles of a repository
  git ls-files '*Dockerfile*' | xargs loopxctl check`

type checkCommand struct {
	*program
	operator
	format, color *oneOf
}

func newCheck(p *program) *cobra.Command {
	c := &checkCommand{program: p}
	cmd := &cobra.Command{
		Use:               "check [FILE|-]...",
		Short:             "List findings; exit 1 if one would fail the build",
		Long:              checkLong,
		Example:           checkExample,
		ValidArgsFunction: completeDockerfiles,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd)
	c.color = addColor(cmd)
	c.operator.declare(cmd)
	return cmd
}

func (c *checkCommand) run(cmd *cobra.Command, args []string) (int, error) {
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	policy := report.Policy{Audit: cfg.Route.Mode == route.Audit}
	names, err := inputs(args)
	if err != nil {
		return 0, err
	}
	r, err := c.plan(cmd.Context(), "check", names, cfg, policy)
	if err != nil {
		return 0, err
	}
	code := exitClean
	for _, f := range r.Files {
		if f.Blocked() {
			code = exitBlocked
		}
	}
	return failedOr(code, r), c.print(r)
}

func (c *checkCommand) print(r *report.Report) error {
	c.problems(r)
	if c.format.value == "json" {
		return report.JSON(&c.out, r)
	}
	all := func(rewrite.Finding) bool { return true }
	for _, f := range r.Files {
		if err := report.Findings(&c.out, f, paint.For(c.color.value, c.stdout, c.env), all); err != nil {
			return err
		}
	}
	return nil
}
