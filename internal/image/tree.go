package image

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/frontend/mount"
)

// WriteTree writes the folders below dir, at the paths that they have in the
// image: for a build of the image that is not Spec's. Permissions are exact,
// whatever the umask; files and folders are of 1970-01-01. (A symbolic link's
// own time is left alone: the standard library can't set it.)
func WriteTree(dir string, folders []Folder) error {
	for _, f := range folders {
		for _, above := range parents(f.Path+"/", time.Time{}) {
			if err := writeEntry(dir, mount.File{Path: above.Name, Mode: fs.ModeDir | 0o755}); err != nil {
				return err
			}
		}
		for _, file := range f.Files {
			if err := writeEntry(filepath.Join(dir, f.Path), file); err != nil {
				return err
			}
		}
	}
	return resetTimes(filepath.Join(dir, mount.ImageDir))
}

func writeEntry(dir string, file mount.File) error {
	path := filepath.Join(dir, filepath.FromSlash(file.Path))
	switch file.Mode.Type() {
	case fs.ModeSymlink:
		return os.Symlink(string(file.Data), path)
	case fs.ModeDir:
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	default:
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			return err
		}
	}
	return os.Chmod(path, file.Mode.Perm())
}

// resetTimes goes from the inside to the outside: a new entry changes the time
// of its folder.
func resetTimes(dir string) error {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type() != fs.ModeSymlink {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	epoch := time.Unix(0, 0)
	for _, path := range slices.Backward(paths) {
		if err := os.Chtimes(path, epoch, epoch); err != nil {
			return err
		}
	}
	return nil
}
