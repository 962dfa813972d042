package builder_test

import (
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// In the proxy network a fetch that no text shows goes over TLS, apt's in an
// image without a CA bundle too, and what has no TLS is refused.
func TestProxyNetwork(t *testing.T) { // not parallel: one test at a time has the archive
	testbed.BaseWith(t, "bookworm", "python", "python3-minimal", "libpython3-stdlib")
	archive := testbed.Archive(t)
	mirror, host := newMirror(t)
	fetch := "import urllib.request as u; print(u.urlopen('ht'+'tp://" + host + "%s/file').read())"
	dir := write(t, map[string]string{
		"Dockerfile": "FROM debian:bookworm-python\nCOPY fetch.py refused.py /\nRUN python3 /fetch.py\nRUN apt-get update\n" +
			"RUN if python3 /refused.py; then exit 1; fi\n",
		"fetch.py":   strings.Replace(fetch, "%s", "", 1),
		"refused.py": strings.Replace(fetch, "%s", ":8080", 1),
	})
	testbed.Fetchers(t, "bookworm")
	for _, bundle := range []string{"", "RUN mkdir -p /etc/ssl/certs && touch /etc/ssl/certs/ca-certificates.crt\n"} {
		curl := write(t, map[string]string{"Dockerfile": "FROM debian:bookworm-fetchers\n" + bundle + "RUN curl -fsS http://" + host + "/file\n"})
		want(t, onBuildkitd(t, "build", "--no-cache", "--proxy-network", curl), 0, "- GET https://"+host+"/file -> 200")
	}
	got := onBuildkitd(t, "build", "--no-cache", "--proxy-network", dir)
	want(t, got, 0, "- GET https://"+host+"/file -> 200", "HTTP Error 403: Forbidden", "- GET https://deb.debian.org/debian/dists/bookworm/InRelease")
	if clear := append(archive.ClearHits(), mirror.ClearHits()...); len(clear) > 0 || len(mirror.TLSHits()) != 3 {
		t.Errorf("in clear text: %v; over TLS: %v", clear, mirror.TLSHits())
	}
}
