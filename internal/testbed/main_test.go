package testbed_test

import (
	"flag"
	"os"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testbed.Main(m))
}
