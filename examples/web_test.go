package examples_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// web stands in for the public hosts of the examples, in clear text and over
// TLS: Debian's archive is the real one; nginx.org has a small apt repository;
// www.gnu.org answers with the path that is asked for.
type web struct {
	*testbed.Mirror
	archive *testbed.Mirror
}

func newWeb(t *testing.T) *web {
	t.Helper()
	archive := testbed.Archive(t)
	nginx := http.FileServer(http.Dir(nginxSite(t)))
	return &web{archive: archive, Mirror: testbed.NewMirror(t, testbed.MirrorOptions{
		Names: []string{"nginx.org", "www.gnu.org"},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "nginx.org" {
				nginx.ServeHTTP(w, r)
				return
			}
			fmt.Fprintln(w, r.URL.Path)
		}),
	})}
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

func (w *web) reset() {
	w.Reset()
	w.archive.Reset()
}

// clearText and overTLS are the host and path of every request, sorted, each
// once.
func (w *web) clearText() []string { return addresses(w.ClearHits(), w.archive.ClearHits()) }
func (w *web) overTLS() []string   { return addresses(w.TLSHits(), w.archive.TLSHits()) }

func addresses(hits ...[]testbed.Hit) []string {
	var list []string
	for _, h := range slices.Concat(hits...) {
		list = append(list, h.Host+h.Path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
