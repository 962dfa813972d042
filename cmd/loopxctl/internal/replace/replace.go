// Package replace writes a file whole or not at all.
package replace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// Check reports why [File] would refuse to write to path, before any work is
// done. The error is a [*fault.Error].
//
// A symbolic link is refused, since a rename would put a file in its place and
// a write through it would change a file that nobody named; a link to a device
// or a pipe (/dev/stdout) is fine, since nothing there is replaced.
func Check(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkFolder(path)
	case err != nil:
		return fault.Of(path, "cannot be written", err)
	case info.Mode().Type() == fs.ModeSymlink:
		return checkLink(path)
	case info.IsDir():
		return &fault.Error{File: path, Message: "is a directory", Todo: "Name a file in it."}
	case info.Mode().IsRegular():
		return checkWritable(path)
	}
	return nil
}

func checkFolder(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fault.Error{File: path, Message: "there is no folder " + dir}
	case err != nil:
		return fault.Of(path, "cannot be written", err)
	case !info.IsDir():
		return &fault.Error{File: path, Message: dir + " is not a folder"}
	}
	return nil
}

func checkLink(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return &fault.Error{File: path, Message: "is a symbolic link that leads nowhere", Todo: "Name the file itself."}
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = "the one that it leads to"
	}
	return &fault.Error{File: path, Message: "is a symbolic link, which is not written through", Todo: "Name the file itself: " + target}
}

// checkWritable asks the system whether the file may be written. A rename
// needs no such right, but a file that is marked read-only is meant to stay.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fault.Of(path, "cannot be written", err)
	}
	return f.Close()
}

// File makes data the content of path: a temporary file in the same folder is
// written, synced and renamed over it, so a reader finds the old content or
// the new, also after a crash. Mode and owner stay; a new file gets the mode
// that the umask leaves of 0666. Access lists and extended attributes do not
// stay, nor do other names (see [Links]). A device or a pipe is written as it is.
//
// The error is a [*fault.Error]; path is then as it was.
func File(path string, data []byte) error {
	if err := Check(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return stream(path, data)
	}
	if err := swap(path, newMode(info), info, data); err != nil {
		return fault.Of(path, "cannot be written", unwrapped(err))
	}
	return nil
}

// Private is File for what only the owner may read: the file is a new one with
// the mode 0600, also where another one was, and never was anything else. A
// device or a pipe is refused.
func Private(path string, data []byte) error {
	if err := CheckPrivate(path); err != nil {
		return err
	}
	if err := swap(path, 0o600, nil, data); err != nil {
		return fault.Of(path, "cannot be written", unwrapped(err))
	}
	return nil
}

// CheckPrivate reports why [Private] would refuse to write to path. The error is
// a [*fault.Error].
func CheckPrivate(path string) error {
	if err := Check(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fault.Error{File: path, Message: "is not a plain file, so who can read it is not known", Todo: "Name a file."}
	}
	return nil
}

// Links returns how many names the file has beside path; a replaced file
// takes only path with it.
func Links(path string) int {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return links(info) - 1
}

func stream(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fault.Of(path, "cannot be written", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fault.Of(path, "cannot be written", unwrapped(err))
	}
	return nil
}

// swap writes data next to path, into a file that is made with mode, and renames
// it. old is the file whose owner and mode it takes on; nil for none.
func swap(path string, mode fs.FileMode, old fs.FileInfo, data []byte) (err error) {
	temp := filepath.Join(filepath.Dir(path), ".loopxctl-"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = adopt(f, old)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(temp, path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// newMode keeps a file that will replace another one private until it has the
// other's owner.
func newMode(old fs.FileInfo) fs.FileMode {
	if old == nil {
		return 0o666
	}
	return 0o600
}

// adopt gives f the owner and the mode of old, in this order: a change of
// owner takes set-id bits away.
func adopt(f *os.File, old fs.FileInfo) error {
	if err := chown(f, old); err != nil {
		return err
	}
	return f.Chmod(old.Mode())
}

// syncFolder makes the rename last. Not every file system can; the file's own
// content is safe by then.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// unwrapped is the system's reason without the temporary file's name.
func unwrapped(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
