// Package image builds frontend images without docker and without a base image:
// static binaries compiled on the host, the folders that RUNs are given, and a
// configuration for each platform, under one index. The same source and Go
// release give the same digest.
package image

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/frontend/mount"
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
		"org.opencontainers.image.description": "Dockerfile frontend that fetches over TLS: apt, and the fetches written in a Dockerfile",
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
	// Folders are in every manifest, below the program, each as a layer of its
	// own: as long as its content stays, so does the layer, from platform to
	// platform and from release to release.
	Folders []Folder
	// Entrypoint is the program's absolute path in the image.
	Entrypoint string
	// Labels are those of the configuration. Those under org.opencontainers.image.
	// are annotations of the index too.
	Labels map[string]string
	// Created is the time on the program, the configuration and the folders
	// above the program. Folders are of 1970-01-01.
	Created time.Time
}

// Index puts the image together. Layers are compressed into memory.
func (s Spec) Index() (v1.ImageIndex, error) {
	base, err := folderLayers(s.Folders)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range slices.Sorted(maps.Keys(s.Binaries)) {
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			return nil, err
		}
		img, err := s.manifest(base, *p, s.Binaries[platform])
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

// FolderImage returns an image of the folders alone.
func FolderImage(p v1.Platform, folders []Folder) (v1.Image, error) {
	img, err := folderLayers(folders)
	if err != nil {
		return nil, err
	}
	return configure(img, p, func(*v1.ConfigFile) {})
}

// folderLayers returns an image with a layer for each folder and an empty
// configuration.
func folderLayers(folders []Folder) (img v1.Image, err error) {
	img = mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, f := range folders {
		if img, err = appendLayer(img, f.Path, folderEntries(f)); err != nil {
			return nil, err
		}
	}
	return img, nil
}

func (s Spec) manifest(base v1.Image, p v1.Platform, binary string) (v1.Image, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	entries := programEntries(s.Entrypoint, program, s.Created)
	img, err := appendLayer(base, s.Entrypoint, append(entries, s.runLink(p)...))
	if err != nil {
		return nil, err
	}
	return configure(img, p, func(config *v1.ConfigFile) {
		config.Created = v1.Time{Time: s.Created}
		config.Config.Entrypoint = []string{s.Entrypoint}
		config.Config.Labels = s.Labels
	})
}

// runLink are the entries that make mount.RunLink, none without a folder for RUNs
// of the platform.
func (s Spec) runLink(p v1.Platform) []entry {
	folder, ok := mount.AptFor(&pb.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant})
	if !ok || !slices.ContainsFunc(s.Folders, func(f Folder) bool { return f.Path == folder.Selector }) {
		return nil
	}
	epoch := time.Unix(0, 0).UTC()
	link := mount.File{
		Path: strings.TrimPrefix(mount.RunLink, "/"), Mode: fs.ModeSymlink | 0o777,
		Data: []byte(strings.TrimPrefix(folder.Selector, mount.ImageDir+"/")),
	}
	return append(parents(mount.RunLink, epoch), fileEntry("", link, epoch))
}

// configure returns img for a platform, with the configuration that set makes.
func configure(img v1.Image, p v1.Platform, set func(*v1.ConfigFile)) (v1.Image, error) {
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Variant = p.OS, p.Architecture, p.Variant
	set(config)
	return mutate.ConfigFile(img, config)
}
