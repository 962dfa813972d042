package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// program is a compiled Go program.
type program struct {
	name     string // the last part of its import path
	platform string // that it was compiled for: linux/arm64, linux/arm/v7
	data     []byte
	info     *debug.BuildInfo
}

// readProgram reads what a program says about itself.
func readProgram(data []byte) (program, error) {
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return program{}, err
	}
	return program{path.Base(info.Path), platformOf(info), data, info}, nil
}

func platformOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	platform := settings["GOOS"] + "/" + settings["GOARCH"]
	if arm := settings["GOARM"]; arm != "" {
		platform += "/v" + arm[:1]
	}
	return platform
}

// modules are those that are linked in, replacements in place of what they
// replace.
func (p program) modules() []*debug.Module {
	var all []*debug.Module
	for _, m := range p.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	return all
}

// contents is what an image holds, of all its platforms. What is in it more than
// once is here under the first of its names.
type contents struct {
	programs []program
	files    []file // that are no programs
	seen     map[string]bool
}

// readImage reads the image that is the one entry of a layout's index.
func readImage(outer v1.ImageIndex) (contents, error) {
	all := contents{seen: map[string]bool{}}
	manifest, err := outer.IndexManifest()
	if err != nil {
		return all, err
	}
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		return all, err
	}
	if manifest, err = index.IndexManifest(); err != nil {
		return all, err
	}
	for _, desc := range manifest.Manifests {
		img, err := index.Image(desc.Digest)
		if err != nil {
			return all, err
		}
		layers, err := img.Layers()
		if err != nil {
			return all, err
		}
		for _, layer := range layers {
			if err := all.addLayer(layer); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

func (c *contents) addLayer(layer v1.Layer) error {
	stream, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	defer stream.Close()
	for r := tar.NewReader(stream); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := c.add(header, data); err != nil {
			return err
		}
	}
}

func (c *contents) add(header *tar.Header, data []byte) error {
	sum := digestOf(data)
	if c.seen[sum] {
		return nil
	}
	c.seen[sum] = true
	if header.Mode&0o111 == 0 {
		c.files = append(c.files, file{name: header.Name, data: data})
		return nil
	}
	p, err := readProgram(data)
	if err != nil {
		return fmt.Errorf("%s in the image: %w", header.Name, err)
	}
	c.programs = append(c.programs, p)
	return nil
}

// digestOf is the SHA-256 in hexadecimal.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
