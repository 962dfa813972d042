package testbed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// docker/dockerfile:1 is the stock image, although nothing here reaches Docker Hub.
func TestBuildx(t *testing.T) {
	testbed.StockImage(t)
	testbed.Base(t, "bookworm")
	dir := t.TempDir()
	dockerfile := "# syntax=docker/dockerfile:1\nFROM debian:bookworm-slim\nRUN echo from-the-run\n"
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(dockerfile), 0o644); err != nil {
		t.Fatal(err)
	}
	got := testbed.Buildx(t, dir, []string{"BUILDKIT_PROGRESS=plain"}, "build", "--no-cache", ".")
	if got.Code != 0 || !strings.Contains(got.Stderr, "from-the-run") || !strings.Contains(got.Stderr, "docker-image://docker.io/docker/dockerfile:1") {
		t.Errorf("exit code %d\n%s", got.Code, got.Stderr)
	}
}

func TestBuildxStdin(t *testing.T) {
	cmd := testbed.BuildxCommand(t, "build", "--progress=plain", "-")
	cmd.Stdin = strings.NewReader("FROM scratch\nCOPY no-such-file /\n")
	got := testbed.Run(t, cmd)
	if got.Code != 1 || !strings.Contains(got.Stderr, "no-such-file") {
		t.Errorf("exit code %d\n%s", got.Code, got.Stderr)
	}
}

func TestBuildctl(t *testing.T) {
	got := testbed.Buildctl(t, t.TempDir(), nil, "debug", "workers")
	if got.Code != 0 || !strings.Contains(got.Stdout, "linux/") {
		t.Errorf("exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
}

// Our image is a frontend: by the gateway, and for what is moved to TLS, with
// the operator's CA in a RUN whose image has none.
func TestFrontendImage(t *testing.T) {
	ref := testbed.FrontendImage(t)
	base := testbed.Fetchers(t, "bookworm")
	m := testbed.NewMirror(t, testbed.MirrorOptions{Files: map[string]string{"/curl": "c"}})
	mustBuild(t, testbed.Build{
		Frontend:   ref,
		NoCache:    true,
		Contexts:   map[string]string{"loopx-ca": m.CA.Dir(t)},
		Dockerfile: "FROM " + base.Ref + "\nRUN curl -fsS http://downloads.example.org/curl\n",
	})
	if len(m.ClearHits()) != 0 || !hit(m.TLSHits(), "/curl") {
		t.Errorf("in clear text: %v, over TLS: %v", m.ClearHits(), m.TLSHits())
	}
}

func TestScrubCA(t *testing.T) {
	t.Setenv("CURL_CA_BUNDLE", "/some/file")
	t.Run("scrubbed", func(t *testing.T) {
		testbed.ScrubCA(t)
		if value, set := os.LookupEnv("CURL_CA_BUNDLE"); set {
			t.Errorf("CURL_CA_BUNDLE=%s", value)
		}
	})
	if got := os.Getenv("CURL_CA_BUNDLE"); got != "/some/file" {
		t.Errorf("after the test CURL_CA_BUNDLE is %q", got)
	}
}

// The Makefile scrubs the same variables.
func TestMakefileScrubs(t *testing.T) {
	data, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "\nCA_VARIABLES := ")
	list, _, _ := strings.Cut(rest, "\nSCRUBBED")
	got := strings.Fields(strings.ReplaceAll(list, "\\\n", " "))
	if diff := cmp.Diff(testbed.CAVariables(), got); diff != "" {
		t.Errorf("(-testbed +Makefile):\n%s", diff)
	}
}
