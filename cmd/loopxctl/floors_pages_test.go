package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestFloorsPages holds that some script types each flag with one of the commands
// that share it, and
// that the help of each command has examples of it.
func TestFloorsPages(t *testing.T) {
	t.Parallel()
	lines := typedLines(t, "testdata/script/floors*.txtar")
	for _, cmd := range newFloors(&program{env: lookup(nil)}).Commands() {
		typed := "loopxctl " + cmd.CommandPath()
		if !strings.Contains(cmd.Example, typed) || cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s: no example, or no help", typed)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, line := range lines {
				if strings.Contains(line, "loopxctl floors ") && strings.Contains(line, "--"+f.Name) {
					return
				}
			}
			t.Errorf("no script types %s --%s", typed, f.Name)
		})
	}
}
