package ci_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPresets holds that the files for presets are what the program makes of their
// loopx.yaml. -update writes them.
func TestPresets(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 64)
	pinned := []string{"--archive", "https://artifacts.example.com/loopx/v1.2.3/loopxctl_v1.2.3_linux_amd64.tar.gz", "--sha256", zeros}
	root := t.TempDir() // the file is meant for the root of a repository
	config, err := os.ReadFile(filepath.Join("presets", "loopx.yaml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "loopx.yaml"), config, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	inGitLab := append([]string{"--image", "registry.example.com/ci/debian@sha256:" + zeros}, pinned...)
	for _, tc := range []struct {
		preset, target, file string
		flags                []string
	}{
		{"security", "github-actions", "loopx-security.yml", pinned},
		{"dependency-sweeper", "github-actions", "loopx-dependency-sweeper.yml", pinned},
		{"security", "gitlab-ci", "loopx-security.gitlab-ci.yml", inGitLab},
	} {
		got := loopxctl(t, root, append([]string{"preset", "render", tc.preset, "--for", tc.target}, tc.flags...)...)
		if got.Code != 0 {
			t.Fatalf("%s: exit code %d\n%s", tc.file, got.Code, got.Stderr)
		}
		name := filepath.Join("presets", tc.file)
		if *update {
			if err := os.WriteFile(name, []byte(got.Stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.Stdout); diff != "" {
			t.Errorf("%s (-file +rendered):\n%s", name, diff)
		}
	}
}
