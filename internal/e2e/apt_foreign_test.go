package e2e

import (
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestAptForeign: a RUN of another platform, which the kernel has an emulator
// for, gets that platform's method.
func TestAptForeign(t *testing.T) {
	t.Parallel()
	testbed.Foreign(t, "bookworm")
	h := newAptHost(t, testbed.MirrorOptions{})
	c := callOf(t, h.expand("FROM debian:bookworm-foreign\n"+smallSource+"RUN test $(uname -m) = aarch64 && apt-get update\n"))
	log := c.build(t, "build", by(testbed.FrontendImage(t, testbed.ForeignPlatform)), "--no-cache", "--platform="+testbed.ForeignPlatform, withCA(t, h.CA), ".")
	h.checkApt(t, log)
}
