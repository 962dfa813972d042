package main

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// schemaJSON describes every document that --format json prints.
//
//go:embed schema/loopxctl.schema.json
var schemaJSON []byte

func newSchema(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "schema",
		Short:             "Print the JSON Schema of what --format json prints",
		Example:           "  loopxctl schema >loopxctl.schema.json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: p.does(func(*cobra.Command, []string) (int, error) {
			_, err := p.out.Write(schemaJSON)
			return exitClean, err
		}),
	}
}
