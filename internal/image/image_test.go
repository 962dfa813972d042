package image_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

var update = flag.Bool("update", false, "rewrite frontend/mount/lock.tsv")

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
		if err := image.CheckSize(out, image.MaxBinary); err != nil {
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
	for size, fails := range map[int64]bool{100: false, 101: true} {
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		if err := image.CheckSize(file, 100); (err != nil) != fails {
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

// A layout holds both platforms, each with the program of its own and with all
// folders.
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
	want := map[string]string{}
	for _, platform := range []string{"linux/amd64", "linux/arm64"} {
		want[platform] = `bin/ d 0755 1700000000
bin/loopx-frontend - 0755 1700000000 program of ` + platform + `
loopx/ d 0755 0
loopx/apt/ d 0755 0
loopx/apt/linux_amd64/ d 0755 0
loopx/apt/linux_amd64/apt/ d 0755 0
loopx/apt/linux_amd64/apt/50-image l 0777 0 /etc/apt/apt.conf
loopx/apt/linux_amd64/apt/method - 0555 0 method
loopx/apt/linux_amd64/apt/sudoers - 0440 0 sudo
loopx/apt/linux_amd64/operator/ d 0755 0
loopx/ca/ d 0755 0
loopx/ca/ca.crt - 0444 0 certificates`
		if platform == "linux/amd64" { // the folder of the other is not there
			want[platform] += "\nloopx/run l 0777 0 apt/linux_amd64"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

// The folders keep their layers from platform to platform, and from release to
// release.
func TestFolderLayersAreShared(t *testing.T) {
	spec := newSpec(t)
	next := newSpec(t)
	next.Created, next.Labels = time.Unix(1_800_000_000, 0).UTC(), image.Labels("2", "def")
	for platform, binary := range next.Binaries {
		if err := os.WriteFile(binary, []byte("newer program of "+platform), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var layers [][]v1.Hash
	for i, s := range []image.Spec{spec, next} {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := image.WriteLayout(dir, index(t, s)); err != nil {
			t.Fatal(err)
		}
		for _, img := range images(t, dir) {
			manifest, err := img.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			var digests []v1.Hash
			for _, layer := range manifest.Layers {
				digests = append(digests, layer.Digest)
			}
			layers = append(layers, digests)
		}
	}
	programs := map[v1.Hash]bool{}
	for _, digests := range layers {
		if len(digests) != len(spec.Folders)+1 {
			t.Fatalf("layers %v", digests)
		}
		last := len(digests) - 1
		programs[digests[last]] = true
		if diff := cmp.Diff(layers[0][:last], digests[:last]); diff != "" {
			t.Errorf("layers of folders:\n%s", diff)
		}
	}
	if len(programs) != 4 {
		t.Errorf("%d different programs, want 4", len(programs))
	}
}

func newSpec(t *testing.T) image.Spec {
	t.Helper()
	spec := image.Spec{
		Binaries:   map[string]string{},
		Entrypoint: image.Entrypoint,
		Folders:    folders(),
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

// folders are small ones, with an entry of each kind.
func folders() []image.Folder {
	return []image.Folder{
		{Key: "ca", Path: "/loopx/ca", Files: []mount.File{
			{Path: "ca.crt", Mode: 0o444, Data: []byte("certificates")},
		}},
		{Key: "linux_amd64", Path: "/loopx/apt/linux_amd64", Files: []mount.File{
			{Path: "apt", Mode: fs.ModeDir | 0o755},
			{Path: "apt/50-image", Mode: fs.ModeSymlink | 0o777, Data: []byte("/etc/apt/apt.conf")},
			{Path: "apt/method", Mode: 0o555, Data: []byte("method")},
			{Path: "apt/sudoers", Mode: 0o440, Data: []byte("sudo")},
			{Path: "operator", Mode: fs.ModeDir | 0o755},
		}},
	}
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

// tree lists the entries of an image's layers, one line each, and those of
// folders that several layers have once.
func tree(t *testing.T, img v1.Image) string {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, layer := range layers {
		lines = append(lines, entries(t, layer)...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// entries lists a layer: path, type, permissions, seconds since 1970, content.
func entries(t *testing.T, layer v1.Layer) []string {
	t.Helper()
	rc, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	var lines []string
	for r := tar.NewReader(rc); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s belongs to %d:%d (%s:%s)", h.Name, h.Uid, h.Gid, h.Uname, h.Gname)
		}
		kind := map[byte]string{tar.TypeDir: "d", tar.TypeSymlink: "l", tar.TypeReg: "-"}[h.Typeflag]
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %04o %d %s%s", h.Name, kind, h.Mode, h.ModTime.Unix(), h.Linkname, body)))
	}
}
