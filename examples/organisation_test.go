package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// organisation is the example of an organisation's image: one that builds by it is
// in the folder app.
const organisation = "organisation-image"

// TestOrganisation makes the image, and builds the project by it, as the README
// says; then with what the lock refuses.
func TestOrganisation(t *testing.T) {
	ours := testbed.FrontendImage(t)
	testbed.Base(t, "bookworm")
	w := newWeb(t)
	ref := testbed.Registry(t).Ref("team/loopx-frontend:1")
	build := func(args ...string) testbed.Output {
		return testbed.Buildx(t, organisation, nil, append([]string{"build", "--progress=plain"}, args...)...)
	}
	if got := build("--push", "--tag="+ref, "--build-context="+syntax+"=docker-image://"+ours, "image"); got.Code != 0 {
		t.Fatal(got.Stderr)
	}
	w.reset()
	app := []string{"--no-cache", "--build-arg=BUILDKIT_SYNTAX=" + ref, "app"}
	log := build(app...)
	if log.Code != 0 {
		t.Fatal(log.Stderr)
	}
	checkNone(t, "in clear text", w.clearText())
	checkAll(t, "over TLS", []string{"www.gnu.org/licenses/gpl-3.0.txt"}, w.overTLS())
	w.reset()
	refused := build(append([]string{"--build-arg=LOOPX_MODE=audit"}, app...)...)
	if refused.Code != 1 {
		t.Errorf("exit code %d", refused.Code)
	}
	checkNone(t, "over TLS", w.overTLS())
	checkReadme(t, filepath.Join(organisation, "README.md"), log.Stderr+refused.Stderr)
}
