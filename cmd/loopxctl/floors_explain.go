package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

const floorsExplainLong = `Explain tells all that is known of one project: the floor, the policy's and the
advisories', those that do not count and why, and every place where it is
declared, with what is admitted there and what would mend it.`

const floorsExplainExample = `  loopxctl floors explain setuptools
  loopxctl floors explain --format json --path services/api urllib3`

type floorsExplain struct {
	tree
	floorsInput
	paths         []string
	format, color *oneOf
}

func newFloorsExplain(p *program) *cobra.Command {
	c := &floorsExplain{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:               "explain NAME",
		Short:             "Tell everything about one dependency",
		Long:              floorsExplainLong,
		Example:           floorsExplainExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, "floors")
	c.color = addColor(cmd)
	declarePaths(cmd, &c.paths)
	c.floorsInput.declare(cmd)
	c.declareRoot(cmd)
	return cmd
}

func (c *floorsExplain) run(cmd *cobra.Command, args []string) (int, error) {
	if !pep503.Valid(args[0]) {
		return 0, fmt.Errorf("%q is no name of a project: letters, digits and - _ . are allowed", args[0])
	}
	p, err := c.read(cmd.Context(), &c.tree, c.paths)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	checked := floors.Check(p.Input)
	c.unreadable(checked)
	c.whereNamed(p)
	code := exitClean
	if len(checked.Problems()) > 0 {
		code = exitFailed
	}
	told := checked.Explain(args[0])
	if c.format.value == "json" {
		return code, plain.Encode(&c.out, told)
	}
	return code, told.Write(&c.out, paint.For(c.color.value, c.stdout, c.env))
}
