// Package builder builds a Dockerfile as `docker build` does, with the LoopX
// frontend in this process: nothing is pulled for it, whatever the daemon. The
// daemon is a BuildKit that runs already, the one in a Docker engine, or one
// that is started for the build and ends with it.
package builder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/daemon"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
)

// Streams are those of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Failed is a build, or a request to the frontend, that the daemon or the
// frontend ended. What there is to say about it has been printed.
type Failed struct{ Err error }

// Error is the daemon's text.
func (f *Failed) Error() string { return f.Err.Error() }

// Unwrap is what BuildKit's client returned.
func (f *Failed) Unwrap() error { return f.Err }

// Run builds what o says. Progress and failures go to the error stream; the
// answer to a call, the image's ID with Quiet, and an output "-" to the other.
//
// The error is a [*Failed], a *fault.Error for a file or a daemon that is not
// there, and anything else for options that cannot be used.
func Run(ctx context.Context, o Options, s Streams) error {
	p, err := newPlan(o, s)
	if err != nil {
		return err
	}
	defer p.release()
	content, err := p.given()
	if err != nil {
		return err
	}
	defer content.Close()
	d, err := daemon.Open(ctx, daemon.Request{Builder: o.Builder, Allow: p.opt.AllowedEntitlements, Environ: o.Env})
	if err != nil {
		return err
	}
	defer d.Close()
	if err := p.deliver(ctx, d, content); err != nil {
		return err
	}
	response, err := p.build(ctx, d, content)
	if err != nil {
		return err
	}
	return p.finish(ctx, d, response)
}

// given finds what RUNs are given. A call runs no RUN, and in the proxy network
// RUNs are left as they are.
func (p *plan) given() (*given.Content, error) {
	if p.call != nil || p.options.ProxyNetwork {
		return &given.Content{}, nil
	}
	return given.Find(p.options.FrontendImage, p.options.Env)
}

// build runs the build and shows how it goes.
func (p *plan) build(ctx context.Context, d *daemon.Daemon, content *given.Content) (*client.SolveResponse, error) {
	status := make(chan *client.SolveStatus)
	shown := make(chan error, 1)
	go func() { shown <- display.Show(p.streams.Err, p.display(), status) }()
	response, err := d.Client.Build(ctx, p.opt, "loopxctl", p.frontend(content), status)
	showErr := <-shown
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(p.streams.Err, "ERROR: the build was cancelled")
		return nil, &Failed{context.Cause(ctx)}
	case err != nil:
		printFailure(p.streams.Err, err)
		return nil, &Failed{err}
	}
	return response, showErr
}

// display is the mode in which progress is shown. An answer to a call is not
// mixed with it.
func (p *plan) display() display.Mode {
	if p.options.Quiet || p.call != nil && p.options.Progress == display.Auto {
		return display.Quiet
	}
	return p.options.Progress
}

// finish writes what the build left.
func (p *plan) finish(ctx context.Context, d *daemon.Daemon, response *client.SolveResponse) error {
	answer := response.ExporterResponse
	if err := p.writeFiles(answer); err != nil {
		return err
	}
	if p.call != nil {
		return p.print(p.answer)
	}
	if err := p.delivered(ctx, d); err != nil {
		return err
	}
	if p.options.Quiet {
		fmt.Fprintln(p.streams.Out, imageID(answer))
	}
	return nil
}

// remove removes a file that may not exist.
func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
