package main

import (
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/ack"
)

const ackListLong = `List shows the acknowledgements of a repository, those that end first at the top.
It verifies nothing: "loopxctl ack verify" says which of them count.`

const ackListExample = `  loopxctl ack list

  # What ends within two weeks?
  loopxctl ack list --format json | jq '.entries[] | select(.days_left <= 14)'`

type ackList struct {
	tree
	format, color *oneOf
}

func newAckList(p *program) *cobra.Command {
	c := &ackList{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:               "list",
		Short:             "List acknowledgements and the days that are left",
		Long:              ackListLong,
		Example:           ackListExample,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.declareRoot(cmd)
	c.format, c.color = addFormat(cmd, commonSchema), addColor(cmd)
	return cmd
}

func (c *ackList) run(cmd *cobra.Command, _ []string) (int, error) {
	name, _, entries, err := readAcknowledgements(c.root(cmd.Context()))
	if err != nil {
		return 0, err
	}
	// Only the days that are left are used of the verdicts.
	r := &ackReport{file: name, entries: entries, verdicts: ack.Check(entries, ack.Trust{}, now())}
	r.sort()
	if c.format.value == "json" {
		return exitClean, r.listJSON(&c.out)
	}
	return exitClean, r.listText(&c.out, paint.For(c.color.value, c.stdout, c.env))
}
