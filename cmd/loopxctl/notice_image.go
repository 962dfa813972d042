package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
)

// The files of an image that say which release it is and what is installed. Source:
// os-release(5), dpkg(1); images without dpkg keep a stanza for each package in
// status.d (https://github.com/GoogleContainerTools/distroless).
const (
	etcRelease = "etc/os-release"
	usrRelease = "usr/lib/os-release"
	dpkgStatus = "var/lib/dpkg/status"
	dpkgFolder = "var/lib/dpkg/status.d/"
)

// readBase reads what an image holds: an OCI layout, as a folder, or the tar that
// "docker save" writes. Nothing of it is run or unpacked.
func readBase(name string) (distro.OS, []inventory.Package, error) {
	image, err := openImage(name)
	if err != nil {
		return distro.OS{}, nil, fault.Of(name, "is no image that can be read", err)
	}
	files, err := imageFiles(image)
	if err != nil {
		return distro.OS{}, nil, fault.Of(name, "is no image that can be read", err)
	}
	text, ok := files[etcRelease]
	if !ok {
		text = files[usrRelease]
	}
	o, _ := distro.Release(text)
	packages, err := installed(files)
	if err != nil {
		return o, nil, &fault.Error{File: name, Message: "its list of packages: " + err.Error()}
	}
	if o.System == "" && packages == nil {
		return o, nil, &fault.Error{File: name, Message: "holds neither an os-release file nor a list of dpkg", Todo: "Say what it is with --base-os."}
	}
	return o, packages, nil
}

// openImage opens the image, or the first of several platforms.
func openImage(name string) (v1.Image, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, errors.New("it is no folder and no file")
	case !info.IsDir():
		image, err := tarball.ImageFromPath(name, nil)
		if err != nil {
			return nil, fmt.Errorf("it is no tar of docker save (unpack the tar of an OCI layout into a folder): %w", err)
		}
		return image, nil
	}
	index, err := layout.ImageIndexFromPath(name)
	if err != nil {
		return nil, err
	}
	return firstImage(index, 0)
}

// firstImage is the first image of an index that is no attestation.
func firstImage(index v1.ImageIndex, depth int) (v1.Image, error) {
	const most = 4
	manifest, err := index.IndexManifest()
	if err != nil || depth == most {
		return nil, errors.Join(err, errors.New("it has no image"))
	}
	for _, d := range manifest.Manifests {
		switch {
		case d.Annotations["vnd.docker.reference.type"] != "":
		case d.MediaType.IsImage():
			return index.Image(d.Digest)
		case d.MediaType.IsIndex():
			inner, err := index.ImageIndex(d.Digest)
			if err != nil {
				return nil, err
			}
			return firstImage(inner, depth+1)
		}
	}
	return nil, errors.New("it has no image")
}

// maxLayers is how many layers are read.
const maxLayers = 1000

// imageFiles returns the files of an image that are asked for, each as the topmost
// layer has it.
func imageFiles(image v1.Image) (map[string]string, error) {
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	if len(layers) > maxLayers {
		return nil, fmt.Errorf("it has more than %d layers", maxLayers)
	}
	found := layerFiles{texts: map[string]string{}, gone: map[string]bool{}}
	for i := len(layers) - 1; i >= 0; i-- {
		if err := found.layer(layers[i]); err != nil {
			return nil, err
		}
	}
	return found.texts, nil
}

// layerFiles collects files from the top layer down.
type layerFiles struct {
	texts map[string]string
	// gone are files that a layer above has, or has taken away.
	gone map[string]bool
}

// maxLayer is how much of one layer is read, in bytes, unpacked.
const maxLayer = 16 << 30

func (l *layerFiles) layer(layer v1.Layer) error {
	r, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	defer r.Close()
	above := map[string]bool{}
	t := tar.NewReader(io.LimitReader(r, maxLayer))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		taken := path.Join(path.Dir(name), strings.TrimPrefix(path.Base(name), ".wh."))
		if !wantedFile(taken) || l.gone[taken] {
			continue
		}
		above[taken] = true
		if taken != name || h.Typeflag != tar.TypeReg {
			continue // it was taken away, or is a link: etc/os-release leads to usr/lib
		}
		text, err := readBounded(t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		l.texts[name] = string(text)
	}
	for name := range above {
		l.gone[name] = true
	}
	return nil
}

func wantedFile(name string) bool {
	rest, below := strings.CutPrefix(name, dpkgFolder)
	return name == etcRelease || name == usrRelease || name == dpkgStatus || below && !strings.Contains(rest, ".md5sums")
}

// installed are the packages that dpkg's files list; nil if there are none.
func installed(files map[string]string) ([]inventory.Package, error) {
	var all []inventory.Package
	for name, text := range files {
		if name != dpkgStatus && !strings.HasPrefix(name, dpkgFolder) || strings.TrimSpace(text) == "" {
			continue
		}
		list, err := inventory.Read(text)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Packages...)
	}
	return all, nil
}
