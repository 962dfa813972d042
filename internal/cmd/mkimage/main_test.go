package main

import (
	"bytes"
	"flag"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/frontend/mount"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

// The registry, the layout and the printed digest agree, in two runs.
func TestDelivery(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	ref := strings.TrimPrefix(server.URL, "http://") + "/team/loopx-frontend:1"
	dir, file := filepath.Join(t.TempDir(), "layout"), filepath.Join(t.TempDir(), "image.tar")

	var digests [2]bytes.Buffer
	for i, where := range [][]string{{"-push", ref}, {"-oci", dir, "-tar", file}} {
		host := "linux/" + runtime.GOARCH
		args := append(where, "-platforms", host, "-targets", host, "-version", "1.2.3", "-revision", "abc")
		var progress strings.Builder
		if err := run(t.Context(), args, &digests[i], &progress); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"compiling apt's method for " + host, "compiling the frontend for " + host, host + ": ", " MB compressed"} {
			if !strings.Contains(progress.String(), want) {
				t.Errorf("progress does not say %q:\n%s", want, progress.String())
			}
		}
	}
	want := strings.TrimSpace(digests[0].String())
	if got := strings.TrimSpace(digests[1].String()); got != want {
		t.Errorf("two runs printed %q and %q", want, got)
	}
	if got, err := crane.Digest(ref); err != nil || got != want {
		t.Errorf("the registry has %q, %v, want %q", got, err, want)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := manifest.Manifests[0].Digest.String(); got != want {
		t.Errorf("the layout has %q, want %q", got, want)
	}
}

// What RUNs are given can be had without an image, and without a digest.
func TestMount(t *testing.T) {
	dir, host := t.TempDir(), "linux/"+runtime.GOARCH
	var stdout bytes.Buffer
	if err := run(t.Context(), []string{"-mount", dir, "-targets", host}, &stdout, io.Discard); err != nil || stdout.Len() != 0 {
		t.Fatalf("it printed %q, %v", stdout.String(), err)
	}
	a, ok := mount.AptFor(&pb.Platform{OS: "linux", Architecture: runtime.GOARCH})
	if !ok {
		t.Fatal("no folder for this machine")
	}
	for _, folder := range []string{mount.CASelector, a.Selector} {
		if _, err := os.Stat(filepath.Join(dir, folder, "ca.crt")); err != nil {
			t.Error(err)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to do"},
		{[]string{"-lock=false", "-oci", "x", "more"}, `"more" is not a flag`},
		{[]string{"-oci", "x", "-targets", "windows/amd64"}, `no RUN would be given a method for "windows/amd64"; there are linux/386, `},
		{[]string{"-no-such-flag"}, "flag provided but not defined"},
		{[]string{"-oci", "x", "-platforms", "linux/amd64/v8/x"}, "too many slashes"},
	} {
		err := run(t.Context(), test.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.args, err, test.want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := run(t.Context(), []string{"-oci", "x"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("got %v", err)
	}
}
