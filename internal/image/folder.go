package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/frontend/mount"
)

// Folder is one of the folders in the image that are mounted into RUNs.
type Folder struct {
	// Key names the folder in mount.Lock.
	Key string
	// Path is its absolute path in the image.
	Path string
	// Files are what is in it; a folder comes before what is below it.
	Files []mount.File
}

// Targets says which platforms of RUNs to make folders for.
type Targets struct {
	// Method is apt's method, as Method returns it.
	Method Program
	// Platforms are some of mount.Platforms.
	Platforms []string
	// Progress, if not nil, is told of each platform before its method is
	// compiled.
	Progress func(platform string)
}

// Folders compiles the method for each platform and returns the folders: that
// for certificates first, then those for apt in the order of their names. The
// same source gives the same bytes.
func (t Targets) Folders(ctx context.Context) ([]Folder, error) {
	t.Platforms = slices.Compact(slices.Sorted(slices.Values(t.Platforms)))
	for _, platform := range t.Platforms {
		if have := mount.Platforms(); !slices.Contains(have, platform) {
			return nil, fmt.Errorf("no RUN would be given a method for %q; there are %s", platform, strings.Join(have, ", "))
		}
	}
	methods, err := t.methods(ctx)
	if err != nil {
		return nil, err
	}
	folders := []Folder{{Key: mount.CAKey, Path: mount.CASelector, Files: mount.CAFiles()}}
	for i, platform := range t.Platforms {
		key := mount.Key(platform)
		folders = append(folders, Folder{Key: key, Path: mount.AptDir(key), Files: mount.AptFiles(methods[i])})
	}
	return folders, nil
}

// compilers is how many methods are compiled at a time: one compiles packages
// while another is linked, which takes a single core.
const compilers = 2

// methods compiles the method for all of the platforms, in their order. The
// first failure ends the rest.
func (t Targets) methods(ctx context.Context) ([][]byte, error) {
	tmp, err := os.MkdirTemp("", "loopx-apt-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	methods := make([][]byte, len(t.Platforms))
	slots := make(chan struct{}, compilers)
	var all sync.WaitGroup
	for i, platform := range t.Platforms {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		if t.Progress != nil {
			t.Progress(platform)
		}
		all.Go(func() {
			defer func() { <-slots }()
			var err error
			if methods[i], err = t.method(ctx, platform, filepath.Join(tmp, mount.Key(platform))); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return methods, context.Cause(ctx)
}

// method compiles the method for one platform, as the file out.
func (t Targets) method(ctx context.Context, platform, out string) ([]byte, error) {
	if err := t.Method.Compile(ctx, platform, out); err != nil {
		return nil, err
	}
	if err := CheckSize(out, MaxMethod); err != nil {
		return nil, fmt.Errorf("apt's method: %w", err)
	}
	return os.ReadFile(out)
}

// LockOf returns what the lock says of these folders, whose methods the Go
// release compiled.
func LockOf(release string, folders []Folder) mount.Lock {
	lock := mount.Lock{Go: release, Folders: map[string]mount.Entry{}}
	for _, f := range folders {
		lock.Folders[f.Key] = mount.NewEntry(f.Files)
	}
	return lock
}

// WriteLock writes the lock to where the checkout at root has it.
func WriteLock(root string, lock mount.Lock) error {
	return os.WriteFile(filepath.Join(root, "frontend", "mount", "lock.tsv"), []byte(lock.String()), 0o644)
}

// CheckLock returns an error if a folder is not what the committed lock, which
// is in the frontend's binary, says it is.
func CheckLock(folders []Folder) error {
	for _, f := range folders {
		want, ok := mount.Locked(f.Key)
		if got := mount.NewEntry(f.Files); !ok || got != want {
			return fmt.Errorf("%s is not what frontend/mount/lock.tsv says; if it was changed on purpose: go run ./internal/cmd/mkimage -lock", f.Path)
		}
	}
	return nil
}
