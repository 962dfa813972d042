package builder

import (
	"context"
	"errors"

	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
	"github.com/loopx/loopx-frontend/frontend"
)

// frontend is the build function: the frontend of this program, as its image has
// it, with what RUNs are given from content.
func (p *plan) frontend(content *given.Content) gateway.BuildFunc {
	build := func(ctx context.Context, c gateway.Client) (*gateway.Result, error) {
		caps := c.BuildOpts().LLBCaps
		if p.options.ProxyNetwork && caps.Supports(pb.CapExecMetaNetworkProxy) != nil {
			// It would not know the request's field and build without.
			return nil, errors.New("the daemon has no proxy network: it takes BuildKit 0.31 or newer")
		}
		f := frontend.Frontend{Version: p.options.Version, ProxyNetwork: p.options.ProxyNetwork, Mount: content.State(c.BuildOpts().SessionID), Policy: p.options.Organisation}
		res, err := f.Build(ctx, c)
		if err == nil && p.call != nil {
			p.answer = res.Metadata
		}
		return res, err
	}
	if p.options.Around != nil {
		return p.options.Around(build)
	}
	return build
}
