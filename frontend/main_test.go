package frontend

import (
	"flag"
	"os"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// No golden files here; `go test ./... -update` must not fail.
var _ = flag.Bool("update", false, "")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
