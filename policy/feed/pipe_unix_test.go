//go:build unix

package feed

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in a folder is not waited for; one that is named is read.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := folder(t, "a.json", one)
	pipe := filepath.Join(dir, "b.json")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(t.Context(), dir, Options{}); !strings.HasSuffix(failure(t, err), ": b.json: is no file") {
		t.Errorf("%v", err)
	}
	go func() {
		if err := os.WriteFile(pipe, []byte(two), 0o644); err != nil {
			t.Error(err)
		}
	}()
	db, snapshot, err := Open(t.Context(), pipe, Options{})
	if err != nil || show(db) != "P-2 (-∞, 2.0)" || snapshot.Source != pipe {
		t.Errorf("%+v %v", snapshot, err)
	}
}
