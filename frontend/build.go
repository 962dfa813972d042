// Package frontend is the LoopX Dockerfile frontend for BuildKit. It is
// BuildKit's own Dockerfile frontend behind a gateway client that moves the
// fetches of each definition to TLS on its way to the daemon. The user's bytes,
// the image's configuration and its history stay as the stock frontend makes
// them.
package frontend

import (
	"context"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/frontend/dockerfile/builder"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/convertllb"
	"github.com/moby/buildkit/frontend/subrequests/lint"
)

// Build answers one request to the frontend: a build or a subrequest. It is the
// client.BuildFunc for an image's entry point and for builds in-process.
//
// The errors are BuildKit's own, and three kinds of ours: a configuration that
// cannot be used, before anything is fetched; a named context loopx-ca that
// holds anything but certificates; and, unless LOOPX_MODE=audit, a Dockerfile
// with fetches that have no form over TLS, all of them in one error.
func Build(ctx context.Context, c client.Client) (*client.Result, error) {
	opts := c.BuildOpts().Opts
	cfg, err := readConfig(opts)
	if err != nil {
		return nil, err
	}
	table, err := route.NewTable(cfg.route)
	if err != nil {
		return nil, err
	}
	g := newGateway(c, cfg, llbpass.Pass{Table: table, Analyse: words.Analyse})
	if err := foreignSyntax(ctx, g); err != nil {
		return nil, err
	}
	request := opts["requestid"]
	if request == "" || request == convertllb.RequestConvertLLB {
		if g.pass.Bundle, err = operatorBundle(ctx, g, g.pass.Bundle); err != nil {
			return nil, err
		}
	}
	res, err := builder.Build(ctx, g)
	if err != nil {
		return nil, err
	}
	switch request {
	case lint.RequestLint:
		return addLint(res, cfg, rewrite.New)
	case convertllb.RequestConvertLLB:
		return g.convert(ctx, res)
	}
	return res, nil
}
