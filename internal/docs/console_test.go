package docs_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the outputs shown in Markdown files and the examples' Dockerfile.secure")

// elided stands for any number of lines where it is a line of shown output, and
// inside of one for any text.
const elided = "…"

// TestConsole runs the commands of every code block that is marked as console
// and calls loopxctl, and compares what they print, standard output before
// standard error, with what is shown.
//
// The commands of one page share a folder. In an example's README it is a copy of
// the example; else it holds a copy of examples. "cat FILE" of a file that is not
// there makes it, of the text that is shown.
func TestConsole(t *testing.T) {
	loopxctl := build(t)
	for _, p := range pages(t) {
		var shown []block
		for _, b := range p.blocks(t) {
			if b.info == "console" && calls.MatchString(p.text(b)) {
				shown = append(shown, b)
			}
		}
		if shown == nil {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			s := newShell(t, loopxctl, p)
			for _, b := range shown {
				s.replay(t, p, b)
			}
			s.save(t, p)
		})
	}
}

// TestExamplesShowText holds that each example says what loopxctl makes of it.
func TestExamplesShowText(t *testing.T) {
	for _, p := range pages(t) {
		if path, ok := strings.CutPrefix(p.path, "examples/"); !ok || !strings.Contains(path, "/") {
			continue
		}
		if !slices.ContainsFunc(p.blocks(t), func(b block) bool {
			return b.info == "console" && strings.Contains(p.text(b), "$ loopxctl rewrite ") && strings.Contains(p.text(b), "$ echo $?\n")
		}) {
			t.Errorf("%s runs no loopxctl rewrite and shows no exit code", p.path)
		}
	}
}

// build compiles loopxctl and returns the folder that it is in. The cache of go
// test sees that the program changed: pages reads all folders of its source.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./cmd/loopxctl")
	cmd.Dir = repository(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// shell runs the commands of one page.
type shell struct {
	dir, bin string
	code     int              // of the last command
	printed  map[int][]string // by -update: the lines of the block that begins there
}

func newShell(t *testing.T, bin string, p *page) *shell {
	t.Helper()
	s := &shell{dir: t.TempDir(), bin: bin, printed: map[int][]string{}}
	from, to := filepath.Join(repository(t), "examples"), filepath.Join(s.dir, "examples")
	if strings.HasPrefix(p.path, "examples/") && filepath.Dir(p.path) != "examples" {
		from, to = filepath.Join(repository(t), filepath.Dir(p.path)), filepath.Join(s.dir, "example")
		s.dir = to
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return s
}

// command is one that a block shows, and the output shown for it.
type command struct {
	line   int // in the page, counted from 1
	text   string
	output []string
}

// commands takes a block apart. A command begins with "$ " and goes on in the
// next line after a backslash.
func commands(t *testing.T, p *page, b block) []command {
	t.Helper()
	var all []command
	open := false
	for i, line := range p.lines[b.from+1 : b.to] {
		text, starts := strings.CutPrefix(line, "$ ")
		switch {
		case starts:
			all = append(all, command{line: b.from + i + 2, text: text})
		case len(all) == 0:
			t.Fatalf("%s:%d: output without a command", p.path, b.from+i+2)
		case open:
			all[len(all)-1].text += "\n" + line
		default:
			last := &all[len(all)-1]
			last.output = append(last.output, line)
			continue
		}
		open = strings.HasSuffix(line, `\`)
	}
	return all
}

var (
	calls = regexp.MustCompile(`(?m)^\$ ([A-Z_]+=\S* )*loopxctl\b`)
	// runnable are the commands that a block which calls loopxctl may hold.
	runnable = regexp.MustCompile(`^([A-Z_]+=\S* )*(loopxctl|cat|echo)\b`)
)

// replay runs the commands of a block.
func (s *shell) replay(t *testing.T, p *page, b block) {
	t.Helper()
	var lines []string
	for _, c := range commands(t, p, b) {
		if !runnable.MatchString(c.text) {
			t.Fatalf("%s:%d: %q is not run by this test; put it into a block of its own", p.path, c.line, c.text)
		}
		if name, ok := strings.CutPrefix(c.text, "cat "); ok {
			s.define(t, name, c.output)
		}
		got := s.run(t, c.text)
		switch {
		case matches(c.output, got):
			got = c.output
		case !*update:
			t.Errorf("%s:%d: %s (-shown +printed):\n%s", p.path, c.line, c.text, cmp.Diff(c.output, got))
		}
		lines = append(append(lines, strings.Split("$ "+c.text, "\n")...), got...)
	}
	if *update {
		s.printed[b.from] = lines
	}
}

// define makes the file that "cat name" shows, if there is none.
func (s *shell) define(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.WriteFile(path, []byte(strings.Join(append(slices.Clone(lines), ""), "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs one command by the shell and returns the lines that it prints. $? is
// the exit code of the command before.
func (s *shell) run(t *testing.T, text string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "(exit "+strconv.Itoa(s.code)+")\n"+text)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() < 0) {
		t.Fatalf("%s: %v", text, err)
	}
	s.code = cmd.ProcessState.ExitCode()
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// matches reports whether lines are those that are shown.
func matches(shown, lines []string) bool {
	if len(shown) == 0 {
		return len(lines) == 0
	}
	if shown[0] != elided {
		return len(lines) > 0 && like(shown[0], lines[0]) && matches(shown[1:], lines[1:])
	}
	for i := range len(lines) + 1 {
		if matches(shown[1:], lines[i:]) {
			return true
		}
	}
	return false
}

// like reports whether a line is the one that is shown.
func like(shown, line string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), elided, ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(line)
}

func TestMatches(t *testing.T) {
	lines := []string{"a", "b c", "d"}
	for _, shown := range [][]string{{"a", "b c", "d"}, {"a", elided}, {elided, "d"}, {elided}, {"a", elided, "b c", "d"}, {"a", "b" + elided, "d"}} {
		if !matches(shown, lines) {
			t.Errorf("%q does not match", shown)
		}
	}
	for _, shown := range [][]string{nil, {"a", "b c"}, {"a", elided, "b c"}, {elided, "e"}, {"a", "b c", "d", "e"}, {"a", "b", "d"}, {"a", elided + "d", "d"}} {
		if matches(shown, lines) {
			t.Errorf("%q matches", shown)
		}
	}
}

// save writes the page with what was printed.
func (s *shell) save(t *testing.T, p *page) {
	t.Helper()
	if len(s.printed) == 0 {
		return
	}
	var out []string
	end := -1 // of the block that is replaced
	for i, line := range p.lines {
		if i > end {
			out = append(out, line)
		} else if i == end {
			out, end = append(out, line), -1
		}
		if lines, ok := s.printed[i]; ok {
			out = append(out, lines...)
			for _, b := range p.blocks(t) {
				if b.from == i {
					end = b.to
				}
			}
		}
	}
	path := filepath.Join(repository(t), filepath.FromSlash(p.path))
	if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
