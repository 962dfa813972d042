package testbed_test

import (
	"runtime"
	"testing"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// What RUNs are given arrives in a RUN: from the frontend's image, and from the
// image that stands in for it.
func TestMountedFolder(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	folder := mount.AptDir(mount.Key("linux/" + runtime.GOARCH))
	for name, ref := range map[string]string{"frontend": testbed.FrontendImage(t), "mount": testbed.MountImage(t)} {
		t.Run(name, func(t *testing.T) {
			mustBuild(t, testbed.Build{
				NoCache: true,
				Dockerfile: "FROM " + base.Ref + "\nRUN --mount=type=bind,from=" + ref + ",source=" + folder + ",target=" + mount.Dir + ` <<EOF
set -eu
cd /dev/.loopx
test "$(stat -c '%a %u:%g %Y' apt/sudoers)" = '440 0:0 0'
test "$(stat -c '%a %u:%g %Y' apt/method)" = '555 0:0 0'
test "$(readlink apt/main/50-image)" = /etc/apt/apt.conf
test "$(find operator -type d)" = operator
: | apt/method | grep -q '^100 Capabilities'
EOF
`,
			})
		})
	}
}
