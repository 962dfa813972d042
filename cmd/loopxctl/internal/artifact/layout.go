package artifact

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// maxEntries is how many files a tar may have.
const maxEntries = 1 << 16

// blobName is where a layout has a blob
// (https://github.com/opencontainers/image-spec/blob/main/image-layout.md).
func blobName(h v1.Hash) string { return path.Join("blobs", h.Algorithm, h.Hex) }

// indexName is the layout's own index.
const indexName = "index.json"

// folder is a layout in a folder. No link leads out of it.
type folder struct{ root *os.Root }

func (f folder) open(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	return f.regular(blobName(d.Digest))
}

// regular opens a file; what is none, like a named pipe, is not opened.
func (f folder) regular(name string) (*os.File, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	return f.root.Open(name)
}

func readFolder(name string) (*Artifact, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	defer root.Close()
	s := folder{root}
	f, err := s.regular(indexName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fault.Error{File: name, Message: "is a folder, and no OCI layout: it has no " + indexName, Todo: todo}
	}
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	return readLayout(name, s, f)
}

// archive is a layout in a tar: where its files are in it.
type archive struct {
	file  io.ReaderAt
	files map[string]*io.SectionReader
}

func (a archive) open(_ context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	s, ok := a.files[blobName(d.Digest)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(s, 0, s.Size())), nil
}

func readTar(name string, f *os.File) (*Artifact, error) {
	a := archive{file: f, files: map[string]*io.SectionReader{}}
	r := tar.NewReader(f)
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || n >= maxEntries {
			return nil, &fault.Error{File: name, Message: "is neither a metadata file nor a tar of an OCI layout", Todo: todo}
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, fault.Of(name, "cannot be read", err)
		}
		a.files[path.Clean(h.Name)] = io.NewSectionReader(f, at, h.Size)
	}
	index, ok := a.files[indexName]
	if !ok {
		return nil, &fault.Error{File: name, Message: "is a tar, and no OCI layout: it has no " + indexName, Todo: "Export the image with docker buildx build -o type=oci,dest=FILE."}
	}
	return readLayout(name, a, index)
}

// readLayout reads the one image that a layout names.
func readLayout(name string, s store, indexFile io.Reader) (*Artifact, error) {
	unreadable := func(err error) error {
		return unsound(&fault.Error{File: name, Message: "is no sound OCI layout: " + err.Error()}, err)
	}
	data, err := io.ReadAll(io.LimitReader(indexFile, maxManifest+1))
	if err != nil {
		return nil, fault.Of(name, "cannot be read", err)
	}
	var index v1.IndexManifest
	if len(data) > maxManifest {
		err = fmt.Errorf("%s is larger than %d MiB", indexName, maxManifest>>20)
	} else {
		err = json.Unmarshal(data, &index)
	}
	if err != nil {
		return nil, unreadable(err)
	}
	top, err := only(index.Manifests)
	if err != nil {
		return nil, unreadable(err)
	}
	images, err := imagesOf(context.Background(), s, top)
	if err != nil {
		return nil, unreadable(err)
	}
	return finish(Layout, name, top.Digest.String(), images, nil), nil
}

// only returns what a layout's index names. An image with several names stands
// in it several times.
func only(manifests []v1.Descriptor) (v1.Descriptor, error) {
	var top []v1.Descriptor
	for _, d := range manifests {
		if len(top) == 0 || top[0].Digest != d.Digest {
			top = append(top, d)
		}
	}
	switch len(top) {
	case 0:
		return v1.Descriptor{}, errors.New("it names no image")
	case 1:
		return top[0], nil
	}
	return v1.Descriptor{}, fmt.Errorf("it names %d images, such as %s and %s: export one", len(top), top[0].Digest, top[1].Digest)
}
