package testbed

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// ImageRegistry is a registry on loopback in clear text, which is what BuildKit
// and Docker expect of a local one.
type ImageRegistry struct {
	// Host is its host:port.
	Host string
}

// Registry returns the registry of this process, which the daemon also has as
// its docker.io mirror.
func Registry(t TB) *ImageRegistry {
	t.Helper()
	return must[*ImageRegistry](t, "start the registry")(shared.imageRegistry())
}

func (b *bed) imageRegistry() (*ImageRegistry, error) {
	return b.registry.do(func() (*ImageRegistry, error) {
		work, err := b.work()
		if err != nil {
			return nil, err
		}
		blobs := filepath.Join(work, "registry")
		if err := os.Mkdir(blobs, 0o755); err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		quiet := log.New(io.Discard, "", 0)
		server := &http.Server{ErrorLog: quiet, Handler: registry.New(
			registry.Logger(quiet),
			registry.WithReferrersSupport(true),
			registry.WithBlobHandler(registry.NewDiskBlobHandler(blobs)),
		)}
		go server.Serve(l)
		b.atClose(func() { server.Close() })
		return &ImageRegistry{Host: l.Addr().String()}, nil
	})
}

// Ref returns the full reference of repoTag ("name:tag") in this registry.
func (r *ImageRegistry) Ref(repoTag string) string { return r.Host + "/" + repoTag }

// Push stores an image under repoTag and returns its full reference.
func (r *ImageRegistry) Push(t TB, repoTag string, img v1.Image) string {
	t.Helper()
	if err := remote.Write(r.tag(t, repoTag), img, remote.WithContext(t.Context())); err != nil {
		t.Fatalf("testbed: push %s: %v", repoTag, err)
	}
	return r.Ref(repoTag)
}

// Image reads the image under repoTag, for an index the one of this machine's
// platform.
func (r *ImageRegistry) Image(t TB, repoTag string) v1.Image {
	t.Helper()
	return must[v1.Image](t, "read "+repoTag)(remote.Image(r.tag(t, repoTag), remote.WithContext(t.Context()), remote.WithPlatform(HostPlatform())))
}

func (r *ImageRegistry) tag(t TB, repoTag string) name.Reference {
	t.Helper()
	return must[name.Reference](t, "reference")(name.ParseReference(r.Ref(repoTag)))
}
