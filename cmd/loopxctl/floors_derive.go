package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

const floorsDeriveLong = `Derive prints the floor of each project that is declared and has advisories: the
lowest bound from which on no version is affected, below the highest upper bound
that is declared. With names, only of those.

--format yaml prints it as the section "floors" of loopx.yaml. Review it before you
use it: a policy's floors hold even without a database.`

const floorsDeriveExample = `  loopxctl floors derive
  loopxctl floors derive setuptools urllib3
  loopxctl floors derive --format yaml >>loopx.yaml`

type floorsDerive struct {
	tree
	floorsInput
	paths  []string
	format *oneOf
}

func newFloorsDerive(p *program) *cobra.Command {
	c := &floorsDerive{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:               "derive [NAME]...",
		Short:             "Print the floors that follow from the advisories",
		Long:              floorsDeriveLong,
		Example:           floorsDeriveExample,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.format = addOneOf(cmd, "format", "text for people, JSON (\"loopxctl schema floors\" describes it), or a section of loopx.yaml", "text", "json", "yaml")
	declarePaths(cmd, &c.paths)
	c.floorsInput.declare(cmd)
	c.declareRoot(cmd)
	return cmd
}

func declarePaths(cmd *cobra.Command, paths *[]string) {
	cmd.Flags().StringArrayVar(paths, "path", nil, "`PATH` of what is looked at, a folder or a file; unless given, this folder; repeatable")
}

func (c *floorsDerive) run(cmd *cobra.Command, args []string) (int, error) {
	p, err := c.read(cmd.Context(), &c.tree, c.paths)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if p.Database == nil {
		return 0, &fault.Error{Message: "there are no advisories to derive floors from", Todo: "Run \"loopxctl floors update\", or name a database: --database SOURCE"}
	}
	checked := floors.Check(p.Input)
	table := checked.Derive()
	c.pick(table, args)
	c.unreadable(checked)
	code := exitClean
	if len(checked.Problems()) > 0 {
		code = exitFailed
	}
	switch c.format.value {
	case "json":
		return code, plain.Encode(&c.out, table)
	case "yaml":
		return code, table.Write(&c.out)
	}
	return code, printFloors(&c.out, table)
}

// pick leaves the named projects, and tells which of them have no floor.
func (c *floorsDerive) pick(table *floors.Floors, names []string) {
	if len(names) == 0 {
		return
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[pep503.Normalize(name)] = true
	}
	table.Floors = slices.DeleteFunc(table.Floors, func(d floors.Derived) bool {
		known := wanted[d.Name]
		if known {
			wanted[d.Name] = false
		}
		return !known
	})
	for _, name := range names {
		if n := pep503.Normalize(name); wanted[n] {
			wanted[n] = false
			c.note("%s: it is not declared here, or no advisory that counts is about it: see \"loopxctl floors explain\"", printable(name))
		}
	}
}

// printFloors writes a table for people.
func printFloors(w io.Writer, table *floors.Floors) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "NAME\tFLOOR\tADVISORIES")
	for _, d := range table.Floors {
		floor := d.Floor
		switch {
		case d.Malicious:
			floor = "none: an attack"
		case len(d.IDs) == 0:
			floor = "none needed"
		case floor == "":
			floor = "none: no fix"
		}
		if d.Overall != "" {
			floor += " (without the upper bounds " + d.Overall + ")"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", plain.Text(d.Name), plain.Text(floor), plain.Text(strings.Join(d.IDs, ", ")))
	}
	return out.Flush()
}
