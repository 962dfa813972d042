package main

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// The schemas: of what --format json prints, of what "loopxctl lens" prints,
// and of what it reads, and of what "loopxctl floors" and "loopxctl release-gate"
// print.
var (
	//go:embed schema/loopxctl.schema.json
	schemaJSON []byte
	//go:embed schema/lens.schema.json
	lensSchemaJSON []byte
	//go:embed schema/findings.schema.json
	findingsSchemaJSON []byte
	//go:embed schema/floors.schema.json
	floorsSchemaJSON []byte
	//go:embed schema/release-gate.schema.json
	gateSchemaJSON []byte
)

const schemaExample = `  loopxctl schema >loopxctl.schema.json
  loopxctl schema lens >lens.schema.json
  loopxctl schema findings >findings.schema.json
  loopxctl schema floors >floors.schema.json
  loopxctl schema release-gate >release-gate.schema.json`

func newSchema(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [lens|findings|floors|release-gate]",
		Short: "Print the JSON Schema of what --format json prints",
		Long: "Schema prints the JSON Schema (draft 2020-12) of what --format json prints;\n" +
			"with the name lens, that of what \"loopxctl lens\" prints, with findings that of\n" +
			"what it reads, and with floors or release-gate that of what these print.",
		Example:   schemaExample,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"lens", "findings", "floors", "release-gate"},
		RunE: p.does(func(_ *cobra.Command, args []string) (int, error) {
			text := schemaJSON
			switch {
			case len(args) == 0:
			case args[0] == "lens":
				text = lensSchemaJSON
			case args[0] == "floors":
				text = floorsSchemaJSON
			case args[0] == "release-gate":
				text = gateSchemaJSON
			default:
				text = findingsSchemaJSON
			}
			_, err := p.out.Write(text)
			return exitClean, err
		}),
	}
}
