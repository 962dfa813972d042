package image_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

// Twice the same source, twice the same binary, of a bearable size.
func TestFrontendBinary(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := image.Frontend(root, "1.2.3 test", "abc")
	var binaries [2][]byte
	for i := range binaries {
		out := filepath.Join(t.TempDir(), "loopx-frontend")
		if err := program.Compile(t.Context(), "linux/"+runtime.GOARCH, out); err != nil {
			t.Fatal(err)
		}
		if err := image.CheckSize(out); err != nil {
			t.Error(err)
		}
		if binaries[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d bytes", len(binaries[0]))
	if !bytes.Equal(binaries[0], binaries[1]) {
		t.Error("two compilations differ")
	}
	if bytes.Contains(binaries[0], []byte(root+"/cmd/")) {
		t.Errorf("the binary names %s", root)
	}
	if !bytes.Contains(binaries[0], []byte("1.2.3 test")) {
		t.Error("the binary does not hold its version")
	}
}

func TestCheckSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for size, fails := range map[int64]bool{image.MaxBinary: false, image.MaxBinary + 1: true} {
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		if err := image.CheckSize(file); (err != nil) != fails {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestIndexIsReproducible(t *testing.T) {
	spec := newSpec(t)
	first, second := filepath.Join(t.TempDir(), "a.tar"), filepath.Join(t.TempDir(), "b.tar")
	for _, file := range []string{first, second} {
		if err := image.WriteArchive(file, index(t, spec)); err != nil {
			t.Fatal(err)
		}
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(second)
	if errA != nil || errB != nil || len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("archives of %d and %d bytes differ (%v, %v)", len(a), len(b), errA, errB)
	}
}

// A layout holds both platforms, each with the program of its own.
func TestLayout(t *testing.T) {
	spec := newSpec(t)
	dir := filepath.Join(t.TempDir(), "layout")
	if err := image.WriteLayout(dir, index(t, spec)); err != nil {
		t.Fatal(err)
	}
	if err := image.WriteLayout(dir, index(t, spec)); err == nil {
		t.Error("an existing layout was written over")
	}
	got := map[string]string{}
	for platform, img := range images(t, dir) {
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spec.Labels, config.Config.Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{image.Entrypoint}, config.Config.Entrypoint); diff != "" {
			t.Errorf("entry point (-want +got):\n%s", diff)
		}
		if config.Architecture != platform.Architecture || !config.Created.Equal(spec.Created) {
			t.Errorf("%s: architecture %s, created %s", platform, config.Architecture, config.Created)
		}
		got[platform.String()] = tree(t, img)
	}
	want := map[string]string{
		"linux/amd64": "d 0755 bin\n- 0755 bin/loopx-frontend program of linux/amd64\n",
		"linux/arm64": "d 0755 bin\n- 0755 bin/loopx-frontend program of linux/arm64\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

// The Dockerfile says the same as this package.
func TestDockerfileAgrees(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	ast, err := parser.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	stages, args, err := instructions.Parse(ast.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := stages[len(stages)-1]
	labels := map[string]string{}
	for _, cmd := range last.Commands {
		switch c := cmd.(type) {
		case *instructions.LabelCommand:
			for _, kv := range c.Labels {
				labels[kv.Key] = unquote(kv.Value)
			}
		case *instructions.EntrypointCommand:
			if diff := cmp.Diff([]string{image.Entrypoint}, []string(c.CmdLine)); diff != "" {
				t.Errorf("entry point (-want +got):\n%s", diff)
			}
		}
	}
	if diff := cmp.Diff(image.Labels("$VERSION", "$REVISION"), labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if release := args[0].Args[0].ValueString(); !bytes.Contains(gomod, []byte("\ngo "+release+"\n")) {
		t.Errorf("the Dockerfile builds with Go %s, go.mod says another", release)
	}
}

func unquote(s string) string { return strings.Trim(s, `"`) }

func newSpec(t *testing.T) image.Spec {
	t.Helper()
	spec := image.Spec{
		Binaries:   map[string]string{},
		Entrypoint: image.Entrypoint,
		Labels:     image.Labels("1", "abc"),
		Created:    time.Unix(1_700_000_000, 0).UTC(),
	}
	for _, platform := range []string{"linux/arm64", "linux/amd64"} {
		spec.Binaries[platform] = filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(spec.Binaries[platform], []byte("program of "+platform), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return spec
}

func index(t *testing.T, spec image.Spec) v1.ImageIndex {
	t.Helper()
	idx, err := spec.Index()
	if err != nil {
		t.Fatal(err)
	}
	return idx
}

// images reads the images of the one index in a layout.
func images(t *testing.T, dir string) map[*v1.Platform]v1.Image {
	t.Helper()
	all := map[*v1.Platform]v1.Image{}
	root, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	top, err := root.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	idx, err := root.ImageIndex(top.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, desc := range manifest.Manifests {
		if all[desc.Platform], err = idx.Image(desc.Digest); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// tree lists the files of an image, one line each.
func tree(t *testing.T, img v1.Image) string {
	t.Helper()
	rc := mutate.Extract(img)
	defer rc.Close()
	var out strings.Builder
	r := tar.NewReader(rc)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		kind := "-"
		if h.Typeflag == tar.TypeDir {
			kind = "d"
		}
		fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %#o %s %s", kind, h.Mode, h.Name, body)))
	}
}
