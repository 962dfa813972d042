package e2e

import (
	"testing"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// buildProxied builds by our image in BuildKit's proxy network: RUNs have no
// other way out than a proxy of the daemon, whose authority is in the image's CA
// bundle for the length of a RUN. The daemon asks upstream, and trusts the test
// bed's authority; the build is given none.
func buildProxied(t *testing.T, dockerfile string) (*testbed.Result, error) {
	t.Helper()
	return testbed.Buildkitd(t).Build(t, testbed.Build{
		Frontend:   testbed.FrontendImage(t),
		Dockerfile: dockerfile,
		NoCache:    true,
		Opt:        func(o *client.SolveOpt) { o.ProxyNetwork = true },
	})
}

// emptyBundle is what the failure without a bundle tells people to do.
const emptyBundle = "RUN mkdir -p /etc/ssl/certs && touch /etc/ssl/certs/ca-certificates.crt\n"

func TestProxyNetwork(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	archive := testbed.Archive(t)
	result, err := buildProxied(t, "FROM "+base.Ref+"\n"+emptyBundle+
		"RUN test -s /etc/ssl/certs/ca-certificates.crt && apt-get update && apt-get install -y --no-install-recommends hello && hello\n"+
		"RUN --network=none test ! -s /etc/ssl/certs/ca-certificates.crt\n")
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Log)
	}
	checkArchiveOverTLS(t, archive)
	checkContains(t, result.Log, "proxy network requests:\n", "- GET https://deb.debian.org/debian/pool/main/h/hello/")
}

// TestProxyNetworkWithoutBundle: an image without a CA bundle has no place for
// the proxy's authority, so nothing can be fetched over TLS. The failure says so
// and names what TestProxyNetwork does.
func TestProxyNetworkWithoutBundle(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	archive := testbed.Archive(t)
	result, err := buildProxied(t, "FROM "+base.Ref+"\nRUN apt-get update\n")
	if err == nil {
		t.Errorf("it succeeds\n%s", result.Log)
	}
	checkContains(t, result.Log, "deb.debian.org cannot be reached over TLS: this RUN is in BuildKit's proxy network, and the image has no CA bundle",
		"RUN mkdir -p /etc/ssl/certs && touch /etc/ssl/certs/ca-certificates.crt")
	if clear, secure := archive.ClearHits(), archive.TLSHits(); len(clear)+len(secure) > 0 {
		t.Errorf("in clear text: %v, over TLS: %v", clear, secure)
	}
}
