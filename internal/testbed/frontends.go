package testbed

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// FrontendImage compiles this checkout's frontend for this machine's platform,
// pushes its image to Registry and returns the reference, for a "# syntax=" line
// or Build.Frontend. The image has what RUNs of the target platforms are given
// ("linux/arm64"); without any, of this machine's. It does the work once per
// process and set of targets.
func FrontendImage(t TB, targets ...string) string {
	t.Helper()
	key := targetKey(targets)
	return must[string](t, "build the frontend image")(shared.frontend.do(key, func() (string, error) {
		folders, err := shared.mountFolders(t.Context(), key)
		if err != nil {
			return "", err
		}
		return shared.pushFrontend(t.Context(), "loopx-frontend:"+tag(targets), image.Labels("testbed", "unknown"), folders, func(root string) image.Program {
			return image.Frontend(root, "testbed", "unknown")
		})
	}))
}

// MountImage pushes an image to Registry that has what FrontendImage has for
// RUNs, but no program, and returns the reference: it stands in for the
// frontend's image when the frontend runs in this process.
func MountImage(t TB, targets ...string) string {
	t.Helper()
	key := targetKey(targets)
	return must[string](t, "build the image of what RUNs are given")(shared.mount.do(key, func() (string, error) {
		folders, err := shared.mountFolders(t.Context(), key)
		if err != nil {
			return "", err
		}
		return shared.pushFolders(t.Context(), "loopx-mount:"+tag(targets), folders)
	}))
}

// StockImage is FrontendImage for BuildKit's own Dockerfile frontend, in the
// version that go.mod names. In builds it is also known as docker/dockerfile:1.
func StockImage(t TB) string {
	t.Helper()
	return must[string](t, "build the stock frontend image")(shared.stock.do(func() (string, error) {
		return shared.pushFrontend(t.Context(), "docker/dockerfile:1", image.FrontendLabels(), nil, image.Stock)
	}))
}

// targetKey is the platforms as one word, or this machine's if there are none.
func targetKey(targets []string) string {
	if len(targets) == 0 {
		return HostPlatform().String()
	}
	return strings.Join(targets, ",")
}

// tag is the tag of an image with these targets.
func tag(targets []string) string {
	if len(targets) == 0 {
		return "1"
	}
	return mount.Key(strings.Join(targets, "-"))
}

// mountFolders returns what RUNs of the platforms, as targetKey names them, are
// given.
func (b *bed) mountFolders(ctx context.Context, key string) ([]image.Folder, error) {
	return b.folders.do(key, func() ([]image.Folder, error) {
		root, err := setup.Root()
		if err != nil {
			return nil, err
		}
		method, err := image.Method(root)
		if err != nil {
			return nil, err
		}
		return image.Targets{Method: method, Platforms: strings.Split(key, ",")}.Folders(context.WithoutCancel(ctx))
	})
}

// pushFolders pushes an image of the folders as repoTag and returns its
// reference.
func (b *bed) pushFolders(ctx context.Context, repoTag string, folders []image.Folder) (string, error) {
	reg, err := b.imageRegistry()
	if err != nil {
		return "", err
	}
	img, err := image.FolderImage(HostPlatform(), folders)
	if err != nil {
		return "", err
	}
	ref, err := name.ParseReference(reg.Ref(repoTag))
	if err != nil {
		return "", err
	}
	return ref.String(), remote.Write(ref, img, remote.WithContext(context.WithoutCancel(ctx)))
}

// pushFrontend compiles a program, pushes an image of it and the folders as
// repoTag, and returns the image's reference.
func (b *bed) pushFrontend(ctx context.Context, repoTag string, labels map[string]string, folders []image.Folder, program func(root string) image.Program) (string, error) {
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
	platform := HostPlatform().String()
	binary := filepath.Join(work, strings.NewReplacer("/", "-", ":", "-").Replace(repoTag))
	if err := program(root).Compile(ctx, platform, binary); err != nil {
		return "", err
	}
	repo, _, _ := strings.Cut(repoTag, ":")
	index, err := image.Spec{
		Binaries:   map[string]string{platform: binary},
		Folders:    folders,
		Entrypoint: "/bin/" + path.Base(repo),
		Labels:     labels,
		Created:    time.Unix(0, 0).UTC(),
	}.Index()
	if err != nil {
		return "", err
	}
	ref := reg.Ref(repoTag)
	return ref, image.Push(ctx, ref, false, index)
}
