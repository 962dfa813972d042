package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// repository is a repository of a registry.
type repository struct {
	name    name.Repository
	options []remote.Option
}

func (r repository) open(ctx context.Context, d v1.Descriptor) (io.ReadCloser, error) {
	options := append([]remote.Option{remote.WithContext(ctx)}, r.options...)
	if d.MediaType.IsIndex() || d.MediaType.IsImage() {
		got, err := remote.Get(r.name.Digest(d.Digest.String()), options...)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(bytes.NewReader(got.Manifest)), nil
	}
	layer, err := remote.Layer(r.name.Digest(d.Digest.String()), options...)
	if err != nil {
		return nil, err
	}
	return layer.Compressed()
}

func readRegistry(ctx context.Context, shown, ref string) (*Artifact, error) {
	return readFrom(ctx, shown, ref, remote.DefaultTransport)
}

// readFrom reads the image from a registry that is reached by a transport.
func readFrom(ctx context.Context, shown, ref string, transport http.RoundTripper) (*Artifact, error) {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return nil, &fault.Error{File: shown, Message: "is no file that is there, and no image: " + err.Error(), Todo: todo}
	}
	s := repository{parsed.Context(), []remote.Option{
		remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithTransport(encrypted{transport}),
	}}
	got, err := remote.Get(parsed, append([]remote.Option{remote.WithContext(ctx)}, s.options...)...)
	if err != nil {
		return nil, refused(shown, err)
	}
	images, err := imagesOf(ctx, s, got.Descriptor)
	if err != nil {
		return nil, unsound(refused(shown, err), err)
	}
	return finish(Registry, shown, got.Digest.String(), images, nil), nil
}

// refused says what a registry answered.
func refused(shown string, err error) *fault.Error {
	f := fault.Of(shown, "cannot be read", err)
	if e, ok := errors.AsType[*transport.Error](err); ok {
		switch e.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			f.Todo = "Log in: docker login REGISTRY."
		case http.StatusNotFound:
			f.Todo = "Check the image's name and tag."
		}
	}
	return f
}

// encrypted refuses requests in clear text but for those that stay on this
// machine. The library would ask registries in private networks so, if they
// don't answer over TLS.
type encrypted struct{ next http.RoundTripper }

func (e encrypted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !loopback(r.URL.Hostname()) {
		return nil, fmt.Errorf("%s is asked over TLS only", r.URL.Host)
	}
	return e.next.RoundTrip(r)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
