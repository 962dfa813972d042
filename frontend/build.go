// Package frontend is the LoopX Dockerfile frontend for BuildKit. It is
// BuildKit's own Dockerfile frontend behind a gateway client that moves the
// fetches of each definition to TLS on its way to the daemon. The user's bytes,
// the image's configuration and its history stay as the stock frontend makes
// them.
package frontend

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerfile/builder"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/convertllb"
	"github.com/moby/buildkit/frontend/subrequests/lint"
)

// Frontend is the frontend as a program has it. The zero value is ready to use.
type Frontend struct {
	// Version is what the progress output and the report call it.
	Version string
	// Mount is the image with the folders of package mount, as of
	// internal/image: where it is nil, the image that the daemon runs the
	// frontend from. A program that builds in-process has no such image: without
	// Mount its RUNs that run apt are refused.
	Mount *llb.State
	// Policy is an organisation's folder, nil if there is none: a frontend's image
	// has it at PolicyDir. It holds the configuration of the organisation, the
	// signers whose acknowledgements count (ack.Load says of which files), and in
	// a folder ca certificate authorities.
	Policy fs.FS
	// ProxyNetwork says that the client turned BuildKit's proxy network on, with
	// a source policy that says what the route table does: RUNs are left to it.
	ProxyNetwork bool
}

// Build is the Build of the zero Frontend.
func Build(ctx context.Context, c client.Client) (*client.Result, error) {
	return Frontend{}.Build(ctx, c)
}

// Build answers one request to the frontend: a build or a subrequest. It is the
// client.BuildFunc for an image's entry point and for builds in-process.
//
// The errors are BuildKit's own, and five kinds of ours: a configuration that
// cannot be used, before anything is fetched; a *settings.LockError for one that
// weakens what the organisation locked; a named context loopx-ca that
// holds anything but certificates; signers that can't be read, where there is a
// blocker; and, unless LOOPX_MODE=audit, a *RefusedError with all blockers.
func (f Frontend) Build(ctx context.Context, c client.Client) (*client.Result, error) {
	opts := c.BuildOpts().Opts
	cfg, err := readRequest(opts, f.Policy)
	if err != nil {
		return nil, err
	}
	g, err := f.gateway(c, cfg)
	if err != nil {
		return nil, err
	}
	if err := foreignSyntax(ctx, g); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := opts["requestid"]
	switch request {
	case "", convertllb.RequestConvertLLB, lint.RequestLint:
		aside, err := f.gateway(c, cfg)
		if err != nil {
			return nil, err
		}
		g.project = readAside(ctx, aside)
		if err := g.given(ctx, f.Policy, request); err != nil {
			return nil, err
		}
	}
	var shown sync.WaitGroup
	if request == "" && !cfg.quiet {
		shown.Go(func() { show(ctx, c, f.title()) })
	}
	res, err := builder.Build(ctx, g)
	shown.Wait()
	if err := g.settle(ctx); err != nil {
		return nil, err
	}
	if err == nil && request == "" {
		err = g.tellText(ctx)
	}
	if err != nil {
		return nil, err
	}
	switch request {
	case lint.RequestLint:
		return addLint(ctx, g, res, rewrite.New)
	case convertllb.RequestConvertLLB:
		return g.convert(ctx, res)
	case "":
		return res, g.answer(ctx, res, f.report(g.reporter.cfg, g.pass.Bundle.Operator()))
	}
	return res, nil
}

// answer adds the report to the result of a build, and to the attestations of
// its images where that is asked for.
func (g *gateway) answer(ctx context.Context, res *client.Result, rep buildreport.Report) error {
	if err := g.record.write(res, rep); err != nil || !g.reporter.cfg.attest {
		return err
	}
	return g.attest(ctx, res)
}

// gateway returns the client that the builder talks to.
func (f Frontend) gateway(c client.Client, cfg request) (*gateway, error) {
	g := newGateway(c, cfg, llbpass.Pass{Analyse: words.Analyse, ProxyNetwork: f.ProxyNetwork, MountName: "[internal] load what RUNs are given"})
	g.mount.given, g.signatures.baked = f.Mount, f.Policy
	return g, cfg.follow(&g.pass)
}

// given reads the certificate authorities, and under a lock the named context with
// signers: what weakens the lock ends the build before it begins.
func (g *gateway) given(ctx context.Context, baked fs.FS, request string) (err error) {
	in := g.reporter.cfg.settings
	if in.Lock != nil {
		if _, err := g.signatures.named(ctx, besides{g}); err != nil {
			return err
		}
	}
	if request == lint.RequestLint {
		return nil
	}
	if g.pass.Bundle, err = bakedBundle(baked, g.pass.Bundle); err != nil {
		return err
	}
	g.pass.Bundle, err = operatorBundle(ctx, g, g.pass.Bundle, in)
	return err
}

// report returns what the report says of the configuration.
func (f Frontend) report(cfg request, operatorCA bool) buildreport.Report {
	checks := "on"
	if cfg.quiet {
		checks = "off"
	}
	return buildreport.Report{
		Frontend: f.version(), Hosts: route.DataDate(),
		Mode: string(cmp.Or(cfg.route.Mode, route.Enforce)), Apt: string(cfg.apt), Checks: checks, ProxyNetwork: f.ProxyNetwork,
		Mirrors: cfg.route.Mirrors, Rules: cfg.route.Hosts, OperatorCA: operatorCA, Notes: cfg.notes,
		Files: cfg.files, Locked: cfg.settings.Lock != nil, Weakened: cfg.weakened,
	}
}

// title is the line of the progress output that says which frontend this is.
func (f Frontend) title() string {
	return fmt.Sprintf("[internal] loopx-frontend %s (hosts as of %s)", f.version(), route.DataDate())
}

func (f Frontend) version() string {
	if f.Version == "" {
		return "devel"
	}
	return f.Version
}
