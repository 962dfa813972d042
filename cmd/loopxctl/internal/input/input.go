// Package input reads the Dockerfiles that a person names.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/moby/buildkit/util/suggest"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

// Shown is the name of standard input in messages.
const Shown = "<stdin>"

// Read returns the bytes of the file called name, or of stdin if it is called
// "-". The error is a [*fault.Error].
func Read(stdin io.Reader, name string) ([]byte, error) {
	if name == Stdin {
		return readAll(stdin, Shown)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(name)
	case err != nil:
		return nil, fault.Of(name, "cannot be read", err)
	case info.IsDir():
		return nil, directory(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, dockerfile.MaxSize+1))
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	if len(src) > dockerfile.MaxSize {
		return nil, &fault.Error{
			File:    name,
			Message: fmt.Sprintf("is larger than %d MiB, which is all that BuildKit reads of a Dockerfile", dockerfile.MaxSize>>20),
			Todo:    "Check that this is the file you mean.",
		}
	}
	return src, nil
}

func directory(name string) error {
	e := &fault.Error{File: name, Message: "is a directory", Todo: "Name the Dockerfile in it, or - for standard input."}
	if inside := filepath.Join(name, "Dockerfile"); isFile(inside) {
		e.Todo = "Name the file: " + inside
	}
	return e
}

func missing(name string) error {
	e := &fault.Error{File: name, Message: "there is no such file", Todo: "Name a Dockerfile, or - for standard input."}
	if target, err := os.Readlink(name); err == nil {
		e.Message = "is a symbolic link to " + target + ", which does not exist"
		return e
	}
	dir, base := filepath.Split(name)
	if dir != "" && !isDir(dir) {
		e.Message = "there is no folder " + filepath.Clean(dir)
		return e
	}
	if near := similar(dir, base); near != "" {
		e.Todo = "Did you mean " + dir + near + "?"
	}
	return e
}

// similar returns the file of a folder whose name is nearest to base, or "".
// Next to a spelling mistake it knows a Dockerfile that has a longer name.
func similar(dir, base string) string {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if near, ok := suggest.Search(base, names, true); ok && len(base) > 3 {
		return near
	}
	for _, name := range names {
		if dockerfile.IsName(name) {
			return name
		}
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
