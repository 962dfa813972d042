package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"
)

// commands calls f for each of our commands, and those below them.
func commands(t *testing.T, f func(*cobra.Command)) {
	t.Helper()
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		f(cmd)
		for _, below := range cmd.Commands() {
			each(below)
		}
	}
	each(newRoot(&program{env: lookup(nil)}))
}

// typedLines are the lines of the files of a pattern, of which there is one at
// least.
func typedLines(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no file is "+pattern, err)
	}
	var lines []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(text), "\n")...)
	}
	return lines
}

// TestEveryFlagHasAPage holds that some script types each flag of each command.
func TestEveryFlagHasAPage(t *testing.T) {
	lines := typedLines(t, "testdata/script/*.txtar")
	commands(t, func(cmd *cobra.Command) {
		if cmd.HasParent() && cmd.Parent().HasParent() {
			return // many share their flags with those beside them
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, line := range lines {
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
			typed, _, _ = strings.Cut(typed, `)"`)
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

// TestFlagValues holds that the help names what each flag takes, and does not leave
// that to the name of a type of Go's.
func TestFlagValues(t *testing.T) {
	commands(t, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch name, _ := pflag.UnquoteUsage(f); name {
			case "string", "strings", "stringArray", "int", "uint", "duration":
				t.Errorf("%s --%s takes a %s", cmd.CommandPath(), f.Name, name)
			}
		})
	})
}

// TestFormatsAreDescribed holds that --format names the schema in which the
// command's document is.
func TestFormatsAreDescribed(t *testing.T) {
	documents := map[string]string{} // by command
	for _, name := range append(schemaNames(), commonSchema) {
		text, err := schemaOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"command": \{"(?:const|enum)": ([^}]*)\}`).FindAllSubmatch(text, -1) {
			for _, command := range regexp.MustCompile(`[a-z-]+(?: [a-z]+)*`).FindAllString(string(m[1]), -1) {
				documents[strings.ReplaceAll(command, "-", " ")] = name
			}
		}
	}
	commands(t, func(cmd *cobra.Command) {
		f := cmd.Flags().Lookup("format")
		if f == nil || !strings.Contains(f.Usage, "JSON (") {
			return
		}
		path := strings.TrimPrefix(cmd.CommandPath(), "loopxctl ")
		schema, ok := documents[strings.ReplaceAll(path, "-", " ")]
		if !ok || !strings.Contains(f.Usage, describes(schema)) {
			t.Errorf("%s --format: %q; the schema is %q", path, f.Usage, schema)
		}
	})
}
