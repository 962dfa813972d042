package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
)

func newConfig(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show the configuration that is in force, or check its files",
		Example: "  loopxctl config show\n  loopxctl config check",
		Args:    onlyCommands, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigShow(p), newConfigCheck(p))
	return cmd
}

const configShowLong = `Show prints each setting that is in force for a file or a folder (this one if none
is named), and where it is from: built in, the organisation's file
(/etc/loopx/loopx.yaml), the project's loopx.yaml, or what whoever calls a command
says by LOOPX_* variables and flags. Later ones win; under a lock of the
organisation they may only tighten, and what weakens is told, with exit code 2.`

const configShowExample = `  # What is in force here?
  loopxctl config show

  # For a Dockerfile elsewhere, and with a mirror that is planned
  loopxctl config show services/api/Dockerfile --mirror debian=https://mirror.example/debian`

func newConfigShow(p *program) *cobra.Command {
	var op operator
	cmd := &cobra.Command{
		Use: "show [FILE|FOLDER]...", Short: "Print each setting that is in force, and where it is from",
		Long: configShowLong, Example: configShowExample, ValidArgsFunction: completeDockerfiles,
	}
	format, color := addFormat(cmd, commonSchema), addColor(cmd)
	op.declare(cmd)
	op.declareConfig(cmd)
	cmd.RunE = p.does(func(_ *cobra.Command, args []string) (int, error) {
		op.of = args
		in, err := p.inForce(&op)
		if err != nil {
			return exitUsage, err
		}
		doc := report.Settings{InForce: in.Settings, Notes: p.configNotes}
		for _, c := range []*config.Config{in.organisation, in.project} {
			if c != nil {
				doc.Files = append(doc.Files, c.Name)
			}
		}
		if format.value == "json" {
			return exitClean, doc.JSON(&p.out)
		}
		return exitClean, doc.Text(&p.out, paint.For(color.value, p.stdout, p.env))
	})
	return cmd
}

const configCheckLong = `Check reads files of the configuration, ./loopx.yaml unless one is named, and tells
each mistake with its line and column. A file in /etc/loopx, or with
--of organisation, is one of an organisation, others are of a project.

The exit code is 2 if there is a mistake, and 3 if a file can't be read.`

const configCheckExample = `  loopxctl config check
  loopxctl config check --of organisation image/loopx.yaml`

func newConfigCheck(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "check [FILE]...", Short: "Check files of the configuration", Long: configCheckLong, Example: configCheckExample,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	of := addOneOf(cmd, "of", "whose the files are; auto goes by the folder", "auto", string(settings.Project), string(settings.Organisation))
	format := addFormat(cmd, commonSchema)
	cmd.RunE = p.does(func(_ *cobra.Command, args []string) (int, error) {
		if len(args) == 0 {
			args = []string{config.File}
		}
		var checked []report.CheckedConfig
		for _, name := range args {
			c, err := checkConfig(name, of.value)
			if err != nil {
				return exitFailed, err
			}
			checked = append(checked, c)
		}
		if format.value == "json" {
			return configCode(checked), report.ConfigCheck(&p.out, checked)
		}
		return configCode(checked), p.tellChecked(checked)
	})
	return cmd
}

// checkConfig reads one file; of is the flag's word.
func checkConfig(name, of string) (report.CheckedConfig, error) {
	if of == "auto" {
		of = string(settings.Project)
		if dir := realFolder(filepath.Dir(name)); dir == config.Dir {
			of = string(settings.Organisation)
		}
	}
	parse := config.Parse
	if of == string(settings.Organisation) {
		parse = config.ParseOrganisation
	}
	c := report.CheckedConfig{File: name, Owner: of, Errors: []report.ConfigError{}}
	_, err := readConfig(name, parse)
	if failure, ok := errors.AsType[*fault.Error](err); ok {
		return c, failure
	}
	for _, e := range split(err) {
		if mistake, ok := errors.AsType[*config.Error](e); ok {
			c.Errors = append(c.Errors, report.ConfigError{Line: mistake.Line, Column: mistake.Column, Message: mistake.Message})
		}
	}
	return c, nil
}

func configCode(checked []report.CheckedConfig) int {
	for _, c := range checked {
		if len(c.Errors) > 0 {
			return exitUsage
		}
	}
	return exitClean
}

// tellChecked writes a line for each mistake, and for each file without one.
func (p *program) tellChecked(checked []report.CheckedConfig) error {
	for _, c := range checked {
		for _, e := range c.Errors {
			p.say((&config.Error{File: c.File, Line: e.Line, Column: e.Column, Message: e.Message}).Error())
		}
		if len(c.Errors) == 0 {
			fmt.Fprintf(&p.out, "%s: no mistake (owner: %s)\n", printable(c.File), c.Owner)
		}
	}
	return nil
}
