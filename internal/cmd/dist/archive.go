package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// file is one in an archive.
type file struct {
	name string // with slashes
	mode fs.FileMode
	data []byte
}

// create writes an archive of the files, all of them below a folder, with the
// same time on each.
func create(path, folder string, files []file, at time.Time, write func(io.Writer, string, []file, time.Time) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f, folder, files, at)
}

// writeTarGz writes a tar archive. Its files belong to root; neither it nor the
// gzip header around it names this machine or the time of the run.
func writeTarGz(w io.Writer, folder string, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.data)),
			Mode: int64(f.mode), ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// writeZip is writeTarGz for zip. A zip archive knows no time before 1980.
func writeZip(w io.Writer, folder string, files []file, at time.Time) error {
	if first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(first) {
		at = first
	}
	z := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		entry, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeSums writes the checksums of all files in a folder, as sha256sum prints
// and checks them.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text []byte
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), text, 0o644)
}
