//go:build unix

package walk

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestIrregular holds that a pipe, whose reading would not end, is left out.
func TestIrregular(t *testing.T) {
	t.Parallel()
	root := tree(t)
	if err := syscall.Mkfifo(filepath.Join(root, "Dockerfile"), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := Find([]string{root}, Options{})
	if err != nil || len(found.Files) != 0 || len(found.Notes) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}
