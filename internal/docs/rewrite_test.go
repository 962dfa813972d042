package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExamplesRewrite holds that loopxctl makes of each example's Dockerfile the
// Dockerfile.secure that lies beside it, and has nothing to change in that. An
// image of the frontend itself fetches nothing.
func TestExamplesRewrite(t *testing.T) {
	loopxctl := filepath.Join(build(t), "loopxctl")
	root := filepath.Join(repository(t), "examples")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "image") {
			return fs.SkipDir
		}
		if d.Name() == "Dockerfile" {
			seen++
			checkSecure(t, loopxctl, path)
		}
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d Dockerfiles, %v", seen, err)
	}
}

func checkSecure(t *testing.T, loopxctl, dockerfile string) {
	t.Helper()
	secure, golden := filepath.Join(t.TempDir(), "Dockerfile.secure"), dockerfile+".secure"
	for _, step := range []struct {
		code int
		args []string
	}{
		{1, []string{"rewrite", "--check", "--apt=ignore", dockerfile}},
		{0, []string{"rewrite", "--apt=ignore", "-o", secure, dockerfile}},
		{0, []string{"rewrite", "--check", "--apt=ignore", secure}},
		{0, []string{"check", dockerfile}},
	} {
		cmd := exec.CommandContext(t.Context(), loopxctl, step.args...)
		cmd.Env = []string{}
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != step.code {
			t.Errorf("loopxctl %q: exit code %d, want %d (%v)\n%s", step.args, got, step.code, err, out)
		}
	}
	got, err := os.ReadFile(secure)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		err = os.WriteFile(golden, got, 0o644)
	}
	want, readErr := os.ReadFile(golden)
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-there +now):\n%s", golden, diff)
	}
}
