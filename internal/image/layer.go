package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/loopx/loopx-frontend/frontend/mount"
)

// entry is one entry of a layer. All belong to root.
type entry struct {
	tar.Header
	data []byte
}

// folderEntries are those of a folder: the folders above it, itself, its files.
// Every time is 1970-01-01.
func folderEntries(f Folder) []entry {
	epoch := time.Unix(0, 0).UTC() // an image's history shows the zone
	entries := parents(f.Path+"/", epoch)
	dir := entries[len(entries)-1].Name
	for _, file := range f.Files {
		entries = append(entries, fileEntry(dir, file, epoch))
	}
	return entries
}

func fileEntry(dir string, file mount.File, modified time.Time) entry {
	e := entry{Header: tar.Header{
		Typeflag: tar.TypeReg, Name: dir + file.Path,
		Mode: int64(file.Mode.Perm()), ModTime: modified, Format: tar.FormatUSTAR,
	}}
	switch file.Mode.Type() {
	case fs.ModeDir:
		e.Typeflag, e.Name = tar.TypeDir, e.Name+"/"
	case fs.ModeSymlink:
		e.Typeflag, e.Linkname = tar.TypeSymlink, string(file.Data)
	default:
		e.Size, e.data = int64(len(file.Data)), file.Data
	}
	return e
}

// programEntries are the folders above the program and the program itself.
func programEntries(path string, program []byte, modified time.Time) []entry {
	file := mount.File{Path: strings.TrimPrefix(path, "/"), Mode: 0o755, Data: program}
	return append(parents(path, modified), fileEntry("", file, modified))
}

// parents are the folders above an absolute path, outermost first.
func parents(path string, modified time.Time) []entry {
	var entries []entry
	name := strings.TrimPrefix(path, "/")
	for i, c := range name {
		if c == '/' {
			folder := mount.File{Path: name[:i], Mode: fs.ModeDir | 0o755}
			entries = append(entries, fileEntry("", folder, modified))
		}
	}
	return entries
}

// appendLayer returns img with one more layer, and with a line in its history
// that tells what the layer is for.
func appendLayer(img v1.Image, path string, entries []entry) (v1.Image, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: entries[0].ModTime}
	return mutate.Append(img, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: created, CreatedBy: "COPY " + path},
	})
}
