package testbed

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// Loopxctl compiles the companion command and returns the program's path.
func Loopxctl(t TB) string {
	t.Helper()
	return must[string](t, "build loopxctl")(shared.loopxctl.do(func() (string, error) {
		dir, err := shared.work()
		if err != nil {
			return "", err
		}
		root, err := setup.Root()
		if err != nil {
			return "", err
		}
		bin := filepath.Join(dir, "loopxctl")
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/loopxctl")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return bin, nil
	}))
}
