package frontend

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// tools are commands that fetch from the mirror and fail if the server can't be
// verified.
var tools = map[string]string{
	"curl":    `curl -fsS http://downloads.example.org/x`,
	"wget":    `wget -q -O- http://downloads.example.org/x`,
	"git":     `git ls-remote http://git.example.org/r.git`,
	"python":  `python3 -c "import urllib.request as u; u.urlopen('http://downloads.example.org/x')"`,
	"openssl": `curl -fsS http://downloads.example.org/x && openssl s_client -brief -verify_return_error -connect downloads.example.org:443 </dev/null`,
	"go":      `/gofetch http://downloads.example.org/x`,
}

// image is the start of a Dockerfile and the files that it copies.
type image struct {
	dockerfile string
	files      map[string]string
}

// each runs every tool in the image, with ca as the operator's. The image's own
// steps come from the cache; a RUN whose bundle holds a new CA doesn't.
func each(t *testing.T, base image, ca *testbed.CA, m *testbed.Mirror, check func(t *testing.T, log string, err error)) {
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t.Run(name, func(t *testing.T) {
			b := testbed.Build{
				Func: inProcess(t).Build, Dockerfile: base.dockerfile + "RUN " + tools[name] + "\n", Files: base.files,
				// The image is made with apt, from the real archive.
				Attrs: map[string]string{"build-arg:LOOPX_APT": "off"},
			}
			if ca != nil {
				b.Contexts = map[string]string{"loopx-ca": ca.Dir(t)}
			}
			res, err := testbed.Buildkitd(t).Build(t, b)
			check(t, res.Log, err)
		})
	}
	if hits := m.ClearHits(); len(hits) > 0 {
		t.Errorf("in clear text: %v", hits)
	}
}

func mustSucceed(t *testing.T, log string, err error) {
	if err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}

func mustFail(t *testing.T, log string, err error) {
	if err == nil {
		t.Errorf("the server was trusted\n%s", log)
	}
}

// withTools is an image with all tools and no certificate authority.
func withTools(t *testing.T, suite string) image {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "gofetch")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./testdata/gofetch")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	return image{"FROM " + testbed.Fetchers(t, suite).Ref + `
RUN apt-get update && apt-get install -y --no-install-recommends openssl python3 && test ! -e /etc/ssl/certs/ca-certificates.crt
COPY --chmod=755 gofetch /gofetch
`, map[string]string{"gofetch": string(program)}}
}

// withRoot adds ca to the image's own store, as an administrator does.
func (i image) withRoot(ca *testbed.CA) image {
	files := maps.Clone(i.files)
	files["own.crt"] = string(ca.PEM)
	return image{i.dockerfile + `
RUN apt-get install -y --no-install-recommends ca-certificates
COPY own.crt /usr/local/share/ca-certificates/
RUN update-ca-certificates
`, files}
}

// suites have different versions of each program: bullseye's wget and curl are
// five years older than trixie's.
var suites = []string{"bullseye", "bookworm", "trixie"}

// TestBundleIsTrusted: the image has no certificate authority at all. An image
// that has its own trusts the bundle beside it.
func TestBundleIsTrusted(t *testing.T) {
	for _, suite := range suites {
		t.Run(suite, func(t *testing.T) {
			m := newMirror(t)
			each(t, withTools(t, suite), m.CA, m, mustSucceed)
			each(t, withTools(t, suite).withRoot(testbed.NewCA(t, "only in the image")), m.CA, m, mustSucceed)
		})
	}
}

// TestImagesOwnRootIsTrustedToo: a root that only the image has verifies while
// the bundle is mounted.
func TestImagesOwnRootIsTrustedToo(t *testing.T) {
	for _, suite := range suites {
		t.Run(suite, func(t *testing.T) {
			ca := testbed.NewCA(t, "only in the image")
			m := testbed.NewMirror(t, testbed.MirrorOptions{
				CA: ca, Names: []string{"downloads.example.org", "git.example.org"},
				Files: map[string]string{"/x": "hello\n"}, Repos: map[string]map[string]string{"/r.git": {"file": "x"}},
			})
			each(t, withTools(t, suite).withRoot(ca), testbed.NewCA(t, "another"), m, mustSucceed)
			checkMoved(t, m, "/x", "/r.git")
		})
	}
}

// TestUnknownRootIsRefused: neither the image nor the bundle has the root.
func TestUnknownRootIsRefused(t *testing.T) {
	m := newMirror(t)
	each(t, withTools(t, "bookworm"), testbed.NewCA(t, "another"), m, mustFail)
	each(t, withTools(t, "bookworm"), nil, m, mustFail)
	if hits := m.TLSHits(); len(hits) > 0 {
		t.Errorf("requests were made: %v", hits)
	}
}

func hitPaths(m *testbed.Mirror) []string {
	var out []string
	for _, h := range m.TLSHits() {
		out = append(out, h.Path)
	}
	return out
}
