package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// TestRelease carries the files of a release to where there is nothing else, as
// docs/air-gap.md says: into a registry, and without one.
func TestRelease(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	r := newRelease(t)
	build := func(name string, run func(t *testing.T, h *host, c call) testbed.Output) {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, testbed.MirrorOptions{})
			c := callOf(t, syntax(foreign, h.expand("FROM debian:bookworm-fetchers\nADD http://HOST/add /add\nRUN curl -fsS http://HOST/curl -o /curl\n")))
			if got := run(t, h, c); got.Code != 0 {
				t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
			}
			h.checkOverTLS(t, "/add", "/curl")
		})
	}
	build("from a registry", func(t *testing.T, h *host, c call) testbed.Output {
		return c.buildx(t, "build", "--no-cache", by(r.push(t)), withCA(t, h.CA), ".")
	})
	build("from a folder", func(t *testing.T, h *host, c call) testbed.Output {
		return c.buildx(t, "build", "--no-cache", by("loopx-frontend"), "--build-context=loopx-frontend=oci-layout://"+r.layout+"@"+r.digest, withCA(t, h.CA), ".")
	})
	t.Run("by the text that it writes", func(t *testing.T) { testReleaseText(t, r) })
	build("by the program beside it", func(t *testing.T, h *host, c call) testbed.Output {
		cmd := exec.CommandContext(t.Context(), r.program, "build", "--no-cache", "--progress=plain", "--build-context=loopx-ca="+h.CA.Dir(t), ".")
		cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "BUILDKIT_HOST="+testbed.Buildkitd(t).Addr)
		return testbed.Run(t, cmd)
	})
}

// testReleaseText: the program knows the image of its release, by the digest, and
// what it writes builds with it.
func testReleaseText(t *testing.T, r release) {
	dir := folder(t, map[string]string{
		"run.sh":     "#!/bin/sh\n",
		"Dockerfile": "FROM debian:bookworm-fetchers\nCOPY --chmod=755 run.sh /\nRUN test -x /dev/.loopx/apt/method && /run.sh\n",
	})
	text := shell(t, dir, r.program, "rewrite")
	checkContains(t, text, "from="+testbed.Registry(t).Ref("release/loopx-frontend")+"@"+r.digest+",source=/loopx/run,target=/dev/.loopx export ")
	writeFile(t, filepath.Join(dir, "Dockerfile"), []byte(text))
	call{dir: dir}.build(t, "build", by(testbed.StockImage(t)), "--no-cache", ".")
}

// release is one that was unpacked.
type release struct {
	program string // loopxctl
	layout  string // the frontend's image, in a folder beside the program
	digest  string
}

// newRelease makes a release for this machine alone, checks and unpacks it.
func newRelease(t *testing.T) release {
	t.Helper()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	noteSources(root)
	out, platform := filepath.Join(t.TempDir(), "dist"), testbed.HostPlatform().String()
	shell(t, root, "go", "run", "./internal/cmd/dist", "-out", out, "-version", "test",
		"-image", testbed.Registry(t).Ref("release/loopx-frontend"), "-platforms", platform, "-frontends", platform, "-targets", platform)
	shell(t, out, "sha256sum", "--quiet", "-c", "SHA256SUMS")
	archive := "loopxctl_test_" + strings.ReplaceAll(platform, "/", "_")
	shell(t, out, "tar", "-xzf", archive+".tar.gz")
	r := release{program: filepath.Join(out, archive, "loopxctl"), layout: filepath.Join(out, archive, "loopx-frontend")}
	shell(t, out, "mkdir", r.layout)
	shell(t, out, "tar", "-xf", "loopx-frontend_test.oci.tar", "-C", r.layout)
	r.digest = strings.TrimSpace(shell(t, out, "cat", "loopx-frontend_test.digest"))
	return r
}

// noteSources looks at what the release is made of, for the cache of go test: it
// does not see what other programs read.
func noteSources(root string) {
	for _, dir := range []string{"go.mod", "cmd", "frontend", "internal/cmd", "internal/image", "policy", "rewrite"} {
		_ = filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, _ error) error {
			_, _ = os.Stat(path)
			return nil
		})
	}
}

// push pushes the image as `crane push FOLDER` does, and returns the reference by
// its digest.
func (r release) push(t *testing.T) string {
	t.Helper()
	outer, err := layout.ImageIndexFromPath(r.layout)
	if err != nil {
		t.Fatal(err)
	}
	index, err := outer.ImageIndex(manifestOf(t, outer).Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(testbed.Registry(t).Ref("release/loopx-frontend:1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, index, remote.WithContext(t.Context())); err != nil {
		t.Fatal(err)
	}
	got, err := remote.Head(ref, remote.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "digest", r.digest, got.Digest.String())
	return ref.Context().Digest(r.digest).String()
}

// shell runs a program that must succeed and returns what it printed.
func shell(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	got := testbed.Run(t, cmd)
	if got.Code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", strings.Join(argv, " "), got.Code, got.Stdout, got.Stderr)
	}
	return got.Stdout
}
