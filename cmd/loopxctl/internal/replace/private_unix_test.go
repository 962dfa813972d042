//go:build unix

package replace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPrivate holds that a private file is readable by its owner alone, also
// where everybody could read the old one.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"new", "old"} {
		path := filepath.Join(dir, name)
		if name == "old" {
			write(t, path, "old")
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := Private(path, []byte("secret")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has the mode %v, %v", name, info.Mode(), err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "secret" {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	only(t, dir, "new", "old")
}

func TestPrivateRefuses(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	write(t, filepath.Join(dir, "f"), "kept")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{os.DevNull, dir, link, filepath.Join(dir, "none", "f")} {
		if err := Private(path, []byte("secret")); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(text) != "kept" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}
