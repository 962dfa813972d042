package testbed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

const host = "downloads.example.org"

func TestRunOnBareBase(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	got := mustBuild(t, testbed.Build{Dockerfile: "FROM " + base.Ref + `
RUN test ! -e /etc/ssl/certs/ca-certificates.crt && . /etc/os-release && echo "codename=$VERSION_CODENAME"
`})
	if !strings.Contains(got.Log, "codename=bookworm") {
		t.Errorf("log:\n%s", got.Log)
	}
}

// The stock frontend fetches literal http:// URLs in clear text, with every
// tool, and the bed sees each of them.
func TestClearTextIsSeen(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := testbed.NewMirror(t, testbed.MirrorOptions{
		Files: map[string]string{"/add": "a", "/curl": "c", "/wget": "w"},
		Repos: map[string]map[string]string{"/repo.git": {"README": "hello\n"}},
	})
	mustBuild(t, testbed.Build{NoCache: true, Dockerfile: "FROM " + base.Ref + `
ADD http://downloads.example.org/add /add
ADD http://downloads.example.org/repo.git#main /repo
RUN curl -fsS http://downloads.example.org/curl && wget -q -O- http://downloads.example.org/wget && git clone -q --depth=1 http://downloads.example.org/repo.git /clone
`})
	if got := m.TLSHits(); len(got) != 0 {
		t.Errorf("over TLS: %v", got)
	}
	for _, path := range []string{"/add", "/curl", "/wget", "/repo.git/info/refs"} {
		if !hit(m.ClearHits(), path) {
			t.Errorf("no hit for %s in clear text: %v", path, m.ClearHits())
		}
	}
}

// ADD over TLS works in the daemon, which trusts the bed's CA; a RUN on a base
// without a bundle must fail, or the bed would prove nothing.
func TestTrust(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := testbed.NewMirror(t, testbed.MirrorOptions{
		Files: map[string]string{"/x": "hello"},
		Repos: map[string]map[string]string{"/repo.git": {"README": "hello\n"}},
	})
	dir := t.TempDir()
	mustBuild(t, testbed.Build{NoCache: true, OutputDir: dir, Dockerfile: `FROM scratch
ADD https://downloads.example.org/x /x
ADD https://downloads.example.org/repo.git#main /repo
`})
	for _, name := range []string{"x", "repo/README"} {
		if body, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(body), "hello") {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
	if got := m.ClearHits(); len(got) != 0 {
		t.Errorf("in clear text: %v", got)
	}
	result, err := testbed.Buildkitd(t).Build(t, testbed.Build{Dockerfile: "FROM " + base.Ref + `
RUN curl -sS https://downloads.example.org/x
`})
	if err == nil || !strings.Contains(result.Log, "certificate") {
		t.Errorf("a RUN without roots reached the TLS server: %v\n%s", err, result.Log)
	}
}

// A RUN resolves the names of mirrors and of Debian's archive and no others.
func TestNames(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	testbed.NewMirror(t, testbed.MirrorOptions{})
	got := mustBuild(t, testbed.Build{NoCache: true, Dockerfile: "FROM " + base.Ref + `
RUN getent hosts downloads.example.org && getent ahosts deb.debian.org && ! getent hosts example.com && ! getent hosts registry-1.docker.io
`})
	if !strings.Contains(got.Log, "127.") {
		t.Errorf("log:\n%s", got.Log)
	}
}

// Images are found under their Docker Hub names.
func TestHubNames(t *testing.T) {
	testbed.Base(t, "bookworm")
	mustBuild(t, testbed.Build{Dockerfile: "FROM debian:bookworm-slim\nRUN true\n"})
}

// Every base lacks a bundle, has /dev as official images do, and its apt reaches
// Debian's archive.
func TestBases(t *testing.T) {
	for _, suite := range []string{"bullseye", "bookworm", "trixie"} {
		t.Run(suite, func(t *testing.T) {
			bare := `
RUN . /etc/os-release && test "$VERSION_CODENAME" = ` + suite + ` && test -z "$(ls /etc/ssl/certs 2>/dev/null)" && ! dpkg -s ca-certificates
`
			mustBuild(t, testbed.Build{Dockerfile: "FROM " + testbed.Base(t, suite).Ref + bare + "RUN ! command -v curl && apt-get update\n"})
			mustBuild(t, testbed.Build{Dockerfile: "FROM " + testbed.Fetchers(t, suite).Ref + bare + "RUN curl -V && wget -V && git version\n"})
		})
	}
}

// So do Ubuntu's, whose archive is known where Archive stands.
func TestUbuntuBases(t *testing.T) {
	m := testbed.Archive(t)
	for _, suite := range []string{"xenial", "noble"} {
		mustBuild(t, testbed.Build{NoCache: true, Dockerfile: "FROM " + testbed.Ubuntu(t, suite).Ref + `
RUN . /etc/os-release && test "$VERSION_CODENAME$UBUNTU_CODENAME" = ` + map[string]string{"xenial": "xenial", "noble": "noblenoble"}[suite] + ` && test -z "$(ls /etc/ssl/certs 2>/dev/null)" && apt-get update
`})
	}
	if len(m.ClearHits()) == 0 || len(m.TLSHits()) > 0 {
		t.Errorf("in clear text: %v, over TLS: %v", m.ClearHits(), m.TLSHits())
	}
}

// A base can be a named context too.
func TestBaseAsNamedContext(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte("FROM base\nRUN grep bookworm /etc/os-release\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := testbed.Buildx(t, dir, nil, "build", "--build-context=base=oci-layout://"+testbed.Base(t, "bookworm").Layout, ".")
	if got.Code != 0 {
		t.Errorf("exit code %d\n%s", got.Code, got.Stderr)
	}
}

// The daemon's mounts are its own, so none can be left behind.
func TestMountsArePrivate(t *testing.T) {
	d := testbed.Buildkitd(t)
	mustBuild(t, testbed.Build{Dockerfile: "FROM " + testbed.Base(t, "bookworm").Ref + "\nRUN true\n"})
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(d.Log)
	if strings.Contains(string(mounts), dir) {
		t.Errorf("this process sees mounts under %s", dir)
	}
}

func mustBuild(t *testing.T, b testbed.Build) *testbed.Result {
	t.Helper()
	result, err := testbed.Buildkitd(t).Build(t, b)
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Log)
	}
	return result
}

func hit(hits []testbed.Hit, path string) bool {
	for _, h := range hits {
		if h.Host == host && h.Path == path {
			return true
		}
	}
	return false
}
