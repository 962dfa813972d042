package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// exampleToRun copies an example into a new folder called as, and returns it, with the
// PATH on which this program is loopxctl.
func exampleToRun(t *testing.T, example, as string) (dir, path string) {
	t.Helper()
	dir, bin := filepath.Join(t.TempDir(), as), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/"+example)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "loopxctl")); err != nil {
		t.Fatal(err)
	}
	return dir, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
}

// TestFloorsExample runs the boundary test of the example, and holds that it
// notices a floor that is too low.
func TestFloorsExample(t *testing.T) {
	t.Parallel()
	dir, path := exampleToRun(t, "python-service", "app")
	boundary := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "boundary.sh")
		cmd.Dir, cmd.Env = dir, []string{path}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const want = "setuptools 83.0.0 passes, 82.0.1 fails\n"
	if out, err := boundary(); err != nil || out != want {
		t.Errorf("%v, %q", err, out)
	}
	policy := filepath.Join(dir, "loopx.yaml")
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	writeTemp(t, policy, strings.Replace(string(text), "83.0.0", "82.0", 1))
	if out, err := boundary(); err == nil || !strings.Contains(out, "want 1") {
		t.Errorf("with the floor 82.0: %v, %q", err, out)
	}
}

// TestFloorsExampleHook holds that the hook runs a command that there is, for the
// files that matter, and that the workflow runs nobody else's code.
func TestFloorsExampleHook(t *testing.T) {
	t.Parallel()
	var hooks struct {
		Repos []struct {
			Hooks []struct {
				Entry, Files  string
				PassFilenames *bool `yaml:"pass_filenames"`
			}
		}
	}
	decode(t, ".pre-commit-config.yaml", &hooks)
	hook := hooks.Repos[0].Hooks[0]
	if hook.Entry != "loopxctl floors check" || hook.PassFilenames == nil || *hook.PassFilenames {
		t.Errorf("%+v", hook)
	}
	files := regexp.MustCompile(hook.Files)
	for name, want := range map[string]bool{
		"pyproject.toml": true, "docs/requirements.txt": true, "requirements-dev.in": true, "uv.lock": true, "loopx.yaml": true,
		"deploy/Dockerfile": true, "setup.cfg": true, "README.md": false, "src/main.py": false,
	} {
		if files.MatchString(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}

	var workflow struct {
		Jobs map[string]struct{ Steps []map[string]any }
	}
	decode(t, ".github/workflows/floors.yml", &workflow)
	steps := workflow.Jobs["check"].Steps
	var ran strings.Builder
	for _, step := range steps {
		if step["uses"] != nil {
			t.Errorf("%v", step)
		}
		ran.WriteString(fmt.Sprintln(step["run"]))
	}
	for _, command := range []string{"loopxctl floors update\n", "loopxctl floors check --format github\n", "./boundary.sh\n"} {
		if !strings.Contains(ran.String(), command) {
			t.Errorf("the workflow does not run %s", command)
		}
	}
}

// decode reads a YAML file of the example.
func decode(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../examples/python-service", name))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
