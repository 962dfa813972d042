package testbed

import (
	"context"
	"path/filepath"
	"time"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// FrontendImage compiles this checkout's frontend for this machine's platform,
// pushes its image to Registry and returns the reference, for a "# syntax=" line
// or Build.Frontend. It does the work once per process.
func FrontendImage(t TB) string {
	t.Helper()
	return must[string](t, "build the frontend image")(shared.frontend.do(func() (string, error) {
		return shared.pushFrontend(t.Context(), "loopx-frontend", image.Labels("testbed", "unknown"), func(root string) image.Program {
			return image.Frontend(root, "testbed", "unknown")
		})
	}))
}

// StockImage is FrontendImage for BuildKit's own Dockerfile frontend, in the
// version that go.mod names. In builds it is also known as docker/dockerfile:1.
func StockImage(t TB) string {
	t.Helper()
	return must[string](t, "build the stock frontend image")(shared.stock.do(func() (string, error) {
		return shared.pushFrontend(t.Context(), "docker/dockerfile", image.FrontendLabels(), image.Stock)
	}))
}

// pushFrontend compiles a program, pushes an image of it as repo:1, and returns
// the image's reference.
func (b *bed) pushFrontend(ctx context.Context, repo string, labels map[string]string, program func(root string) image.Program) (string, error) {
	// The image outlives the test that asked first.
	ctx = context.WithoutCancel(ctx)
	root, err := setup.Root()
	if err != nil {
		return "", err
	}
	work, err := b.work()
	if err != nil {
		return "", err
	}
	reg, err := b.imageRegistry()
	if err != nil {
		return "", err
	}
	platform, name := HostPlatform().String(), filepath.Base(repo)
	binary := filepath.Join(work, name)
	if err := program(root).Compile(ctx, platform, binary); err != nil {
		return "", err
	}
	index, err := image.Spec{
		Binaries:   map[string]string{platform: binary},
		Entrypoint: "/bin/" + name,
		Labels:     labels,
		Created:    time.Unix(0, 0).UTC(),
	}.Index()
	if err != nil {
		return "", err
	}
	ref := reg.Ref(repo + ":1")
	return ref, image.Push(ctx, ref, false, index)
}
