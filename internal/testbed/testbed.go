package testbed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// TB is the part of testing.TB that this package uses. A program that is not a
// test (the demo) brings its own.
type TB interface {
	Cleanup(func())
	Context() context.Context
	Failed() bool
	Fatalf(format string, args ...any)
	Helper()
	Logf(format string, args ...any)
	TempDir() string
}

// shared is what one process starts at most once. It is the only package-level
// state here: the tests of a package share a daemon and have no other place to
// keep it.
var shared = &bed{}

type bed struct {
	mu      sync.Mutex
	closers []func()

	workDir  once[string]
	ca       once[*CA]
	names    once[*nameServer]
	registry once[*ImageRegistry]
	daemon   once[*Daemon]
	docker   once[*DockerEngine]
	buildx   once[string]
	loopxctl once[string]
	stock    once[string]
	frontend oncePer[string]
	trusting once[string]
	buildah  once[string]
	mount    oncePer[string]
	folders  oncePer[[]image.Folder]
	upstream once[*upstream]
	emulator once[*process]
}

// once runs a function at its first call and gives every call the same answer.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) do(f func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = f() })
	return o.value, o.err
}

// oncePer is a once for each key.
type oncePer[T any] struct {
	mu  sync.Mutex
	all map[string]*once[T]
}

func (o *oncePer[T]) do(key string, f func() (T, error)) (T, error) {
	o.mu.Lock()
	one := o.all[key]
	if one == nil {
		one = &once[T]{}
		if o.all == nil {
			o.all = map[string]*once[T]{}
		}
		o.all[key] = one
	}
	o.mu.Unlock()
	return one.do(f)
}

// forget makes the next call for key run its function again.
func (o *oncePer[T]) forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, key)
}

// Main runs the tests of a package without the CA variables of the caller's
// environment (see ScrubCA), then ends what they started. It returns the exit
// code for os.Exit.
func Main(m interface{ Run() int }) int {
	defer Close()
	for _, name := range CAVariables() {
		os.Unsetenv(name)
	}
	return m.Run()
}

// Close ends the daemon, the servers and the work folder of this process. What
// was started can't be used after it.
func Close() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	for _, f := range slices.Backward(shared.closers) {
		f()
	}
	shared.closers = nil
}

func (b *bed) atClose(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closers = append(b.closers, f)
}

// work returns the folder for everything that lives as long as this process. A
// process that was killed leaves its folder behind; the next one removes it.
func (b *bed) work() (string, error) {
	return b.workDir.do(func() (string, error) {
		cache, err := setup.CacheDir()
		if err != nil {
			return "", err
		}
		unlock, err := setup.Lock(filepath.Join(cache, "testbed.lock"))
		if err != nil {
			return "", err
		}
		defer unlock()
		sweepDead()
		dir, err := os.MkdirTemp("", workPrefix)
		if err != nil {
			return "", err
		}
		release, err := setup.Lock(filepath.Join(dir, aliveFile))
		if err != nil {
			return "", err
		}
		b.atClose(func() { os.RemoveAll(dir); release() })
		return dir, nil
	})
}

const (
	workPrefix = "loopx-testbed-"
	aliveFile  = "alive.lock"
)

// sweepDead removes the work folders whose process is gone: nobody holds the
// lock in them.
func sweepDead() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), workPrefix+"*", aliveFile))
	for _, lock := range locks {
		f, err := os.OpenFile(lock, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(filepath.Dir(lock))
		}
		f.Close()
	}
}

// must returns v, or ends the test with what was tried and err.
func must[T any](t TB, what string) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("testbed: %s: %v", what, err)
		}
		return v
	}
}

// writeFile writes a file and the folders above it.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("testbed: %w", err)
	}
	return nil
}
