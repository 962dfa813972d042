package setup_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ loopx, xdg, want string }{
		{loopx: dir + "/own", xdg: dir + "/xdg", want: dir + "/own"},
		{xdg: dir + "/xdg", want: dir + "/xdg/loopx"},
		{want: dir + "/home/.cache/loopx"},
	} {
		t.Setenv("LOOPX_CACHE", test.loopx)
		t.Setenv("XDG_CACHE_HOME", test.xdg)
		t.Setenv("HOME", dir+"/home")
		got, err := setup.CacheDir()
		if err != nil || got != test.want {
			t.Errorf("got %q, %v, want %q", got, err, test.want)
		}
		if info, err := os.Stat(test.want); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", test.want, err)
		}
	}
}

func TestMissingToolSaysWhatToDo(t *testing.T) {
	t.Setenv("LOOPX_CACHE", t.TempDir())
	_, err := setup.Tool("buildkitd")
	if err == nil || !strings.Contains(err.Error(), "run `make setup`") {
		t.Errorf("got %v", err)
	}
}

// Without what it needs, and without a way to install it, set-up names every
// package and runs nothing.
func TestInstallNamesPackages(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	missing := setup.MissingPackages()
	err := setup.InstallPackages(t.Context(), os.Stderr)
	if err == nil {
		t.Fatal("no error")
	}
	for _, pkg := range []string{"git", "mmdebstrap", "mount", "runc"} {
		if !strings.Contains(err.Error(), " "+pkg) {
			t.Errorf("%s is not in %v (missing: %v)", pkg, err, missing)
		}
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := setup.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	try := func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
	if err := try(); err != syscall.EWOULDBLOCK {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	if err := try(); err != nil {
		t.Errorf("a lock after the first ended: %v", err)
	}
}
