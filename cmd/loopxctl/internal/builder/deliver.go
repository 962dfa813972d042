package builder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/containerd/containerd/v2/core/content"
	"github.com/moby/buildkit/client"
	"github.com/moby/buildkit/solver/pb"
	"github.com/tonistiigi/fsutil"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/daemon"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// moby is the exporter of a Docker engine's own BuildKit, which puts the image
// into the engine.
const moby = "moby"

// deliver fits the outputs to the daemon.
func (p *plan) deliver(ctx context.Context, d *daemon.Daemon, c *given.Content) error {
	for name, store := range c.Stores() {
		if p.opt.OCIStores == nil {
			p.opt.OCIStores = map[string]content.Store{}
		}
		p.opt.OCIStores[name] = store
	}
	for name, tree := range c.Folders() {
		if p.opt.LocalMounts == nil {
			p.opt.LocalMounts = map[string]fsutil.FS{}
		}
		p.opt.LocalMounts[name] = tree
	}
	if d.Engine != nil && p.opt.FrontendAttrs["image-resolve-mode"] == "" {
		p.opt.FrontendAttrs["image-resolve-mode"] = pb.AttrImageResolveModePreferLocal
	}
	if d.Engine != nil && p.options.ProxyNetwork {
		return &fault.Error{Message: "the Docker engine's own builder has no proxy network", Todo: "Name another one with --builder or BUILDKIT_HOST, or build with --builder private."}
	}
	if p.call != nil {
		return nil
	}
	p.defaultProvenance(d)
	if len(p.outputs) == 0 && d.Engine != nil {
		p.outputs = []output{{ExportEntry: client.ExportEntry{Type: client.ExporterImage, Attrs: map[string]string{}}}}
		if err := p.checkNames(); err != nil {
			return err
		}
	}
	if len(p.outputs) == 0 && !p.options.Quiet {
		fmt.Fprintln(p.streams.Err, "loopxctl: warning: no output is named: the result stays in the builder's cache (--push, --load, or --output FOLDER)")
	}
	return p.exports(ctx, d)
}

// defaultProvenance asks for what buildx asks for: the least provenance, where an
// image is exported.
func (p *plan) defaultProvenance(d *daemon.Daemon) {
	if off, _ := p.options.Env(noDefaultAttestations); off == "1" || off == "true" || p.provenance || !d.Attestations() {
		return
	}
	p.opt.FrontendAttrs["attest:provenance"] = "mode=min,inline-only=true"
}

func (p *plan) exports(ctx context.Context, d *daemon.Daemon) error {
	p.loads = make(chan func() error, len(p.outputs))
	for _, e := range p.outputs {
		if e.Type == cacheOnly {
			continue
		}
		maps.Copy(e.Attrs, p.annotations)
		switch {
		case d.Engine != nil && (e.Type == client.ExporterImage || e.load):
			p.intoEngine(&e)
		case e.load:
			if err := p.load(ctx, d, &e); err != nil {
				return err
			}
		}
		p.opt.Exports = append(p.opt.Exports, e.ExportEntry)
	}
	return nil
}

// intoEngine exports into the engine that builds. An engine with its own store
// of images pushes from there; one with containerd's can push at once.
func (p *plan) intoEngine(e *output) {
	if pushes(*e) {
		p.pushes = append(p.pushes, strings.Split(e.Attrs["name"], ",")...)
		delete(e.Attrs, "push")
	}
	e.Type, e.Output = moby, nil
}

// load sends the image to a Docker engine while it is exported.
func (p *plan) load(ctx context.Context, d *daemon.Daemon, e *output) error {
	if strings.Contains(p.opt.FrontendAttrs["platform"], ",") {
		return errors.New("--load takes an image of one platform: name one with --platform, or write an archive with --output type=oci,dest=FILE")
	}
	engine, err := daemon.OpenEngine(ctx, p.options.Env)
	if err != nil {
		return err
	}
	e.Type = client.ExporterDocker
	e.Output = func(map[string]string) (io.WriteCloser, error) {
		w, wait := engine.Load(ctx)
		p.loads <- wait
		return w, nil
	}
	return nil
}

// delivered waits until the result is where it should be.
func (p *plan) delivered(ctx context.Context, d *daemon.Daemon) error {
	close(p.loads)
	for wait := range p.loads {
		if err := wait(); err != nil {
			return &fault.Error{Message: "the Docker engine did not take the image: " + err.Error(), Todo: "See whether `docker info` answers."}
		}
	}
	slices.Sort(p.pushes)
	for _, name := range slices.Compact(p.pushes) {
		auth, err := p.pushAuth(name)
		if err != nil {
			return err
		}
		if err := d.Engine.Push(ctx, name, auth); err != nil {
			printLines(p.streams.Err, "ERROR: failed to push "+name+": "+err.Error())
			return &Failed{err}
		}
		fmt.Fprintln(p.streams.Err, "pushed "+name)
	}
	return nil
}
