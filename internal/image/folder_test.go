package image_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// TestLock compiles apt's method for every platform and compares what RUNs are
// given with the committed lock. With -update it writes the lock.
func TestLock(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	method, err := image.Method(root)
	if err != nil {
		t.Fatal(err)
	}
	folders, err := image.Targets{Method: method, Platforms: mount.Platforms()}.Folders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := image.LockOf(method.Go, folders)
	for _, f := range folders {
		t.Logf("%s: method of %d bytes", f.Path, got.Folders[f.Key].MethodSize)
		checkFolder(t, f)
	}
	if *update {
		if err := image.WriteLock(root, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := mount.Committed()
	if err != nil {
		t.Fatal(err)
	}
	for key, entry := range got.Folders {
		if want.Folders[key] != entry {
			t.Errorf("%s is %+v, the lock says %+v", key, entry, want.Folders[key])
		}
	}
	if len(want.Folders) != len(got.Folders) || want.Go != got.Go {
		t.Errorf("%d folders made by %s, the lock has %d made by %s", len(got.Folders), got.Go, len(want.Folders), want.Go)
	}
	if t.Failed() {
		t.Log("if the change is meant, -update writes frontend/mount/lock.tsv")
	}
}

// checkFolder checks that the folder is where a RUN's mount is taken from, and
// that each file's own folder comes before it.
func checkFolder(t *testing.T, f image.Folder) {
	t.Helper()
	have := map[string]bool{".": true}
	for _, file := range f.Files {
		if !have[filepath.Dir(file.Path)] {
			t.Errorf("%s/%s comes before its folder", f.Path, file.Path)
		}
		have[file.Path] = file.Mode.IsDir()
	}
	if f.Key == mount.CAKey {
		return
	}
	part := strings.Split(f.Key+"_", "_")
	a, ok := mount.AptFor(&pb.Platform{OS: part[0], Architecture: part[1], Variant: part[2]})
	if !ok || a.Selector != f.Path {
		t.Errorf("RUNs of %s are given %q, the folder is %s", f.Key, a.Selector, f.Path)
	}
}

func TestCheckLock(t *testing.T) {
	t.Parallel()
	good := image.Folder{Key: mount.CAKey, Path: mount.CASelector, Files: mount.CAFiles()}
	if err := image.CheckLock([]image.Folder{good}); err != nil {
		t.Error(err)
	}
	changed, unknown := good, good
	changed.Files = changed.Files[1:]
	unknown.Key = "linux_pdp11"
	for _, f := range []image.Folder{changed, unknown} {
		if err := image.CheckLock([]image.Folder{good, f}); err == nil || !strings.Contains(err.Error(), "mkimage -lock") {
			t.Errorf("got %v", err)
		}
	}
}

func TestFoldersErrors(t *testing.T) {
	t.Parallel()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	host := []string{"linux/amd64"}
	for _, test := range []struct {
		targets image.Targets
		want    string
	}{
		{image.Targets{Platforms: []string{"linux/arm/v6"}}, `no RUN would be given a method for "linux/arm/v6"; there are linux/386, `},
		{image.Targets{Method: image.Program{Root: root, Package: "./no-such"}, Platforms: mount.Platforms()}, "go build ./no-such for linux/"},
		{image.Targets{Method: image.Frontend(root, "", ""), Platforms: host}, "apt's method: linux_amd64 has "},
	} {
		if folders, err := test.targets.Folders(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d folders, %v, want %q", len(folders), err, test.want)
		}
	}
	if _, err := image.Method(t.TempDir()); err == nil {
		t.Error("a method without a module")
	}
}

// An image of the folders alone has the layers of the frontend's.
func TestFolderImage(t *testing.T) {
	t.Parallel()
	img, err := image.FolderImage(v1.Platform{OS: "linux", Architecture: "arm", Variant: "v7"}, folders())
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if p := config.Platform().String(); p != "linux/arm/v7" || len(config.RootFS.DiffIDs) != len(folders()) {
		t.Errorf("platform %s, layers %v", p, config.RootFS.DiffIDs)
	}
	if got := tree(t, img); !strings.Contains(got, "\nloopx/apt/linux_amd64/apt/method - 0555 0 method\n") {
		t.Errorf("content:\n%s", got)
	}
}

// On disk the folders are what they are in the image, for any umask.
func TestWriteTree(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	dir := t.TempDir()
	if err := image.WriteTree(dir, folders()); err != nil {
		t.Fatal(err)
	}
	var lines []string
	err := fs.WalkDir(os.DirFS(dir), "loopx", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line, err := onDisk(filepath.Join(dir, path), path)
		lines = append(lines, line)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	img, err := image.FolderImage(v1.Platform{OS: "linux", Architecture: "amd64"}, folders())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	if diff := cmp.Diff(tree(t, img), strings.Join(lines, "\n")); diff != "" {
		t.Errorf("(-image +disk):\n%s", diff)
	}
	if err := image.WriteTree(dir, folders()); err == nil {
		t.Error("a tree was written over another")
	}
}

// onDisk describes a file as entries does one of a layer.
func onDisk(path, name string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	switch info.Mode().Type() {
	case fs.ModeDir:
		return fmt.Sprintf("%s/ d %04o %d", name, info.Mode().Perm(), info.ModTime().Unix()), nil
	case fs.ModeSymlink:
		target, err := os.Readlink(path)
		return fmt.Sprintf("%s l %04o 0 %s", name, info.Mode().Perm(), target), err
	}
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%s - %04o %d %s", name, info.Mode().Perm(), info.ModTime().Unix(), data), err
}
