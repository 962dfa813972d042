package builder

import (
	"strings"
	"testing"

	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given"
)

// oldDaemon is a client of a BuildKit that announces nothing.
type oldDaemon struct{ gateway.Client }

func (oldDaemon) BuildOpts() gateway.BuildOpts {
	return gateway.BuildOpts{LLBCaps: pb.Caps.CapSet(nil)}
}

// A daemon that does not know the proxy network does not build without it.
func TestNoProxyNetwork(t *testing.T) {
	t.Parallel()
	p := &plan{options: Options{ProxyNetwork: true}}
	if _, err := p.frontend(&given.Content{})(t.Context(), oldDaemon{}); err == nil || !strings.Contains(err.Error(), "it takes BuildKit 0.31 or newer") {
		t.Errorf("got %v", err)
	}
}
