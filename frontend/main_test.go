package frontend

import (
	"flag"
	"os"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/moby/buildkit/client/llb"
)

// No golden files here; `go test ./... -update` must not fail.
var _ = flag.Bool("update", false, "")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// inProcess is the frontend as a program has it that builds in-process.
func inProcess(t testing.TB) Frontend {
	t.Helper()
	st := llb.Image(testbed.MountImage(t))
	return Frontend{Mount: &st}
}
