package mount

import (
	"fmt"
	"testing"

	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/policy/provenance"
)

// TestProvenance holds that who reads provenance knows the guard by what is
// mounted here.
func TestProvenance(t *testing.T) {
	t.Parallel()
	if provenance.GuardDir != Dir {
		t.Errorf("%s, want %s", provenance.GuardDir, Dir)
	}
	apt, ok := AptFor(&pb.Platform{OS: "linux", Architecture: "arm64"})
	if !ok {
		t.Fatal("no method for linux/arm64")
	}
	for selector, want := range map[string]bool{apt.Selector: true, CASelector: false} {
		b, err := provenance.Parse(fmt.Appendf(nil, `{"buildDefinition": {"internalParameters": {"buildConfig": {"llbDefinition": [
			{"id": "step0", "op": {"Op": {"exec": {"meta": {"args": ["apt-get"], "env": ["APT_CONFIG=%s"]}, "mounts": [{"dest": %q, "readonly": true, "selector": %q}]}}}}]}}}}`,
			AptConfig, Dir, selector))
		if err != nil {
			t.Fatal(err)
		}
		if g := b.Steps[0].Run.Guard; g == nil || g.Apt != want || g.Selector != selector {
			t.Errorf("%s: %+v", selector, g)
		}
	}
}
