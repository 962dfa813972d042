package builder_test

import (
	"archive/tar"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Setenv("DOCKER_CONFIG", filepath.Join(os.DevNull, "none")) // not this user's proxies and credentials
	os.Exit(testbed.Main(m))
}

// write writes files into a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command is `loopxctl args…` in an environment that names no daemon, which env
// adds to. What RUNs are given is the image of the test bed's registry, where
// env has no other place.
func command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), args...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "DOCKER_HOST=unix:///no/such/docker.sock",
		"LOOPX_FRONTEND_IMAGE=" + testbed.MountImage(t),
	}, env...)
	return cmd
}

// onBuildkitd is command for the test bed's BuildKit.
func onBuildkitd(t *testing.T, args ...string) testbed.Output {
	t.Helper()
	return testbed.Run(t, command(t, []string{"BUILDKIT_HOST=" + testbed.Buildkitd(t).Addr}, args...))
}

func want(t *testing.T, got testbed.Output, code int, texts ...string) {
	t.Helper()
	missing := got.Code != code
	for _, text := range texts {
		missing = missing || !strings.Contains(got.Stdout+got.Stderr, text)
	}
	if missing {
		t.Errorf("exit code %d, want %d and %q; stdout:\n%s\nstderr:\n%s", got.Code, code, texts, got.Stdout, got.Stderr)
	}
}

// givenFolder is what RUNs are given as a folder, as mkimage -mount writes it.
func givenFolder(t *testing.T) string {
	t.Helper()
	testbed.MountImage(t)
	content := mutate.Extract(testbed.Registry(t).Image(t, "loopx-mount:1"))
	defer content.Close()
	dir := t.TempDir()
	var fail sync.Once
	testbed.EachEntry(t, content, func(h *tar.Header, r io.Reader) {
		if err := put(filepath.Join(dir, h.Name), h, r); err != nil {
			fail.Do(func() { t.Errorf("%s: %v", h.Name, err) })
		}
	})
	return dir
}

func put(name string, h *tar.Header, r io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return os.Symlink(h.Linkname, name)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	return os.Chmod(name, h.FileInfo().Mode().Perm())
}
