package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const variablesLong = `Variables lists the LOOPX_* variables: the value that each has in this
environment, what it sets and an example. The frontend takes the same names as
build arguments (docker build --build-arg NAME). A value that is wrong is told
and makes the exit code 2.`

func newVariables(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "variables",
		Aliases:           []string{"env"},
		Short:             "List the LOOPX_* variables, their values and what they set",
		Long:              variablesLong,
		Example:           "  loopxctl variables\n  LOOPX_MODE=audit loopxctl variables --format json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	format, color := addFormat(cmd, commonSchema), addColor(cmd)
	cmd.RunE = p.does(func(*cobra.Command, []string) (int, error) {
		list := p.variables()
		print := func() error { return list.Text(&p.out, paint.For(color.value, p.stdout, p.env)) }
		if format.value == "json" {
			print = func() error { return list.JSON(&p.out) }
		}
		if err := print(); err != nil {
			return 0, err
		}
		_, err := p.configure(&operator{})
		return exitClean, err
	})
	return cmd
}

// variables are the variables with the values that they have.
func (p *program) variables() report.Variables {
	var list report.Variables
	for _, v := range route.Variables() {
		value, set := p.env(v.Name)
		list = append(list, report.Variable{
			Name: v.Name, Set: set, Value: route.Redact(value),
			Archive: v.Archive, Sets: v.Sets, Example: v.Example,
		})
	}
	return list
}
