//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFloorsPipes: a pipe in the tree would keep the check waiting for ever.
func TestFloorsPipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"requirements.txt", "pyproject.toml", "loopx.yaml", ".gitignore", "include.txt", "db.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if name != "requirements.txt" {
				writeTemp(t, filepath.Join(dir, "requirements.txt"), "-r include.txt\n")
			}
			if name != "include.txt" {
				writeTemp(t, filepath.Join(dir, "include.txt"), "setuptools>=83\n")
			}
			if name == "db.json" {
				writeTemp(t, filepath.Join(dir, "loopx.yaml"), "database: {source: db.json}\n")
			}
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, diag := loopxctl(t, "", "floors", "check", "--root", dir, dir)
			switch {
			case name == "requirements.txt" || name == "pyproject.toml" || name == ".gitignore":
				if code == exitUsage || strings.Contains(out+diag, "FAIL") {
					t.Errorf("exit code %d\n%s%s", code, out, diag)
				}
			case code != exitFailed && code != exitUsage:
				t.Errorf("exit code %d\n%s%s", code, out, diag)
			}
		})
	}
}
