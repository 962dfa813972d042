package bootstrap

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none: its texts are pages of the command.
var _ = flag.Bool("update", false, "rewrite golden files")

func spec(change func(*Spec)) Spec {
	s := Spec{Source: "debian", Retries: Retries, Timeout: Timeout, Deadline: Deadline}
	change(&s)
	return s
}

// What no flag may hold: what a line of a Dockerfile, a shell, apt, a terminal or
// a path reads as more than a name.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a\nRUN id", "a\r", "a b", "a;id", "a$(id)", "a`id`", "a'b", `a"b`, "a\\", "a&", "a|b", "a>b", "a#", "-a", "a\x00", "\x1b[2J", "a\u202e", "é",
		"a\t", "a*", "a?", "[a]", "~a", "a!", "{a,b}", "a^", strings.Repeat("a", 300) + "/",
	} {
		for name, s := range map[string]Spec{
			"source":  spec(func(s *Spec) { s.Source = text }),
			"package": spec(func(s *Spec) { s.Packages = []string{text} }),
			"version": spec(func(s *Spec) { s.Packages = []string{"ab=1" + text} }),
			"command": spec(func(s *Spec) { s.Commands = []string{text} }),
			"user":    spec(func(s *Spec) { s.User, s.UserKnown = text, true }),
		} {
			if _, err := New(s); err == nil {
				switch {
				case name == "version" && (text == "-a" || text == "~a"): // as in 1-a, 1~a
				default:
					t.Errorf("%s %q is taken", name, text)
				}
			}
		}
	}
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"g++", "libstdc++6", "python3.11", "0ad", "libc6:arm64", "tmux=3.3a-3", "git=1:2.39.5-0+deb12u2", "vim:amd64=2:9.0~rc1"} {
		if _, err := New(spec(func(s *Spec) { s.Packages = []string{name} })); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"g++", "/usr/bin/python3.11", "a_b", "7z", "/x"} {
		if _, err := New(spec(func(s *Spec) { s.Commands = []string{name} })); err != nil {
			t.Error(err)
		}
	}
	for _, user := range []string{"", "0", "1000", "1000:1000", "www-data", "a.b:c", "machine$"} {
		if _, err := New(spec(func(s *Spec) { s.User, s.UserKnown = user, true })); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []time.Duration{0, -time.Second, time.Millisecond, 1500 * time.Millisecond, 25 * time.Hour} {
		if _, err := New(spec(func(s *Spec) { s.Deadline = bad })); err == nil {
			t.Errorf("a deadline of %s is taken", bad)
		}
	}
}

// A user that an image's configuration names, and no name is, is not written down.
func TestWithUser(t *testing.T) {
	t.Parallel()
	s := spec(func(*Spec) {})
	if _, err := s.WithUser("a\nRUN id"); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	known, err := s.WithUser("bench")
	if err != nil || s.UserKnown || !strings.Contains(string(known.Dockerfile()), "USER bench\n") {
		t.Errorf("%v\n%s", err, known.Dockerfile())
	}
}

// What packages bring is required, in their order; of the packages that bring a
// command, an installed one is named.
func TestCommands(t *testing.T) {
	t.Parallel()
	got := CommandsOf([]string{"ripgrep:amd64=13.0.0-4", "libc6", "vim-tiny", "make", "build-essential"})
	if diff := cmp.Diff([]string{"rg", "vi", "make"}, got); diff != "" {
		t.Error(diff)
	}
	s := spec(func(s *Spec) { s.Packages = []string{"build-essential"} })
	for command, want := range map[string]string{
		"make":        "the image has no command make for its user, although the package build-essential is installed",
		"/usr/bin/rg": "the image has no command /usr/bin/rg: add --apt-package ripgrep",
		"frobnicate":  "the image has no command frobnicate",
	} {
		if got := s.missing(command).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, r := range table() {
		if !packageName.MatchString(r.name) || !commandName.MatchString(r.command) {
			t.Errorf("%+v", r)
		}
	}
}

// BuildKit reads the text as three stages, of which the last is the runner.
func TestStages(t *testing.T) {
	t.Parallel()
	s, err := New(spec(func(s *Spec) { s.User, s.UserKnown = "bench$", true }))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(strings.NewReader(string(s.Dockerfile())))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(parsed.AST, linter.New(&linter.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	var names, users []string
	for _, stage := range stages {
		names = append(names, stage.BaseName+" AS "+stage.Name)
		for _, c := range stage.Commands {
			if user, ok := c.(*instructions.UserCommand); ok {
				users = append(users, user.User)
			}
		}
	}
	if diff := cmp.Diff([]string{"debian AS runner", "runner AS check", "runner AS "}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"root", `bench\$`}, users); diff != "" {
		t.Error(diff)
	}
}

// TestResult holds what no page can: results of builds.
func TestResult(t *testing.T) {
	t.Parallel()
	s, err := New(spec(func(*Spec) {}))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	b := &Build{Spec: s, Found: map[string]string{"tmux": "/usr/bin/\x1b[31mtmux", "asciinema": ""}}
	r := NewResult(b, s.missing("asciinema"))
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	want := "tmux       /usr/bin/\\x1b[31mtmux\nasciinema  missing\nblocked: the image has no command asciinema for its user, although the package asciinema is installed\n"
	if text.String() != want || r.Blocker.Kind != "command" {
		t.Errorf("%q, want %q", text.String(), want)
	}
	b.Found["asciinema"] = "/usr/bin/asciinema"
	if r := NewResult(b, nil); r.Decision != Built || r.Blocker != nil || !*r.Commands[1].Found {
		t.Errorf("%+v", r)
	}
	b.Found = nil
	r = NewResult(b, s.checkPackages())
	if r.Decision != Written || r.Commands[0].Found != nil {
		t.Errorf("%+v", r)
	}
}
