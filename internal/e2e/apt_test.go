package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// The authority of the test bed is not a public one, so all builds here name it
// as the operator's. That the bundle of the frontend alone is enough for the
// real hosts can't be shown on loopback.

// suite is one whose apt is tried.
type suite struct {
	base string
	// install is a package that brings many and few bytes.
	install string
	// atLeast is how many.
	atLeast int
	// source makes the base's sources have source packages.
	source string
}

func suites(t *testing.T) map[string]suite {
	t.Helper()
	const (
		oneLine = `sed -i '/^deb /{p;s/^deb /deb-src /}' /etc/apt/sources.list`
		deb822  = `sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/*.sources`
	)
	return map[string]suite{
		"bullseye": {testbed.Base(t, "bullseye").Ref, "libcatalyst-perl", 100, oneLine},
		"bookworm": {testbed.Base(t, "bookworm").Ref, "node-webpack", 200, deb822},
		"trixie":   {testbed.Base(t, "trixie").Ref, "libcatalyst-perl", 100, deb822},
		"xenial":   {testbed.Ubuntu(t, "xenial").Ref, "libcatalyst-perl", 100, oneLine},
		"noble":    {testbed.Ubuntu(t, "noble").Ref, "libcatalyst-perl", 100, deb822},
	}
}

// TestApt: what people do with apt, on bases that have no CA bundle, with the
// real archives: all of it over TLS. The oldest apt is that of xenial, 1.2.10,
// which has no https of its own and no setting for a single method.
func TestApt(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	all := suites(t)
	archive := testbed.Archive(t)
	ca := withCA(t, archive.CA)

	t.Run("stock", func(t *testing.T) {
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				callOf(t, "FROM "+s.base+"\nRUN apt-get update\n").build(t, "build", by(stock), "--no-cache", ca, ".")
			})
		}
	})
	if len(archive.ClearHits()) == 0 || len(archive.TLSHits()) > 0 {
		t.Fatalf("by the stock image in clear text: %d requests, over TLS: %v", len(archive.ClearHits()), archive.TLSHits())
	}
	archive.Reset()

	t.Run("ours", func(t *testing.T) {
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := callOf(t, fmt.Sprintf(`FROM %[1]s
RUN apt-get update
RUN apt-get install -y --no-install-recommends hello && hello
RUN apt-get install -y --download-only --no-install-recommends %[2]s && test $(ls /var/cache/apt/archives/*.deb | wc -l) -ge %[3]d
RUN cd /srv && apt-get download hello && dpkg-deb --info hello_*.deb
RUN apt-get -y --download-only dist-upgrade
RUN env -i PATH=$PATH apt-get update && su - -c 'apt-get update'
COPY <<EOF /etc/apt/apt.conf
Dir::Bin::methods "/usr/lib/apt/methods/";
Dir::Bin::methods::http "http";
Acquire::http::Pipeline-Depth "0";
EOF
RUN %[4]s
RUN apt update && cd /srv && apt-get source --download-only dash && ls dash_*.dsc dash_*.tar.*
RUN apt-get install -y --reinstall apt && apt-get update && apt-get download hello
RUN apt-get clean && apt -y --download-only full-upgrade
`, s.base, s.install, s.atLeast, s.source))
				log := c.build(t, "build", by(ours), "--no-cache", ca, ".")
				if strings.Contains(log, "\nW: ") || strings.Contains(log, " W: Failed") {
					t.Errorf("apt warns:\n%s", log)
				}
			})
		}
	})
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))
	for _, name := range []string{"deb.debian.org", "archive.ubuntu.com", "security.ubuntu.com"} {
		if !asked(archive.TLSHits(), name) {
			t.Errorf("nothing over TLS from %s", name)
		}
	}
}

func asked(hits []testbed.Hit, host string) bool {
	for _, h := range hits {
		if h.Host == host {
			return true
		}
	}
	return false
}
