package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// oneOf is a flag that takes one of a few words.
type oneOf struct {
	value   string
	allowed []string
}

// Set takes a value of the flag.
func (o *oneOf) Set(s string) error {
	if !slices.Contains(o.allowed, s) {
		return fmt.Errorf("must be one of: %s", strings.Join(o.allowed, ", "))
	}
	o.value = s
	return nil
}

// String is the flag's value.
func (o *oneOf) String() string { return o.value }

// Type is the flag's value in the help text.
func (o *oneOf) Type() string { return strings.Join(o.allowed, "|") }

// addOneOf declares a flag whose first word is its default.
func addOneOf(cmd *cobra.Command, name, usage string, allowed ...string) *oneOf {
	o := &oneOf{allowed[0], allowed}
	cmd.Flags().Var(o, name, usage)
	complete(cmd, name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
	return o
}

// addFormat declares --format of a command whose JSON the schema of a name
// describes.
func addFormat(cmd *cobra.Command, schema string) *oneOf {
	return addOneOf(cmd, "format", "text for people, or JSON ("+describes(schema)+" it)", "text", "json")
}

// describes says which command prints the schema of a name.
func describes(schema string) string {
	if schema == commonSchema {
		return `"loopxctl schema" describes`
	}
	return `"loopxctl schema ` + schema + `" describes`
}

// addLinesFormat declares --format of a command that takes many files.
func addLinesFormat(cmd *cobra.Command) *oneOf {
	return addOneOf(cmd, "format", "text for people, JSON, or a line of JSON for each file and one for all (\"loopxctl schema\" describes both)", "text", "json", jsonLines)
}

// jsonLines is the format that has a line for each file.
const jsonLines = "jsonl"

// addColor declares --color.
func addColor(cmd *cobra.Command) *oneOf {
	return addOneOf(cmd, "color", "colour the text; auto: on a terminal, unless NO_COLOR is set", "auto", "always", "never")
}

// complete declares how the shell completes a flag's value. The error is that
// the flag is unknown or has a completion already: a mistake in this program.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}
