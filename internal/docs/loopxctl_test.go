package docs_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const loopxctlPage = "docs/loopxctl.md"

// TestExitCodes holds that the page lists the exit codes that the program has.
func TestExitCodes(t *testing.T) {
	p := readPage(t, loopxctlPage)
	var got []string
	for _, row := range rows(p, sectionOf(t, p, "Exit codes")) {
		got = append(got, row[0])
	}
	if diff := cmp.Diff(exitCodes(t), got); diff != "" {
		t.Errorf("exit codes (-cmd/loopxctl +%s):\n%s", p.path, diff)
	}
}

// exitCodes are the values of the constants exit… of cmd/loopxctl.
func exitCodes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(repository(t), "cmd/loopxctl/main.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "exit") {
			return true
		}
		value := spec.Values[0].(*ast.BasicLit)
		codes = append(codes, constant.MakeFromLiteral(value.Value, value.Kind, 0).String())
		return true
	})
	if len(codes) == 0 {
		t.Fatal("cmd/loopxctl/main.go has no constants that begin with exit")
	}
	return codes
}

var (
	commandLine = regexp.MustCompile(`^  ([a-z-]+) +\S`)
	flagLine    = regexp.MustCompile(`^ +(?:-\w, )?--([a-z-]+)`)
	longFlag    = regexp.MustCompile(`--([a-z-]+)`)
)

// TestFlags holds that the page lists each command, and each flag with the
// commands that have it.
func TestFlags(t *testing.T) {
	bin := filepath.Join(build(t), "loopxctl")
	p := readPage(t, loopxctlPage)
	commands := help(t, commandLine, bin, "--help")
	var listed []string
	for _, row := range rows(p, sectionOf(t, p, "Commands")) {
		listed = append(listed, strings.Fields(strings.Trim(row[0], "`"))[1])
	}
	slices.Sort(listed)
	if diff := cmp.Diff(commands, listed); diff != "" {
		t.Errorf("commands (-program +%s):\n%s", p.path, diff)
	}

	want, got := map[string][]string{}, map[string][]string{}
	for _, name := range commands {
		if _, own := ownPages()[name]; own {
			continue
		}
		for _, flag := range help(t, flagLine, bin, name, "--help") {
			if flag != "help" {
				want[flag] = append(want[flag], name)
			}
		}
	}
	for _, row := range rows(p, sectionOf(t, p, "Flags")) {
		flag := longFlag.FindStringSubmatch(row[0])[1]
		got[flag] = slices.Sorted(slices.Values(strings.Split(row[1], ", ")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flags and their commands (-program +%s):\n%s", p.path, diff)
	}
}

// ownPages are the pages of commands with so many flags that the page of all
// commands leaves them out.
func ownPages() map[string]string {
	return map[string]string{
		"build": "docs/build.md", "bootstrap": "docs/bootstrap.md", "notice": "docs/notices.md",
		"release-gate": "docs/release-gate.md", "review": "docs/review.md",
	}
}

// TestOwnFlags holds that a command's own page lists its flags.
func TestOwnFlags(t *testing.T) {
	bin := filepath.Join(build(t), "loopxctl")
	for command, path := range ownPages() {
		p := readPage(t, path)
		var got []string
		for _, row := range rows(p, sectionOf(t, p, "Flags")) {
			got = append(got, longFlag.FindStringSubmatch(row[0])[1])
		}
		slices.Sort(got)
		want := slices.DeleteFunc(help(t, flagLine, bin, command, "--help"), func(name string) bool { return name == "help" })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("flags (-program +%s):\n%s", path, diff)
		}
	}
}

// help returns what a pattern finds in the lines of a help text, sorted.
func help(t *testing.T, pattern *regexp.Regexp, bin string, args ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), bin, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(out), "Available Commands:\n")
	if pattern == flagLine || !found {
		_, text, _ = strings.Cut(string(out), "\nFlags:\n")
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if m := pattern.FindStringSubmatch(line); m != nil {
			seen[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// rows returns the cells of the table rows in a section, without its head.
func rows(p *page, s section) [][]string {
	var all [][]string
	for _, line := range p.lines[s.from:s.to] {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, "\x00"), "|") {
			cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|"))
		}
		all = append(all, cells[1:len(cells)-1])
	}
	return all[2:]
}

// TestTypedCommands holds that the pages, the examples and the hooks name no command
// and no flag that isn't there.
func TestTypedCommands(t *testing.T) {
	flags := allFlags(t)
	for _, path := range typedPages(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		joined := strings.ReplaceAll(string(text), "\\\n", " ")
		for line := range strings.Lines(joined) {
			for _, typed := range strings.Split(line, "loopxctl ")[1:] {
				checkTyped(t, path, typed, flags)
			}
		}
	}
}

// checkTyped checks the flags of one command, if it is one.
func checkTyped(t *testing.T, path, typed string, flags map[string][]string) {
	t.Helper()
	typed = regexp.MustCompile("[`|;&)>]| # ").Split(typed, 2)[0]
	words := strings.Fields(typed)
	command := ""
	for len(words) > 0 && flags[strings.TrimSpace(command+" "+words[0])] != nil {
		command, words = strings.TrimSpace(command+" "+words[0]), words[1:]
	}
	if command == "" {
		return // a sentence, or a file
	}
	for _, word := range words {
		if m := regexp.MustCompile(`^--([a-z-]+)(?:=|$)`).FindStringSubmatch(word); m != nil && !slices.Contains(flags[command], m[1]) {
			t.Errorf("%s: loopxctl %s has no --%s: %q", path, command, m[1], typed)
		}
	}
}

// allFlags are the flags of each command, and of those below it, by its words.
func allFlags(t *testing.T) map[string][]string {
	t.Helper()
	bin := filepath.Join(build(t), "loopxctl")
	flags := map[string][]string{}
	var each func(words []string)
	each = func(words []string) {
		args := slices.Concat(words, []string{"--help"})
		flags[strings.Join(words, " ")] = help(t, flagLine, bin, args...)
		if len(words) == 2 {
			return
		}
		for _, below := range help(t, commandLine, bin, args...) {
			each(slices.Concat(words, []string{below}))
		}
	}
	each(nil)
	return flags
}

// typedPages are the files in which commands are typed for people and pipelines.
func typedPages(t *testing.T) []string {
	t.Helper()
	root := repository(t)
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md", "examples/*/*.yml", "examples/*/*/*.yml", "examples/*/*.sh", "action.yml", ".pre-commit-hooks.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file is %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	return paths
}
