// Package setup brings a bare Debian or Ubuntu machine to the point where the
// tests and the demo can run: system packages, and the tools that the modules in tools
// pins, built once into a cache. It imports the standard library only, so that
// it runs before any module was downloaded.
package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// CacheDir returns the folder for everything that is built or downloaded once:
// $LOOPX_CACHE, else loopx in the user's cache folder ($XDG_CACHE_HOME, else
// ~/.cache). The folder exists when CacheDir returns without error.
func CacheDir() (string, error) {
	dir := os.Getenv("LOOPX_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder, set LOOPX_CACHE: %w", err)
		}
		dir = filepath.Join(user, "loopx")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// Root returns the folder of the product's go.mod, seen from the working
// directory. It asks the go command, so tests may call it from any package.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	gomod := strings.TrimSpace(string(out))
	if gomod == "" || gomod == os.DevNull {
		return "", errors.New("not inside the loopx-frontend module")
	}
	return filepath.Dir(gomod), nil
}

// Lock takes an exclusive lock on the file at path, which it creates, and waits
// while another process holds it. The lock ends with unlock or with the process.
func Lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// Keep returns the folder called name below CacheDir. If it isn't there, fill
// makes it somewhere in tmp, a new folder on the same file system, and returns
// where; tmp goes away afterwards. Processes that want the same folder wait for
// the first; a folder that is there is complete.
func Keep(name string, fill func(tmp string) (made string, err error)) (dir string, err error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	unlock, err := Lock(dir + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	made, err := fill(tmp)
	if err != nil {
		return "", err
	}
	return dir, os.Rename(made, dir)
}

// toolsDir returns the folder of the built tools. Its name holds a digest of
// what decides their content: the pinned versions, the Go release, the platform.
func toolsDir(root string) (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, module := range toolModules() {
		for _, name := range []string{"go.mod", "go.sum"} {
			data, err := os.ReadFile(filepath.Join(root, module, name))
			if err != nil {
				return "", err
			}
			sum.Write(data)
		}
	}
	return filepath.Join(cache, "tools", hex.EncodeToString(sum.Sum(nil))[:16]), nil
}
