//go:build unix

package replace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFileKeepsModeAndOwner(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "old")
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 54321); err != nil {
			t.Fatal(err)
		}
	}
	mode := os.FileMode(0o646) | os.ModeSetgid | os.ModeSticky
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := File(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if after.Mode() != before.Mode() {
		t.Errorf("mode %v, want %v", after.Mode(), before.Mode())
	}
	if !sameOwner(before, after) {
		t.Error("the owner changed")
	}
	if os.SameFile(before, after) {
		t.Error("the file was written to, not replaced")
	}
	only(t, dir, "f")
}

func sameOwner(a, b fs.FileInfo) bool {
	x, y := a.Sys().(*syscall.Stat_t), b.Sys().(*syscall.Stat_t)
	return x.Uid == y.Uid && x.Gid == y.Gid
}
