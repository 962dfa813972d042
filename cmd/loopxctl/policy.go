package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/sourcepolicy"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const policyLong = `export writes the decisions about addresses as a source policy of BuildKit, for
builds by other tools. "loopxctl build --proxy-network" sends the same one.

A daemon asks it about every request of a RUN if its proxy network is on: with
buildctl build --proxy-network, or proxyNetwork = true in buildkitd.toml. Without
the proxy network it is asked about ADD and other sources only.

Its limits: a GET is moved, any other request (HEAD, POST) for an address that
would be moved is refused; of several mirrors the first is used; an address with a
user or a password in it is refused; git over clear text is not moved.`

const policyExample = `  # For buildctl
  loopxctl policy export >policy.json
  buildctl build --proxy-network --source-policy-file policy.json …

  # For buildx, on a builder whose daemon has proxyNetwork = true
  eval "$(loopxctl policy export --for buildx-env -o policy.json)"
  docker buildx build .`

func newPolicy(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "policy", Short: "Write the decisions for other tools", Example: "  loopxctl policy export --for buildkit",
		Args: onlyCommands, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPolicyExport(p))
	return cmd
}

func newPolicyExport(p *program) *cobra.Command {
	var op operator
	var output string
	cmd := &cobra.Command{
		Use: "export", Short: "Write a source policy for BuildKit", Long: policyLong, Example: policyExample,
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
	}
	tool := addOneOf(cmd, "for", "who reads it: buildkit is JSON; buildx-env is JSON in a file, and the variable that names it", "buildkit", "buildx-env")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the policy to `FILE`, not to standard output")
	op.declare(cmd)
	op.declareConfig(cmd)
	cmd.RunE = p.does(func(*cobra.Command, []string) (int, error) {
		if tool.value == "buildx-env" && output == "" {
			return exitUsage, errors.New("--for buildx-env needs --output FILE: the variable names a file")
		}
		cfg, err := p.configure(&op)
		if err != nil {
			return exitUsage, err
		}
		return exitClean, p.exportPolicy(cfg.Route, output, tool.value == "buildx-env")
	})
	return cmd
}

// exportPolicy writes the policy, and for buildx the variable.
func (p *program) exportPolicy(cfg route.Config, output string, variable bool) error {
	table, err := route.NewTable(cfg)
	if err != nil {
		return err
	}
	data, err := sourcepolicy.JSON(sourcepolicy.New(table, cfg))
	if err != nil {
		return err
	}
	if output == "" {
		_, err := p.out.Write(data)
		return err
	}
	if err := replace.File(output, data); err != nil {
		return err
	}
	if variable {
		fmt.Fprintf(&p.out, "export EXPERIMENTAL_BUILDKIT_SOURCE_POLICY='%s'\n", strings.ReplaceAll(output, "'", `'\''`))
	}
	return nil
}
