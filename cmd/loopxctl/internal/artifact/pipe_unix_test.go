//go:build unix

package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a named pipe, which nobody may ever write to, is not waited for.
func TestPipe(t *testing.T) {
	t.Parallel()
	l, image := newLayout(t, whole())
	dir := l.folder(t)
	pipe := filepath.Join(dir, "blobs", "sha256", strings.TrimPrefix(image, "sha256:"))
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, dir} {
		if a, err := read(t, name); err == nil || !strings.Contains(err.Error(), "is no file") {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
