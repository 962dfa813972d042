package feed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lock waits for its turn to update.
func (s store) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, cannot(s.dir, "written", err)
	}
	l := flock.New(filepath.Join(s.dir, "lock"))
	if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		if ctx.Err() == nil {
			err = cannot(l.Path(), "locked", err)
		}
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil
}

// intact returns the state if its export is what it says, else none, so that it
// is fetched anew.
func (s store) intact(address string) state {
	st, f, err := s.open(address)
	if err != nil {
		return state{}
	}
	defer f.Close()
	if s.verify(st, f) != nil {
		return state{}
	}
	return st
}

// sweep removes exports that no state names, and what an update that was killed
// left.
func (s store) sweep(keep string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "part-") || strings.HasSuffix(name, ".export") && name != keep+".export" {
			os.Remove(filepath.Join(s.dir, name))
		}
	}
}

// write puts the state in place.
func (s store) write(st state) error {
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, "part-")
	if err != nil {
		return cannot(s.dir, "written", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, stateFile))
	}
	if err != nil {
		return cannot(s.dir, "written", err)
	}
	return nil
}

// hash returns the SHA-256 of a file, and its length.
func hash(f *os.File) (sum string, n int64, err error) {
	h := sha256.New()
	n, err = io.Copy(h, io.NewSectionReader(f, 0, 1<<62))
	return hex.EncodeToString(h.Sum(nil)), n, err
}
