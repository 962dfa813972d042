package builder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// What RUNs are given comes from an image, an OCI layout or a folder: the same
// bytes, so the step is cached from one to the next.
func TestGiven(t *testing.T) {
	t.Parallel()
	base := testbed.Base(t, "bookworm")
	testbed.MountImage(t)
	dir := write(t, map[string]string{"Dockerfile": "FROM " + base.Ref + "\nARG TEST=" + t.Name() + "\nRUN apt-get install -y nothing || test -x " + mount.Method + "\n"})
	oci := t.TempDir()
	path, err := layout.Write(oci, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := path.AppendImage(testbed.Registry(t).Image(t, "loopx-mount:1"), layout.WithPlatform(testbed.HostPlatform())); err != nil {
		t.Fatal(err)
	}
	for i, place := range []string{testbed.MountImage(t), oci, givenFolder(t)} {
		texts := []string{"(apt over TLS)"}
		if i > 0 {
			texts = append(texts, " CACHED")
		}
		want(t, onBuildkitd(t, "build", "--frontend-image", place, dir), 0, texts...)
	}
}

// A method of another release is not given to RUNs.
func TestForeignMethod(t *testing.T) {
	t.Parallel()
	folder := givenFolder(t)
	method := filepath.Join(folder, mount.AptDir(mount.Key(testbed.HostPlatform().String())), mount.MethodPath)
	if err := os.Remove(method); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(method, []byte("another"), 0o555); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY Dockerfile /\n"})
	want(t, onBuildkitd(t, "build", "--frontend-image", folder, dir), 3, "is not the apt method that this release of loopxctl was built with", "Take both from the same release")
}
