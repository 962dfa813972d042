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
	"github.com/loopx/loopx-frontend/frontend/mount"
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
	// Policy is an organisation's folder with the signers whose acknowledgements
	// count (ack.Load says of which files), nil if there is none: a frontend's
	// image has it at PolicyDir.
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
// The errors are BuildKit's own, and four kinds of ours: a configuration that
// cannot be used, before anything is fetched; a named context loopx-ca that
// holds anything but certificates; signers that can't be read, where there is a
// blocker; and, unless LOOPX_MODE=audit, a *RefusedError with all blockers.
func (f Frontend) Build(ctx context.Context, c client.Client) (*client.Result, error) {
	opts := c.BuildOpts().Opts
	cfg, err := readConfig(opts)
	if err != nil {
		return nil, err
	}
	table, err := route.NewTable(cfg.route)
	if err != nil {
		return nil, err
	}
	operator, err := mount.Route(cfg.route)
	if err != nil {
		return nil, err
	}
	g := newGateway(c, cfg, llbpass.Pass{
		Table: table, Analyse: words.Analyse, Apt: cfg.apt, ProxyNetwork: f.ProxyNetwork, Operator: operator, MountName: "[internal] load what RUNs are given",
	})
	g.mount.given, g.signatures.baked = f.Mount, f.Policy
	if err := foreignSyntax(ctx, g); err != nil {
		return nil, err
	}
	request := opts["requestid"]
	if request == "" || request == convertllb.RequestConvertLLB {
		if g.pass.Bundle, err = operatorBundle(ctx, g, g.pass.Bundle); err != nil {
			return nil, err
		}
	}
	var shown sync.WaitGroup
	if request == "" && !cfg.quiet {
		shown.Go(func() { show(ctx, c, f.title()) })
	}
	res, err := builder.Build(ctx, g)
	shown.Wait()
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
		return res, g.answer(ctx, res, f.report(cfg, g.pass.Bundle.Operator()))
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

// report returns what the report says of the configuration.
func (f Frontend) report(cfg config, operatorCA bool) buildreport.Report {
	checks := "on"
	if cfg.quiet {
		checks = "off"
	}
	return buildreport.Report{
		Frontend: f.version(), Hosts: route.DataDate(),
		Mode: string(cmp.Or(cfg.route.Mode, route.Enforce)), Apt: string(cfg.apt), Checks: checks, ProxyNetwork: f.ProxyNetwork,
		Mirrors: cfg.route.Mirrors, Rules: cfg.route.Hosts, OperatorCA: operatorCA, Notes: cfg.notes,
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
