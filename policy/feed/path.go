package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// path reads a file or a folder and returns its SHA-256.
func (r *reader) path(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{Name: name, Message: "there is no such file or folder", Todo: "Name an advisory database in the form of OSV, or - for standard input.", Err: err}
	case err != nil:
		return "", cannot(name, "read", err)
	case info.IsDir():
		return r.folder(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", cannot(name, "read", err)
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return r.stream(name, f) // a pipe: <(zcat …)
	}
	return r.file(name, f, info.Size())
}

// file reads an open file and returns its SHA-256.
func (r *reader) file(name string, f io.ReaderAt, length int64) (string, error) {
	var head [len(zipMagic)]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", r.unreadable(name, err)
	}
	sum := sha256.New()
	whole := attentive{r.ctx, io.NewSectionReader(f, 0, length)}
	if isZip(head[:n]) {
		if length > r.limits.Document {
			return "", tooLarge(name, "", r.limits.Document)
		}
		if _, err := io.Copy(sum, whole); err != nil {
			return "", r.unreadable(name, err)
		}
		return hex.EncodeToString(sum.Sum(nil)), r.archive(name, f, length)
	}
	if err := r.packed(name, io.TeeReader(whole, sum), head[:n]); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// folder reads the files in a folder and those below it, in the order of their
// names. Names that begin with a dot are passed over. A link is read if it leads
// to a file inside of the folder.
func (r *reader) folder(name string) (string, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return "", cannot(name, "read", err)
	}
	defer root.Close()
	sum := sha256.New()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		shown := name + ": " + path
		switch {
		case err != nil:
			return cannot(shown, "read", err)
		case path != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !advisoryFile(d.Name()):
			return nil
		}
		one, err := r.member(root, path, shown)
		fmt.Fprintf(sum, "%s %s\n", one, path)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// member reads one file of a folder.
func (r *reader) member(root *os.Root, path, shown string) (string, error) {
	if err := r.count(shown); err != nil {
		return "", err
	}
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return "", cannot(shown, "read", err)
	case !info.Mode().IsRegular(): // to open a pipe is to wait
		return "", &Error{Name: shown, Message: "is no file", Todo: "Take it out of the folder, or give it a name that does not look like an advisory's."}
	}
	f, err := root.Open(path)
	if err != nil {
		return "", cannot(shown, "read", err)
	}
	defer f.Close()
	return r.file(shown, f, info.Size())
}

// count counts a file of a folder or an archive.
func (r *reader) count(name string) error {
	if r.files++; r.files > r.limits.Files {
		return &Error{Name: name, Message: fmt.Sprintf("there are more than %d files", r.limits.Files)}
	}
	return r.ctx.Err()
}

// advisoryFile reports whether a file in a folder is read.
func advisoryFile(name string) bool {
	name = strings.ToLower(name)
	return jsonFile(strings.TrimSuffix(name, ".gz")) || strings.HasSuffix(name, ".zip")
}

func jsonFile(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson")
}
