package replace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// only fails if the folder holds anything but these files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Fatalf("the folder holds %v, want %v", entries, names)
	}
	for i, e := range entries {
		if e.Name() != names[i] {
			t.Errorf("the folder holds %v, want %v", entries, names)
		}
	}
}

// TestFileIsWhole reads while the file is replaced: there is never half of it.
func TestFileIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	a, b := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<16)
	write(t, path, string(a))
	done := make(chan error, 1)
	go func() {
		for i := range 50 {
			text := a
			if i%2 == 0 {
				text = b
			}
			if err := File(path, text); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, a) && !bytes.Equal(got, b) {
			t.Fatalf("read %d bytes, %v: neither the old text nor the new", len(got), err)
		}
	}
}

// TestNothingLeftBehind fails at the last step, the rename.
func TestNothingLeftBehind(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "target", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := swap(filepath.Join(dir, "target"), 0o666, nil, []byte("new")); err == nil {
		t.Fatal("a file took the place of a folder")
	}
	only(t, dir, "target")
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file, link, loop := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "loop")
	write(t, file, "old")
	for from, to := range map[string]string{link: file, loop: loop} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ path, message, todo string }{
		{file, "", ""},
		{filepath.Join(dir, "new"), "", ""},
		{os.DevNull, "", ""},
		{link, "is a symbolic link, which is not written through", "Name the file itself: " + file},
		{loop, "is a symbolic link that leads nowhere", "Name the file itself."},
		{dir, "is a directory", "Name a file in it."},
		{filepath.Join(dir, "no", "file"), "there is no folder " + filepath.Join(dir, "no"), ""},
		{filepath.Join(file, "x"), "cannot be written: not a directory", ""},
	} {
		err := Check(tc.path)
		if tc.message == "" {
			if err != nil {
				t.Errorf("%s: %v", tc.path, err)
			}
			continue
		}
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.File != tc.path || e.Message != tc.message || e.Todo != tc.todo {
			t.Errorf("%s: %#v, want %q and %q", tc.path, err, tc.message, tc.todo)
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "old")
	if n := Links(path); n != 0 {
		t.Errorf("%d other names, want 0", n)
	}
	if err := os.Link(path, filepath.Join(dir, "g")); err != nil {
		t.Fatal(err)
	}
	if n := Links(path); n != 1 {
		t.Errorf("%d other names, want 1", n)
	}
	if n := Links(filepath.Join(dir, "no")) + Links(dir); n != 0 {
		t.Errorf("%d other names of no file and a folder", n)
	}
}
