package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// action is action.yml, as far as the runner reads it.
type action struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct {
		Description, Default string
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run string
			WorkingDirectory     string `yaml:"working-directory"`
			Env                  map[string]string
		}
	}
}

// TestAction runs the step of the action that reviews, as a runner does: it fails
// for a change that blocks, and says the verdict either way. The report of another
// use in the same job is none of its own.
func TestAction(t *testing.T) {
	t.Parallel()
	var a action
	read(t, "../../action.yml", &a)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 {
		t.Fatalf("%+v", a.Runs)
	}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression in a script: what stands for it would be run", step.Name)
		}
	}
	for _, want := range []struct {
		dockerfile, base string
		code             int
		verdict          string
	}{
		{"FROM debian\n", "refs/remotes/origin/main", 0, "APPROVE"},
		{"FROM debian\nRUN curl -k https://www.gnu.org/\n", "refs/remotes/origin/main", 1, "REQUEST_CHANGES"},
		{"FROM debian\n", "refs/remotes/origin/none", 3, ""},
	} {
		temp := t.TempDir()
		if err := os.MkdirAll(filepath.Join(temp, "loopxctl-bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(testbed.Loopxctl(t), filepath.Join(temp, "loopxctl-bin", "loopxctl")); err != nil {
			t.Fatal(err)
		}
		output := filepath.Join(temp, "output")
		for name, text := range map[string]string{"output": "", "loopx-review.json": "{\n  \"verdict\": \"APPROVE\",\n}\n"} {
			if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", a.Runs.Steps[1].Run)
		cmd.Dir = pushed(t, want.dockerfile)
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + temp, "RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + output,
			"BASE=" + want.base, "HEAD=HEAD", "TARGET=main", "PUBLIC=true", "PRIVATE=" + filepath.Join(temp, "private.json"),
		}
		got := testbed.Run(t, cmd)
		told, err := os.ReadFile(output)
		outputs := ""
		if want.verdict != "" {
			outputs = "report=" + temp + "/loopx-review.json\nverdict=" + want.verdict + "\n"
		}
		if err != nil || got.Code != want.code || string(told) != outputs {
			t.Errorf("%q against %s: exit code %d, want %d; %v %q\n%s%s", want.dockerfile, want.base, got.Code, want.code, err, told, got.Stdout, got.Stderr)
		}
	}
}

// TestActionInstalls holds that the action takes no archive without its checksum,
// nor in clear text.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	var a action
	read(t, "../../action.yml", &a)
	for archive, sum := range map[string]string{
		"https://artifacts.example.com/x.tar.gz": "", "http://artifacts.example.com/x.tar.gz": strings.Repeat("0", 64), "file:///etc/passwd": strings.Repeat("0", 64),
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", a.Runs.Steps[0].Run)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + t.TempDir(), "ARCHIVE=" + archive, "SHA256=" + sum}
		if got := testbed.Run(t, cmd); got.Code != 2 || !strings.HasPrefix(got.Stdout, "::error::") {
			t.Errorf("%s: exit code %d\n%s%s", archive, got.Code, got.Stdout, got.Stderr)
		}
	}
}
