package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// bootstrapped is what loopxctl bootstrap prints.
type bootstrapped struct {
	Decision string
	Blocker  struct{ Kind, Command, Package, Message string }
	User     string
	Commands []struct {
		Name, Path string
		Found      bool
	}
	ImageID string `json:"image_id"`
}

// bootstrap runs loopxctl bootstrap on the daemon of the test bed, with the
// archive's certificates, and returns the result.
func bootstrap(t *testing.T, archive *testbed.Mirror, code int, args ...string) (result bootstrapped, progress string) {
	t.Helper()
	return bootstrapOn(t, "BUILDKIT_HOST="+testbed.Buildkitd(t).Addr, archive, code, args...)
}

// bootstrapOn is bootstrap on the daemon that a variable names.
func bootstrapOn(t *testing.T, daemon string, archive *testbed.Mirror, code int, args ...string) (result bootstrapped, progress string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), append([]string{
		"bootstrap", "--execute", "--progress=plain", "--ca", filepath.Join(archive.CA.Dir(t), "ca.crt"),
	}, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
		daemon, "LOOPX_FRONTEND_IMAGE=" + testbed.MountImage(t),
	}
	got := testbed.Run(t, cmd)
	if err := json.Unmarshal([]byte(got.Stdout), &result); err != nil || got.Code != code {
		t.Fatalf("loopxctl bootstrap %q: exit code %d, want %d (%v)\n%s%s", args, got.Code, code, err, got.Stdout, got.Stderr)
	}
	return result, got.Stderr
}

// TestBootstrap derives runner images from real bases, with the real packages.
func TestBootstrap(t *testing.T) { // not parallel: one test at a time has the archive
	base := testbed.Base(t, "bookworm")
	testbed.Ubuntu(t, "noble")
	archive := testbed.Archive(t)
	bench := testbed.Registry(t).Push(t, "tasks/bench:1", asUser(t, base.Image, "www-data:www-data"))
	t.Run("not root's", func(t *testing.T) { testBootstrapUser(t, archive, bench) })
	t.Run("as a text", func(t *testing.T) { testBootstrapText(t, archive, bench) })
	t.Run("Ubuntu", func(t *testing.T) { testBootstrapUbuntu(t, archive) })
	t.Run("a command is missing", func(t *testing.T) { testBootstrapMissing(t, archive, bench) })
	t.Run("deadline", func(t *testing.T) { testBootstrapDeadline(t, archive) })
	t.Run("Docker engine", func(t *testing.T) { testBootstrapEngine(t, archive) })
	t.Run("a package is missing", func(t *testing.T) { testBootstrapPackage(t, archive) })
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))
	if len(archive.TLSHits()) == 0 {
		t.Error("nothing came over TLS")
	}
}

// asUser is the image as one that runs as a user.
func asUser(t *testing.T, img v1.Image, user string) v1.Image {
	t.Helper()
	config := configOf(t, img).DeepCopy()
	config.Config.User = user
	img, err := mutate.Config(img, config.Config)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// testBootstrapUser: tmux and asciinema are there for the image's own user, who is
// still its user; nothing of apt is left, and none of the check's places.
func testBootstrapUser(t *testing.T, archive *testbed.Mirror, source string) {
	target := testbed.Registry(t).Ref("runners/bench:1")
	got, progress := bootstrap(t, archive, 0, "--source-image", source, "--target-image", target, "--push")
	if got.Decision != "built" || got.User != "www-data:www-data" || len(got.Commands) != 2 || !strings.HasPrefix(got.ImageID, "sha256:") {
		t.Errorf("%+v", got)
	}
	for _, c := range got.Commands {
		if !c.Found || c.Path != "/usr/bin/"+c.Name {
			t.Errorf("%+v", c)
		}
	}
	checkContains(t, progress, "[check] look for tmux, asciinema")
	img := testbed.Registry(t).Image(t, "runners/bench:1")
	if user := configOf(t, img).Config.User; user != "www-data:www-data" {
		t.Errorf("the image's user is %q", user)
	}
	entries, _ := contentsBut(t, img, 1, withoutTime)
	for _, entry := range entries {
		if strings.Contains(entry, "loopx") || strings.Contains(entry, "var/lib/apt/lists/deb") {
			t.Errorf("the image has %s", entry)
		}
	}
}

// testBootstrapText: builders without the frontend build the text that is written
// beside a build. The command is there, over TLS, and the stage that looks for it
// does so.
func testBootstrapText(t *testing.T, archive *testbed.Mirror, source string) {
	dir := t.TempDir()
	bootstrap(t, archive, 0, "--source-image", source, "--apt-package", "tmux", "--output", filepath.Join(dir, "Dockerfile"), "--frontend-image", testbed.TrustingImage(t))
	text, err := os.ReadFile(filepath.Join(dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	checkContains(t, string(text), "\nUSER root\nRUN --mount=type=bind,from="+testbed.TrustingImage(t), "\nUSER www-data:www-data\n")
	archive.Reset()
	for _, b := range textBuilders(t) {
		img := b.image(t, dir, "Dockerfile", "runners/by-"+b.name+":1")
		if user := configOf(t, img).Config.User; user != "www-data:www-data" {
			t.Errorf("%s: the image's user is %q", b.name, user)
		}
		if !slices.ContainsFunc(fileList(t, img), func(entry string) bool { return strings.Contains(entry, "usr/bin/tmux") }) {
			t.Errorf("%s: the image has no tmux", b.name)
		}
	}
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))
	if len(archive.TLSHits()) == 0 {
		t.Error("nothing came over TLS")
	}
	broken := callOf(t, strings.ReplaceAll(string(text), "for c in tmux", "for c in no-such-command"))
	checkContains(t, broken.fails(t, "build", by(testbed.StockImage(t)), "--target=check", "."), "the image has no command no-such-command")
}

// testBootstrapUbuntu: the same with Ubuntu's archive.
func testBootstrapUbuntu(t *testing.T, archive *testbed.Mirror) {
	got, _ := bootstrap(t, archive, 0, "--source-image", "ubuntu:noble", "--apt-package", "tmux", "--apt-package", "zip", "--required-command", "/usr/bin/tmux", "--required-command", "zip")
	if got.Decision != "built" || got.User != "" || len(got.Commands) != 2 || !got.Commands[0].Found || got.Commands[1].Path != "/usr/bin/zip" {
		t.Errorf("%+v", got)
	}
}

// testBootstrapMissing: the first command that is missing is named, and nothing
// is pushed or written. A file that may not be executed is no command.
func testBootstrapMissing(t *testing.T, archive *testbed.Mirror, source string) {
	target := testbed.Registry(t).Ref("runners/blocked:1")
	file := filepath.Join(t.TempDir(), "Dockerfile.secure")
	got, progress := bootstrap(t, archive, 1, "--source-image", source, "--target-image", target, "--push", "--output", file, "--frontend-image", testbed.TrustingImage(t),
		"--apt-package", "tmux", "--required-command", "tmux", "--required-command", "/etc/passwd", "--required-command", "rg")
	if got.Decision != "blocked" || got.Blocker.Kind != "command" || got.Blocker.Command != "/etc/passwd" || !got.Commands[0].Found || got.Commands[1].Found || got.Commands[2].Found {
		t.Errorf("%+v", got)
	}
	checkContains(t, progress, ": the image has no command /etc/passwd\n")
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s: %v", file, err)
	}
	ref, err := name.ParseReference(target)
	if err != nil {
		t.Fatal(err)
	}
	if pushed, err := remote.Head(ref, remote.WithContext(t.Context())); err == nil {
		t.Errorf("the registry has %v", pushed)
	}
	got, _ = bootstrap(t, archive, 1, "--source-image", source, "--apt-package", "tmux", "--required-command", "rg")
	if got.Blocker.Package != "ripgrep" || !strings.HasSuffix(got.Blocker.Message, "add --apt-package ripgrep") {
		t.Errorf("%+v", got)
	}
}

// testBootstrapPackage: a name that is no package is not taken for a pattern.
func testBootstrapPackage(t *testing.T, archive *testbed.Mirror) {
	got, progress := bootstrap(t, archive, 1, "--source-image", "debian:bookworm-slim", "--apt-package", "libc6.dev")
	if got.Decision != "blocked" || got.Blocker.Kind != "build" || len(got.Commands) != 0 {
		t.Errorf("%+v", got)
	}
	checkContains(t, progress, "E: Unable to locate package libc6.dev")
}

// testBootstrapDeadline: a mirror that says nothing ends the build in time.
func testBootstrapDeadline(t *testing.T, archive *testbed.Mirror) {
	h := newHost(t, testbed.MirrorOptions{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })})
	mirror := "https://" + h.name + "/debian"
	got, progress := bootstrap(t, archive, 1, "--source-image", "debian:bookworm-slim", "--deadline", "2s", "--apt-mirror", mirror, "--security-mirror", mirror+"-security")
	if got.Decision != "blocked" || got.Blocker.Kind != "build" || got.Commands[0].Found {
		t.Errorf("%+v", got)
	}
	checkContains(t, progress, "exit code: 124")
	checkEqual(t, "in clear text", nil, h.clear())
}

// testBootstrapEngine: on a Docker engine's own BuildKit the image is in the engine,
// unless it is blocked.
func testBootstrapEngine(t *testing.T, archive *testbed.Mirror) {
	engine := testbed.Dockerd(t)
	has := func(image string) bool {
		return testbed.Run(t, engine.Command(t, "image", "inspect", image)).Code == 0
	}
	args := []string{"--network=host", "--source-image", "debian:bookworm-slim", "--apt-package", "zip", "--target-image"}
	got, _ := bootstrapOn(t, "DOCKER_HOST="+engine.Host, archive, 0, append(args, "runner:1")...)
	if got.Decision != "built" || got.Commands[0].Path != "/usr/bin/zip" || !has("runner:1") {
		t.Errorf("%+v", got)
	}
	got, _ = bootstrapOn(t, "DOCKER_HOST="+engine.Host, archive, 1, append(args, "blocked:1", "--required-command", "rg")...)
	if got.Decision != "blocked" || has("blocked:1") {
		t.Errorf("%+v", got)
	}
}
