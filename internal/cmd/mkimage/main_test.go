package main

import (
	"bytes"
	"flag"
	"io"
	"log"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
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
		args := append(where, "-platforms", "linux/"+runtime.GOARCH, "-version", "1.2.3", "-revision", "abc")
		if err := run(t.Context(), args, &digests[i], io.Discard); err != nil {
			t.Fatal(err)
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

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "nowhere to go"},
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
