package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// file is a regular file of an image, or a folder if its path ends in a slash, or
// a hard link if link is set.
type file struct {
	path string // without the leading slash
	mode int64
	body string
	link string
}

// busyboxPrograms is busybox and a link for each of its programs.
func busyboxPrograms(ctx context.Context, root string) ([]file, error) {
	busybox := filepath.Join(root, "bin", "busybox")
	body, err := os.ReadFile(busybox)
	if err != nil {
		return nil, err
	}
	names, err := exec.CommandContext(ctx, busybox, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("busybox --list: %w", err)
	}
	files := []file{{path: "bin/busybox", mode: 0o755, body: string(body)}}
	for name := range strings.FieldsSeq(string(names)) {
		if name != "busybox" {
			files = append(files, file{path: "bin/" + name, mode: 0o755, link: "bin/busybox"})
		}
	}
	return append(files, file{path: "usr/bin/env", mode: 0o755, link: "bin/busybox"}), nil
}

// dynamicPrograms returns programs of root, the loader that they name, and their
// libraries, which go where every loader looks.
func dynamicPrograms(root string, programs ...string) ([]file, error) {
	var files []file
	seen := map[string]bool{}
	for queue := programs; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		body, err := readProgram(root, path.Base(queue[0]))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: queue[0], mode: 0o755, body: string(body)})
		needed, err := neededBy(body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", queue[0], err)
		}
		queue = append(queue, needed...)
	}
	return files, nil
}

// readProgram reads a program or library by its name alone: some paths in root
// are absolute links, which would lead to the host's.
func readProgram(root, name string) ([]byte, error) {
	for _, folder := range []string{"bin", "sbin", "usr/bin", "lib/*", "usr/lib/*"} {
		found, err := filepath.Glob(filepath.Join(root, folder, name))
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return os.ReadFile(found[0])
		}
	}
	return nil, fmt.Errorf("%s is not in %s", name, standInPackages)
}

// neededBy returns the paths for the loader and the libraries of a program.
func neededBy(program []byte) ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return nil, err
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	var needed []string
	for _, l := range libraries {
		needed = append(needed, "lib/"+l)
	}
	if s := f.Section(".interp"); s != nil {
		loader, err := s.Data()
		if err != nil {
			return nil, err
		}
		needed = append(needed, strings.Trim(string(loader), "/\x00"))
	}
	return needed, nil
}

func writeTar(w io.Writer, files []file) error {
	out := tar.NewWriter(w)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Size: int64(len(f.body)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		switch {
		case strings.HasSuffix(f.path, "/"):
			h.Typeflag = tar.TypeDir
		case f.link != "":
			h.Typeflag, h.Linkname = tar.TypeLink, f.link
		}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.WriteString(out, f.body); err != nil {
			return err
		}
	}
	return out.Close()
}
