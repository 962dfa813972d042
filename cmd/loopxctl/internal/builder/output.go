package builder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/distribution/reference"
	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// registry is an --output type of docker's that is short for image,push=true.
const registry = "registry"

// cacheOnly is an --output type of docker's that keeps the result in the cache.
const cacheOnly = "cacheonly"

// parseOutputs reads --output: a folder, "-" for a tar archive on standard
// output, or type=TYPE with attributes; and --load and --push.
func (p *plan) parseOutputs() error {
	for _, value := range p.options.Outputs {
		e, err := p.parseOutput(value)
		if err != nil {
			return err
		}
		p.outputs = append(p.outputs, e)
	}
	if p.options.Push {
		p.push()
	}
	if p.options.Load {
		p.outputs = append(p.outputs, output{ExportEntry: client.ExportEntry{Type: client.ExporterDocker, Attrs: map[string]string{}}, load: true})
	}
	return p.checkNames()
}

// output is one destination of the result.
type output struct {
	client.ExportEntry
	load bool // into the Docker engine
}

func (p *plan) parseOutput(value string) (output, error) {
	e := client.ExportEntry{Attrs: map[string]string{}}
	dest := value
	switch {
	case value == "-":
		e.Type = client.ExporterTar
	case !strings.Contains(value, "="):
		e.Type = client.ExporterLocal
	default:
		fields, err := parseFields("--output", value)
		if err != nil {
			return output{}, err
		}
		e.Type, dest = fields.take("type"), fields.take("dest")
		e.Attrs = fields
	}
	if e.Type == registry {
		e.Type = client.ExporterImage
		e.Attrs["push"] = "true"
	}
	return p.destination(e, dest)
}

// destination opens the place of an output.
func (p *plan) destination(e client.ExportEntry, dest string) (output, error) {
	switch e.Type {
	case client.ExporterLocal:
		if dest == "" {
			return output{}, errors.New("--output type=local has no dest=FOLDER")
		}
		e.OutputDir = dest
	case client.ExporterTar, client.ExporterOCI, client.ExporterDocker:
		return p.archive(e, dest)
	case client.ExporterImage, cacheOnly:
		if dest != "" {
			return output{}, fmt.Errorf("--output type=%s takes no dest", e.Type)
		}
	case "":
		return output{}, errors.New("--output has no type: write type=local,dest=FOLDER, or FOLDER alone")
	default:
		return output{}, fmt.Errorf("--output: there is no type %q; known are local, tar, oci, docker, image, registry, cacheonly", e.Type)
	}
	return output{ExportEntry: e}, nil
}

// archive is the output of an archive, or with tar=false of a folder in the
// layout of OCI. type=docker without dest is --load.
func (p *plan) archive(e client.ExportEntry, dest string) (output, error) {
	asTar, err := strconv.ParseBool(e.Attrs["tar"])
	switch {
	case e.Attrs["tar"] != "" && err != nil:
		return output{}, errors.New("--output: tar is true or false")
	case dest == "" && e.Type == client.ExporterDocker:
		return output{ExportEntry: e, load: true}, nil
	case err == nil && !asTar && e.Type != client.ExporterTar:
		if dest == "" {
			return output{}, fmt.Errorf("--output type=%s,tar=false has no dest=FOLDER", e.Type)
		}
		e.OutputDir = dest
		return output{ExportEntry: e}, nil
	case dest == "" || dest == "-":
		if isTerminal(p.streams.Out) {
			return output{}, fmt.Errorf("--output type=%s would write an archive to the terminal: add dest=FILE", e.Type)
		}
		e.Output = func(map[string]string) (io.WriteCloser, error) { return nopCloser{p.streams.Out}, nil }
		return output{ExportEntry: e}, nil
	}
	if info, err := os.Stat(dest); err == nil && info.IsDir() {
		return output{}, fmt.Errorf("--output: %s is a folder, and type=%s writes a file", dest, e.Type)
	}
	e.Output = func(map[string]string) (io.WriteCloser, error) {
		f, err := os.Create(dest)
		if err != nil {
			return nil, fault.Of(dest, "cannot be written", err)
		}
		return f, nil
	}
	return output{ExportEntry: e}, nil
}

// push makes the images that are asked for be pushed, or asks for one.
func (p *plan) push() {
	found := false
	for _, e := range p.outputs {
		if e.Type == client.ExporterImage {
			e.Attrs["push"], found = "true", true
		}
	}
	if !found {
		p.outputs = append(p.outputs, output{ExportEntry: client.ExportEntry{Type: client.ExporterImage, Attrs: map[string]string{"push": "true"}}})
	}
}

// checkNames gives images the names of --tag.
func (p *plan) checkNames() error {
	for _, tag := range p.options.Tags {
		if _, err := reference.ParseNormalizedNamed(tag); err != nil {
			return fmt.Errorf("--tag %q: %w", tag, err)
		}
	}
	names := strings.Join(p.options.Tags, ",")
	for _, e := range p.outputs {
		switch e.Type {
		case client.ExporterImage, client.ExporterOCI, client.ExporterDocker:
			if names != "" {
				e.Attrs["name"] = names
			}
			if pushes(e) && e.Attrs["name"] == "" {
				return errors.New("--push has nothing to push to: name the image with --tag REGISTRY/NAME:TAG")
			}
		}
	}
	return nil
}

func pushes(e output) bool {
	push, err := strconv.ParseBool(e.Attrs["push"])
	return err == nil && push
}

type nopCloser struct{ io.Writer }

// Close leaves the stream open: it is the process's.
func (nopCloser) Close() error { return nil }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
