package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/config"
)

// schemas are the published ones, each in a file of its name. That of most
// commands' --format json is [commonSchema].
//
//go:embed schema/*.schema.json
var schemas embed.FS

const (
	schemaEnding = ".schema.json"
	commonSchema = "loopxctl"
)

const schemaExample = `  loopxctl schema >loopxctl.schema.json
  loopxctl schema lens >lens.schema.json
  loopxctl schema findings >findings.schema.json
  loopxctl schema config >loopx.schema.json`

func newSchema(p *program) *cobra.Command {
	names := schemaNames()
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of what --format json prints",
		Long: `Schema prints the JSON Schema (draft 2020-12) of what --format json prints;
with the name of a command that has a document of its own, that of this
document, with findings that of what "loopxctl lens" reads, and with config and
organisation that of loopx.yaml of a project and of an organisation.`,
		Example:   schemaExample,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE: p.does(func(_ *cobra.Command, args []string) (int, error) {
			name := commonSchema
			if len(args) > 0 {
				name = args[0]
			}
			text, err := schemaOf(name)
			if err != nil {
				return 0, err
			}
			_, err = p.out.Write(text)
			return exitClean, err
		}),
	}
}

// The schemas of loopx.yaml, which package config makes of what it reads.
const (
	projectSchema      = "config"
	organisationSchema = "organisation"
)

// schemaOf is the schema of a name.
func schemaOf(name string) ([]byte, error) {
	switch name {
	case projectSchema:
		return config.Schema()
	case organisationSchema:
		return config.OrganisationSchema()
	}
	return schemas.ReadFile("schema/" + name + schemaEnding)
}

// schemaNames are the names of all schemas but the common one.
func schemaNames() []string {
	files, err := schemas.ReadDir("schema")
	if err != nil {
		return nil // the folder is a part of the program
	}
	names := []string{projectSchema, organisationSchema}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), schemaEnding))
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == commonSchema })
}
