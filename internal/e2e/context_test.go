package e2e

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestDockerfileFrom builds a Dockerfile from where a client can have it.
func TestDockerfileFrom(t *testing.T) {
	ours := testbed.FrontendImage(t)
	const (
		plain   = "FROM scratch\nADD http://HOST/add /add\n"
		copying = plain + "COPY sub/file /file\n"
	)
	for name, c := range map[string]struct {
		files   map[string]string
		stdin   string
		archive map[string]string // stdin, as a tar file
		args    []string
	}{
		"stdin with a context": {files: map[string]string{"sub/file": "x"}, stdin: copying, args: []string{"-f", "-", "."}},
		"stdin alone":          {stdin: plain, args: []string{"-"}},
		"a folder below":       {files: map[string]string{"sub/file": "x", "deploy/prod/Dockerfile": copying}, args: []string{"-f", "deploy/prod/Dockerfile", "."}},
		"another name":         {files: map[string]string{"sub/file": "x", "app.Dockerfile": copying}, args: []string{"--file=app.Dockerfile", "."}},
		"a folder above":       {files: map[string]string{"sub/file": "x", "Dockerfile": plain}, args: []string{"-f", "Dockerfile", "sub"}},
		"a tar on stdin":       {archive: map[string]string{"sub/file": "x", "Dockerfile": copying}, args: []string{"-"}},
		"a tar by name":        {archive: map[string]string{"sub/file": "x", "deploy/Dockerfile": copying}, args: []string{"-f", "deploy/Dockerfile", "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, testbed.MirrorOptions{})
			run := call{dir: folder(t, expanded(h, ours, c.files)), stdin: c.stdin}
			if c.stdin != "" {
				run.stdin = syntax(ours, h.expand(c.stdin))
			}
			if c.archive != nil {
				run.stdin = archive(t, expanded(h, ours, c.archive))
			}
			out := t.TempDir()
			run.build(t, append([]string{"build", "--no-cache", "--output=" + out}, c.args...)...)
			h.checkOverTLS(t, "/add")
			checkFile(t, filepath.Join(out, "add"), "by ADD\n")
		})
	}
}

// expanded completes the Dockerfiles among files.
func expanded(h *host, frontend string, files map[string]string) map[string]string {
	done := map[string]string{}
	for name, text := range files {
		if strings.Contains(name, "Dockerfile") {
			text = syntax(frontend, h.expand(text))
		}
		done[name] = text
	}
	return done
}

// archive is a tar file of these files.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

// TestNamedContexts: a folder, and an image in the place of the one that FROM
// names. The replaced base is given the CA like any other.
func TestNamedContexts(t *testing.T) {
	t.Parallel()
	base := testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{})
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand(`FROM registry.invalid/never:1 AS build
RUN curl -fsS http://HOST/curl -o /curl
FROM scratch
COPY --from=build /curl /curl
COPY --from=more /file /file
ADD http://HOST/add /add
`)))
	out := t.TempDir()
	c.build(t, "build", "--no-cache", "--output="+out, withCA(t, h.CA),
		"--build-context=more="+folder(t, map[string]string{"file": "in a named context\n"}),
		"--build-context=registry.invalid/never:1=docker-image://"+base.Ref, ".")
	h.checkOverTLS(t, "/add", "/curl")
	for name, want := range map[string]string{"curl": "by curl\n", "file": "in a named context\n", "add": "by ADD\n"} {
		checkFile(t, filepath.Join(out, name), want)
	}
}

// newTwoFaced returns a host that serves a build context under /context.tar. In
// it is a file called which, with the word "clear" or "tls" by how it was
// fetched. secure is what TLS gives.
func newTwoFaced(t *testing.T) (h *host, secure string) {
	t.Helper()
	face := func(word string) string {
		return archive(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY which /\n", "which": word})
	}
	insecure, secure := face("clear"), face("tls")
	return newHost(t, testbed.MirrorOptions{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path != "/context.tar":
				http.NotFound(w, r)
			case r.TLS == nil:
				fmt.Fprint(w, insecure)
			default:
				fmt.Fprint(w, secure)
			}
		}),
	}), secure
}

// TestRemoteNamedContext: the address of a named context is moved.
func TestRemoteNamedContext(t *testing.T) {
	t.Parallel()
	h, secure := newTwoFaced(t)
	out := t.TempDir()
	c := callOf(t, syntax(testbed.FrontendImage(t), "FROM scratch\nCOPY --from=more context /\n"))
	log := c.build(t, "build", "--no-cache", "--output="+out, h.expand("--build-context=more=http://HOST/context.tar"), ".")
	h.checkOverTLS(t, "/context.tar")
	checkFile(t, filepath.Join(out, "context"), secure)
	checkContains(t, log, h.expand("http://HOST/context.tar (1 fetch over TLS)\n"))
}

// TestRemoteContext: what is built came over TLS. Called as a syntax, the
// daemon has looked for a syntax line in the context before us, in clear text;
// called directly, nobody has.
func TestRemoteContext(t *testing.T) {
	ours := testbed.FrontendImage(t)
	t.Run("buildx", func(t *testing.T) {
		t.Parallel()
		h, _ := newTwoFaced(t)
		out := t.TempDir()
		call{}.build(t, "build", by(ours), "--no-cache", "--output="+out, h.expand("http://HOST/context.tar"))
		checkEqual(t, "over TLS", []string{"/context.tar"}, h.overTLS())
		checkFile(t, filepath.Join(out, "which"), "tls")
	})
	t.Run("gateway", func(t *testing.T) {
		t.Parallel()
		h, _ := newTwoFaced(t)
		out := t.TempDir()
		got := testbed.Buildctl(t, t.TempDir(), nil, "build", "--progress=plain", "--no-cache", "--frontend=gateway.v0",
			"--opt=source="+ours, h.expand("--opt=context=http://HOST/context.tar"), "--output=type=local,dest="+out)
		if got.Code != 0 {
			t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
		}
		h.checkOverTLS(t, "/context.tar")
		checkFile(t, filepath.Join(out, "which"), "tls")
	})
}
