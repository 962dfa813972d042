// Package image builds frontend images without docker and without a base image:
// static binaries compiled on the host, one layer and a configuration each,
// under one index. The same source and Go release give the same digest.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// FrontendLabels are the labels by which BuildKit knows what a frontend image
// can do: that it needs no network, and which requests it answers. They are
// those of docker/dockerfile as built from BuildKit v0.34
// (frontend/dockerfile/cmd/dockerfile-frontend/Dockerfile there). Without the
// second one the daemon refuses inputs and subrequests before the frontend starts.
func FrontendLabels() map[string]string {
	return map[string]string{
		"moby.buildkit.frontend.network.none": "true",
		"moby.buildkit.frontend.caps": "moby.buildkit.frontend.inputs,moby.buildkit.frontend.subrequests," +
			"moby.buildkit.frontend.contexts,moby.buildkit.frontend.gitquerystring,moby.buildkit.frontend.contexts.zstd",
	}
}

// Labels are FrontendLabels and those that describe this project's image to
// people, by the names of the OCI image specification's annotations. The
// Dockerfile at the root of the repository has the same.
func Labels(version, revision string) map[string]string {
	labels := FrontendLabels()
	maps.Copy(labels, map[string]string{
		"org.opencontainers.image.title":       "loopx-frontend",
		"org.opencontainers.image.description": "Dockerfile frontend that moves the clear-text fetches written in a Dockerfile to TLS",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.source":      "https://github.com/loopx/loopx-frontend",
		"org.opencontainers.image.version":     version,
		"org.opencontainers.image.revision":    revision,
	})
	return labels
}

// Entrypoint is the path of the program in this project's image.
const Entrypoint = "/bin/loopx-frontend"

// Spec says what goes into an image.
type Spec struct {
	// Binaries are the compiled programs: platform to path of the file. There is
	// one manifest for each.
	Binaries map[string]string
	// Entrypoint is the program's absolute path in the image.
	Entrypoint string
	// Labels are those of the configuration. Those under org.opencontainers.image.
	// are annotations of the index too.
	Labels map[string]string
	// Created is the time on everything in the image.
	Created time.Time
}

// Index puts the image together. Layers are compressed into memory.
func (s Spec) Index() (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range slices.Sorted(maps.Keys(s.Binaries)) {
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			return nil, err
		}
		img, err := s.manifest(*p, s.Binaries[platform])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p}})
	}
	annotations := maps.Clone(s.Labels)
	maps.DeleteFunc(annotations, func(name, _ string) bool {
		return !strings.HasPrefix(name, "org.opencontainers.image.")
	})
	return mutate.Annotations(index, annotations).(v1.ImageIndex), nil
}

func (s Spec) manifest(p v1.Platform, binary string) (v1.Image, error) {
	layer, err := s.layer(binary)
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: s.Created}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: created, CreatedBy: "COPY " + s.Entrypoint},
	})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant, config.Created = p.OS, p.Architecture, p.Variant, created
	config.Config.Entrypoint = []string{s.Entrypoint}
	config.Config.Labels = s.Labels
	return mutate.ConfigFile(img, config)
}

// layer returns a layer with the program and the folders above it.
func (s Spec) layer(binary string) (v1.Layer, error) {
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range s.headers(int64(len(data))) {
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil }
	return tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
}

// headers are those of the folders, outermost first, and of the program last.
func (s Spec) headers(size int64) []tar.Header {
	name := strings.TrimPrefix(path.Clean(s.Entrypoint), "/")
	var headers []tar.Header
	for i, c := range name {
		if c == '/' {
			headers = append(headers, tar.Header{Typeflag: tar.TypeDir, Name: name[:i+1]})
		}
	}
	headers = append(headers, tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size})
	for i := range headers {
		headers[i].Mode, headers[i].ModTime, headers[i].Format = 0o755, s.Created, tar.FormatUSTAR
	}
	return headers
}
