// Package daemon finds the BuildKit that builds, or starts one.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/moby/buildkit/client"
	// The addresses of BUILDKIT_HOST beside unix and tcp.
	_ "github.com/moby/buildkit/client/connhelper/dockercontainer"
	_ "github.com/moby/buildkit/client/connhelper/kubepod"
	_ "github.com/moby/buildkit/client/connhelper/podmancontainer"
	_ "github.com/moby/buildkit/client/connhelper/ssh"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Values of Request.Builder beside an address.
const (
	// Auto is BUILDKIT_HOST, else the Docker engine, else a private daemon.
	Auto = "auto"
	// Docker is the Docker engine's own BuildKit.
	Docker = "docker"
	// Private is a buildkitd that is started, and ends with the build.
	Private = "private"
)

// HostVariable holds the address of a BuildKit, as buildctl reads it.
const HostVariable = "BUILDKIT_HOST"

// Request says which daemon is wanted.
type Request struct {
	// Builder is Auto or "", Docker, Private or an address.
	Builder string
	// Allow are the entitlements that a private daemon is to grant.
	Allow []string
	// Environ reads the environment.
	Environ func(string) (string, bool)
}

// Daemon is a BuildKit that answers.
type Daemon struct {
	Client *client.Client
	// Engine is the Docker engine that it is part of, or nil.
	Engine  *Engine
	workers []*client.WorkerInfo
	stop    func() error
}

// answerWithin is how long a daemon that runs already may take to answer.
const answerWithin = 20 * time.Second

// Open connects to the daemon, or starts it. The error is a *fault.Error that says
// what to do, unless Builder is no such thing.
func Open(ctx context.Context, r Request) (*Daemon, error) {
	host, _ := r.Environ(HostVariable)
	switch {
	case r.Builder == Docker:
		return openDocker(ctx, r)
	case r.Builder == Private:
		return openPrivate(ctx, r)
	case strings.Contains(r.Builder, "://"):
		return connect(ctx, r.Builder, "--builder")
	case r.Builder != "" && r.Builder != Auto:
		return nil, fmt.Errorf("--builder %q is none of auto, docker, private, and no address such as unix:///run/buildkit/buildkitd.sock", r.Builder)
	case host != "":
		return connect(ctx, host, HostVariable)
	}
	return find(ctx, r)
}

// find is Auto without BUILDKIT_HOST.
func find(ctx context.Context, r Request) (*Daemon, error) {
	if engineExpected(r.Environ) {
		return openDocker(ctx, r)
	}
	d, err := openPrivate(ctx, r)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.Message = "there is no builder: " + HostVariable + " and DOCKER_HOST are not set, " + socketShown() + " is not there, and a private one can't be started: " + f.Message
	}
	return d, err
}

func connect(ctx context.Context, address, from string) (*Daemon, error) {
	failed := func(err error) (*Daemon, error) {
		return nil, &fault.Error{
			Message: "no BuildKit answers at " + route.Redact(address) + " (" + from + "): " + lastPart(err),
			Todo:    "Start it, correct the address, or leave it out for the Docker engine or a private builder.",
		}
	}
	c, err := client.New(ctx, address)
	if err != nil {
		return failed(err)
	}
	d := &Daemon{Client: c, stop: func() error { return nil }}
	if err := d.ask(ctx); err != nil {
		c.Close()
		return failed(err)
	}
	return d, nil
}

// ask waits for the daemon's workers.
func (d *Daemon) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	workers, err := d.Client.ListWorkers(ctx)
	if err == nil && len(workers) == 0 {
		err = errors.New("it has no worker")
	}
	d.workers = workers
	return err
}

// Attestations reports whether images that it exports can have attestations: a
// Docker engine's can with containerd's store of images only.
func (d *Daemon) Attestations() bool {
	if d.Engine == nil {
		return true
	}
	for _, w := range d.workers {
		if _, ok := w.Labels["org.mobyproject.buildkit.worker.snapshotter"]; ok {
			return true
		}
	}
	return false
}

// Close ends the connection, and the daemon if it is private.
func (d *Daemon) Close() error { return errors.Join(d.Client.Close(), d.stop()) }

// lastPart is the cause in an error of gRPC, whose text names the layers above it.
func lastPart(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "desc = "); i >= 0 {
		text = text[i+len("desc = "):]
	}
	return strings.Trim(text, `"`)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
