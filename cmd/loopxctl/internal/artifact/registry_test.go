package artifact

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	ggcrlayout "github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// newRegistry is an empty registry.
func newRegistry() http.Handler { return registry.New(registry.Logger(log.New(io.Discard, "", 0))) }

// push pushes a layout's image to a registry.
func push(t *testing.T, l layout, ref string, transport http.RoundTripper) {
	t.Helper()
	path, err := ggcrlayout.FromPath(l.folder(t))
	if err != nil {
		t.Fatal(err)
	}
	index, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	names, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	top, err := index.ImageIndex(names.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(parsed, top, remote.WithTransport(transport)); err != nil {
		t.Fatal(err)
	}
}

// TestRegistry: a registry on this machine may speak clear text, as docker's do.
func TestRegistry(t *testing.T) {
	server := httptest.NewServer(newRegistry())
	defer server.Close()
	l, image := newLayout(t, whole())
	ref := strings.TrimPrefix(server.URL, "http://") + "/app:1"
	push(t, l, ref, http.DefaultTransport)
	for _, name := range []string{ref, "docker://" + ref} {
		a, err := read(t, name)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind != Registry || a.Digest == "" || a.Report == nil || a.Images[0].Digest != image || a.Images[0].Build == nil || a.Images[0].Unbound != "" {
			t.Errorf("%+v", a)
		}
	}
	for ref, want := range map[string]string{
		strings.TrimPrefix(server.URL, "http://") + "/app:2": "cannot be read",
		"127.0.0.1:1/app:1": "cannot be read",
	} {
		if a, err := read(t, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", ref, a, err)
		}
	}
}

// TestRegistryTLS: a certificate that nobody vouches for is refused; one of a
// known authority is not.
func TestRegistryTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(newRegistry())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	l, _ := newLayout(t, whole())
	ref := strings.TrimPrefix(server.URL, "https://") + "/app:1"
	push(t, l, ref, server.Client().Transport)
	if a, err := read(t, ref); err == nil {
		t.Errorf("an unknown authority: %+v", a)
	}
	a, err := readFrom(t.Context(), ref, ref, server.Client().Transport)
	if err != nil || a.Images[0].Build == nil {
		t.Errorf("a known authority: %+v, %v", a, err)
	}
}

// TestClearTextRefused: nothing outside of this machine is asked in clear text,
// private networks included, which the library would.
func TestClearTextRefused(t *testing.T) {
	t.Parallel()
	asked := false
	e := encrypted{roundTripper(func(*http.Request) (*http.Response, error) {
		asked = true
		return nil, io.EOF
	})}
	for url, want := range map[string]bool{
		"http://10.1.2.3:5000/v2/": false, "http://registry.local/v2/": false, "http://registry.example.com/": false,
		"https://registry.example.com/": true, "http://localhost:5000/": true, "http://127.0.0.1:5000/": true, "http://[::1]/": true,
		"http://localhost.example.com/": false, "ftp://localhost.example.com/": false,
	} {
		asked = false
		r, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.RoundTrip(r); err == nil || asked != want {
			t.Errorf("%s: asked %t, %v", url, asked, err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
