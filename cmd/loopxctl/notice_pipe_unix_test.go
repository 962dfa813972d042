//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNoticePipes: a pipe in the tree, or in place of the file of what was
// evaluated, would keep the check waiting for ever.
func TestNoticePipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Dockerfile", "seen.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			record := writeTemp(t, filepath.Join(t.TempDir(), "dsa.json"), setuptoolsNotice)
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"notice", "--root", dir, "--path", dir, record}
			if name == "seen.json" {
				args = append(args, "--evaluated", filepath.Join(dir, name))
			}
			code, out, diag := loopxctl(t, "", args...)
			if name == "seen.json" && (code != exitFailed || !strings.Contains(diag, "is no file of evaluated notices")) || code == exitUsage || code == exitBlocked {
				t.Errorf("exit code %d\n%s%s", code, out, diag)
			}
		})
	}
}
