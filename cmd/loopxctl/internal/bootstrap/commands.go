package bootstrap

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strings"
)

//go:embed commands.tsv
var commandTable string

// row is a line of the table.
type row struct {
	name    string // of the package
	command string
}

func table() []row {
	var rows []row
	for line := range strings.Lines(commandTable) {
		if name, command, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			rows = append(rows, row{name, command})
		}
	}
	return rows
}

// CommandsOf are the commands that packages bring, as far as the table knows.
func CommandsOf(packages []string) []string {
	var all []string
	for _, p := range packages {
		for _, r := range table() {
			if r.name == plainName(p) && !slices.Contains(all, r.command) {
				all = append(all, r.command)
			}
		}
	}
	return all
}

// packageOf is a package that brings a command, "" if the table knows none; one
// that is installed comes before others.
func (s *Spec) packageOf(command string) (name string, installed bool) {
	for _, r := range table() {
		if r.command != path.Base(command) {
			continue
		}
		if slices.ContainsFunc(s.Packages, func(p string) bool { return plainName(p) == r.name }) {
			return r.name, true
		}
		name = cmp.Or(name, r.name)
	}
	return name, false
}

// missing is the lack of a command.
func (s *Spec) missing(command string) *Missing {
	name, installed := s.packageOf(command)
	return &Missing{Command: command, Package: name, Installed: installed}
}

// plainName is a package's name without its architecture and version.
func plainName(p string) string {
	p, _, _ = strings.Cut(p, "=")
	p, _, _ = strings.Cut(p, ":")
	return p
}
