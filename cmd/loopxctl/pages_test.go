package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"
)

// commands calls f for each of our commands.
func commands(t *testing.T, f func(*cobra.Command)) {
	t.Helper()
	root := newRoot(&program{env: lookup(nil)})
	f(root)
	for _, cmd := range root.Commands() {
		f(cmd)
	}
}

// TestEveryFlagHasAPage holds that some script types each flag of each command.
func TestEveryFlagHasAPage(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var pages strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(text)
	}
	commands(t, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for line := range strings.Lines(pages.String()) {
				if strings.Contains(line, cmd.CommandPath()) && strings.Contains(line, "--"+f.Name) {
					return
				}
			}
			t.Errorf("no script types %s --%s", cmd.CommandPath(), f.Name)
		})
	})
}

// TestExamples holds that each command has examples, and that they parse.
func TestExamples(t *testing.T) {
	commands(t, func(cmd *cobra.Command) {
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", " ")) {
			_, typed, ok := strings.Cut(line, "loopxctl ")
			if !ok {
				continue
			}
			typed, _, _ = strings.Cut(typed, " | ")
			typed, _, _ = strings.Cut(typed, " >")
			args, err := shell.Fields(strings.ReplaceAll(typed, "*", "x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			found, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil || found == cmd.Root() {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), typed, err)
			}
		}
	})
}
