package main

import (
	"github.com/spf13/cobra"
)

const floorsLong = `Floors asks whether what a Python project declares keeps out the versions of its
dependencies that are known to be vulnerable. It is a question about ranges:
setuptools>=70 admits 82.0.1, whatever is newest today. It looks at
pyproject.toml with the tables of its tools, setup.cfg and setup.py,
requirements and constraints files, lock files, and pip's words in the RUN
instructions of Dockerfiles.

The floors are those of loopx.yaml, and what follows from an advisory database
in the form of OSV: a folder, a zip archive, JSON lines, or the export that
"floors update" fetched. Only update opens a connection. Nothing of the project
is run, and nothing outside of its root is read.`

const floorsExample = `  # Does anything that is declared admit a vulnerable version?
  loopxctl floors update
  loopxctl floors check

  # Raise the bounds that are too low
  loopxctl floors fix --diff
  loopxctl floors fix

  # Everything about one dependency
  loopxctl floors explain setuptools

  # A table of floors for loopx.yaml
  loopxctl floors derive --format yaml`

func newFloors(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "floors",
		Short:             "Keep vulnerable versions of Python dependencies out of what is declared",
		Long:              floorsLong,
		Example:           floorsExample,
		Args:              onlyCommands,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFloorsCheck(p), newFloorsFix(p), newFloorsDerive(p), newFloorsExplain(p), newFloorsUpdate(p))
	return cmd
}
