package examples_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// web stands in for the public hosts of the examples, in clear text and over
// TLS: Debian's archive is the real one, fetched over TLS whatever the client
// speaks; nginx.org has a small apt repository; www.gnu.org answers with the
// path that is asked for.
type web struct {
	*testbed.Mirror
	debian, nginx http.Handler
	apt           sync.Map // host and path of what apt asked for
}

func newWeb(t *testing.T) *web {
	t.Helper()
	archive, err := url.Parse("https://deb.debian.org")
	if err != nil {
		t.Fatal(err)
	}
	w := &web{
		debian: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(archive) }},
		nginx:  http.FileServer(http.Dir(nginxSite(t))),
	}
	w.Mirror = testbed.NewMirror(t, testbed.MirrorOptions{
		Names: []string{archive.Host, "nginx.org", "www.gnu.org"}, Handler: w,
	})
	return w
}

// nginxSite makes the files of nginx.org.
func nginxSite(t *testing.T) string {
	t.Helper()
	dockerfile, err := os.ReadFile("testdata/nginx/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	res, err := testbed.Buildkitd(t).Build(t, testbed.Build{Dockerfile: string(dockerfile), OutputDir: dir})
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Log)
	}
	return dir
}

// ServeHTTP answers for all hosts.
func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.UserAgent(), "Debian APT-HTTP/") {
		w.apt.Store(r.Host+r.URL.Path, true)
	}
	switch r.Host {
	case "deb.debian.org":
		w.debian.ServeHTTP(rw, r)
	case "nginx.org":
		w.nginx.ServeHTTP(rw, r)
	default:
		fmt.Fprintln(rw, r.URL.Path)
	}
}

func (w *web) reset() {
	w.Reset()
	w.apt.Clear()
}

// clearText and overTLS are the host and path of every request, sorted, each
// once, but for those of apt: a base image's apt sources are not literal
// fetches of a Dockerfile, and stay as they are.
func (w *web) clearText() []string { return w.literal(w.ClearHits()) }
func (w *web) overTLS() []string   { return w.literal(w.TLSHits()) }

func (w *web) literal(hits []testbed.Hit) []string {
	var list []string
	for _, h := range hits {
		if _, apt := w.apt.Load(h.Host + h.Path); !apt {
			list = append(list, h.Host+h.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
