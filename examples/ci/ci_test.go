// Package ci_test checks the pipelines and the hooks of pre-commit: that their
// commands are those of the program, and that they take nothing that is not
// pinned.
package ci_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
	"github.com/loopx/loopx-frontend/policy/review/queue"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens.
var update = flag.Bool("update", false, "rewrite the files in presets")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testbed.Main(m))
}

// hook is one in .pre-commit-hooks.yaml.
type hook struct {
	ID, Name, Description, Entry, Language, Files, Exclude string
	PassFilenames                                          *bool `yaml:"pass_filenames"`
	AlwaysRun                                              bool  `yaml:"always_run"`
	Stages                                                 []string
}

func hooks(t *testing.T) []hook {
	t.Helper()
	var all []hook
	read(t, "../../.pre-commit-hooks.yaml", &all)
	return all
}

// read reads a YAML file. A key that v does not know is an error.
func read(t *testing.T, path string, v any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestHooks runs each hook as pre-commit does, over a file that is clean and one
// that is not.
func TestHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"clean.Dockerfile":     "FROM debian\nRUN curl -fsS https://www.gnu.org/\n",
		"Dockerfile":           "FROM debian\nRUN curl -kfsS http://www.gnu.org/\n",
		"clean/pyproject.toml": "[project]\nname = \"x\"\nversion = \"1\"\n",
		"clean/loopx.yaml":     "database: {source: none}\n",
		"pyproject.toml":       "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"requests\"]\n",
		"loopx.yaml":           "database: {source: none}\nfloors: {requests: 2.32.4}\n",
	})
	reviewed := map[int]string{0: pushed(t, "FROM debian\n"), 1: pushed(t, "FROM debian\nRUN curl -k https://www.gnu.org/\n")}
	var ids []string
	for _, h := range hooks(t) {
		ids = append(ids, h.ID)
		if h.Language != "golang" || h.Name == "" || h.Description == "" {
			t.Errorf("%+v", h)
		}
		for file, want := range map[string]int{"clean.Dockerfile": 0, "Dockerfile": 1} {
			words, at := strings.Fields(h.Entry), dir
			switch {
			case h.AlwaysRun:
				at = reviewed[want]
			case h.PassFilenames == nil:
				words = append(words, file)
			case want == 0:
				at = filepath.Join(dir, "clean")
			}
			got := loopxctl(t, at, words[1:]...)
			if words[0] != "loopxctl" || got.Code != want {
				t.Errorf("%q: exit code %d, want %d\n%s%s", words, got.Code, want, got.Stdout, got.Stderr)
			}
		}
	}
	if want := []string{"loopxctl-check", "loopxctl-rewrite", "loopxctl-floors", "loopxctl-review"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

// pushed is a clone whose branch has a Dockerfile that origin's default branch has
// not.
func pushed(t *testing.T, dockerfile string) string {
	t.Helper()
	repo := gitbed.New(t)
	base := repo.Commit("main", "", gitbed.Files{"README.md": gitbed.Text("x\n")})
	repo.Git("update-ref", "refs/remotes/origin/main", base)
	repo.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	repo.Commit("topic", base, gitbed.Files{"Dockerfile": gitbed.Text(dockerfile)})
	repo.Git("symbolic-ref", "HEAD", "refs/heads/topic")
	return repo.Dir
}

// TestHookFiles holds that the hooks take for a Dockerfile what `loopxctl check
// -r` does.
func TestHookFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{
		"Dockerfile", "a/Dockerfile", "a/Dockerfile.dev", "a/Dockerfile-dev", "a/api.Dockerfile", "a/api.dockerfile",
		"Containerfile", "b/Containerfile.x", "b/x.containerfile", "c/dockerfile", "c/DOCKERFILE", "c/x.DOCKERFILE",
		"d/Dockerfile.dockerignore", "d/dockerfile.dev", "d/myDockerfile", "d/Dockerfile.d/readme", "d/.dockerignore", "d/docker-compose.yml",
	}
	files := map[string]string{}
	for _, name := range names {
		files[name] = "FROM scratch\n"
	}
	write(t, dir, files)
	out := loopxctl(t, dir, "check", "-r", "--format=json")
	var found struct{ Files []struct{ File string } }
	if err := json.Unmarshal([]byte(out.Stdout), &found); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
	var want []string
	for _, f := range found.Files {
		want = append(want, filepath.ToSlash(filepath.Clean(f.File)))
	}
	slices.Sort(want)
	for _, h := range hooks(t) {
		if h.PassFilenames != nil {
			continue
		}
		var got []string
		for _, name := range names {
			if regexp.MustCompile(h.Files).MatchString(name) && !regexp.MustCompile(h.Exclude).MatchString(name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-check -r +hook):\n%s", h.ID, diff)
		}
	}
}

var (
	command = regexp.MustCompile(`(?m)^loopxctl ([^|>&\n]+)`)
	pinned  = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	uses    = regexp.MustCompile(`(?m)^ *(?:- )?uses: *(\S+)`)
)

// TestWorkflows has actionlint read GitHub's workflows.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	actionlint, err := setup.Tool("actionlint")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("github*.yml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%q, %v", files, err)
	}
	got := testbed.Run(t, exec.CommandContext(t.Context(), actionlint, append([]string{"-no-color", "-shellcheck=", "-pyflakes="}, files...)...))
	if got.Code != 0 {
		t.Errorf("%s%s", got.Stdout, got.Stderr)
	}
}

// TestFields holds that the queue asks for all fields that loopxctl reads.
func TestFields(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("github-queue.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "--json "+queue.Fields+" ") {
		t.Errorf("it does not ask for %s", queue.Fields)
	}
}

// TestPipelines holds that the pipelines are YAML, that their shell is shell, that
// the program knows their commands and flags, and that actions and the frontend
// are pinned.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for file, commands := range map[string]int{"github.yml": 4, "gitlab.yml": 4, "github-review.yml": 0, "github-queue.yml": 1} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(data), -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned by commit", file, m[1])
			}
		}
		if builds := strings.Contains(string(data), "FRONTEND"); builds && !regexp.MustCompile(`FRONTEND: \S+@sha256:[0-9a-f]{64}\n`).Match(data) {
			t.Errorf("%s: the frontend is not pinned by digest", file)
		}
		shown := 0
		for _, script := range scripts(&doc) {
			if out, err := shell(t, script).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", file, err, out, script)
			}
			for _, m := range command.FindAllStringSubmatch(script, -1) {
				shown++
				if got := loopxctl(t, t.TempDir(), append(strings.Fields(strings.ReplaceAll(m[1], "||", "")), "--help")...); got.Code != 0 {
					t.Errorf("%s: loopxctl %s: %s", file, m[1], got.Stderr)
				}
			}
		}
		if shown != commands {
			t.Errorf("%s: %d commands of loopxctl, want %d", file, shown, commands)
		}
	}
}

// shell is a command that reads a script and does not run it.
func shell(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-n")
	cmd.Stdin = strings.NewReader(script)
	return cmd
}

// scripts are the values of run, script and before_script below a node.
func scripts(n *yaml.Node) []string {
	var all []string
	for i, c := range n.Content {
		isValue := n.Kind == yaml.MappingNode && i%2 == 1
		switch {
		case !isValue || !slices.Contains([]string{"run", "script", "before_script"}, n.Content[i-1].Value):
			all = append(all, scripts(c)...)
		case c.Kind == yaml.SequenceNode:
			for _, line := range c.Content {
				all = append(all, line.Value)
			}
		default:
			all = append(all, c.Value)
		}
	}
	return all
}

// loopxctl runs the program with nothing of this machine's environment.
func loopxctl(t *testing.T, dir string, args ...string) testbed.Output {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	return testbed.Run(t, cmd)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
