package e2e

import (
	"archive/tar"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// Options that make a build reproducible: all times in the image are 1970-01-01.
const (
	epoch    = "--build-arg=SOURCE_DATE_EPOCH=0"
	noTimes  = "rewrite-timestamp=true"
	noAttest = "--provenance=false"
)

// everything is a Dockerfile with something of each kind that could leave a
// trace in an image.
const everything = `FROM debian:bookworm-fetchers AS fetched
ENV MIRROR=http://HOST
ARG URL=http://HOST/curl
LABEL org.opencontainers.image.url=http://HOST/
ADD http://HOST/add http://HOST/wget /both/
ADD --chmod=600 --chown=1:1 http://HOST/add /add
ADD http://HOST/repo.git#main /repo
RUN curl -fsS -o /curl http://HOST/curl && curl -fsS $MIRROR/curl -o /mirror && curl -fsS "$URL" -o /arg
RUN wget -q -O /wget http://HOST/wget
RUN git clone -q http://HOST/repo.git /clone && rm -r /clone/.git
RUN ["curl", "-fsS", "-o", "/exec", "http://HOST/curl"]
RUN <<EOF
curl -fsS http://HOST/curl -o /heredoc
EOF
RUN <<EOF
#!/bin/bash
wget -q http://HOST/wget -O /shebang
EOF
RUN echo "$MIRROR $URL" >/words
COPY <<EOF /etc/note
see http://HOST/
EOF
ONBUILD RUN curl -fsS http://HOST/curl
HEALTHCHECK CMD curl -f http://HOST/
ENTRYPOINT ["curl", "http://HOST/curl"]
CMD ["http://HOST/wget"]
`

// TestNoTrace compares an image with the stock frontend's, to the byte: the
// same manifest digest is the same configuration, history and layers.
func TestNoTrace(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{Repos: repos})
	c := callOf(t, h.expand(everything))
	reg := testbed.Registry(t)
	build := func(kind, frontend string) v1.Image {
		c.build(t, "build", by(frontend), "--no-cache", withCA(t, h.CA), epoch, noAttest,
			"--output=type=image,push=true,name="+reg.Ref("trace/"+kind+":1")+","+noTimes, ".")
		return reg.Image(t, "trace/"+kind+":1")
	}
	stock := build("stock", testbed.StockImage(t))
	if len(h.clear()) == 0 || len(h.overTLS()) > 0 {
		t.Errorf("by the stock image in clear text: %v, over TLS: %v", h.clear(), h.overTLS())
	}
	h.Reset()
	ours := build("ours", testbed.FrontendImage(t))
	h.checkOverTLS(t, "/add", "/curl", "/repo.git", "/wget")
	const baseLayers = 1
	checkSameImage(t, stock, ours, baseLayers)

	_, sums := contents(t, ours, baseLayers)
	for name, want := range map[string]string{
		"both/add": "by ADD\n", "add": "by ADD\n", "repo/README": "by git\n", "clone/README": "by git\n",
		"curl": "by curl\n", "mirror": "by curl\n", "arg": "by curl\n", "exec": "by curl\n", "heredoc": "by curl\n",
		"wget": "by wget\n", "shebang": "by wget\n", "etc/note": h.expand("see http://HOST/\n"),
		"words": h.expand("http://HOST http://HOST/curl\n"),
	} {
		checkEqual(t, name, sum(want), sums[name])
	}
}

// TestWgetRemembersTLS: a server that speaks TLS may ask to be remembered, and
// wget does so in a file of its own. That is all that the layer has more.
func TestWgetRemembersTLS(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
			fmt.Fprint(w, "remember\n")
		}),
	})
	c := callOf(t, h.expand(`FROM debian:bookworm-fetchers AS build
RUN wget -q -O /srv/file http://HOST/hsts && mkdir /out && cp -a /root /srv /out/
FROM scratch
COPY --from=build /out /
`))
	entries := func(frontend string) []string {
		got := c.buildx(t, "build", by(frontend), "--no-cache", withCA(t, h.CA), "--output=type=tar,dest=-", ".")
		if got.Code != 0 {
			t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
		}
		return names(t, got.Stdout)
	}
	checkEqual(t, "by the stock image", []string{"root/", "root/.bashrc", "root/.profile", "srv/", "srv/file"}, entries(testbed.StockImage(t)))
	checkEqual(t, "by ours", []string{"root/", "root/.bashrc", "root/.profile", "root/.wget-hsts", "srv/", "srv/file"}, entries(testbed.FrontendImage(t)))
}

// names lists the entries of a tar stream.
func names(t *testing.T, stream string) []string {
	t.Helper()
	var list []string
	testbed.EachEntry(t, strings.NewReader(stream), func(h *tar.Header, _ io.Reader) { list = append(list, h.Name) })
	return list
}

// checkSameImage checks that both images are the same to the byte, and tells
// where they differ above the first layers.
func checkSameImage(t *testing.T, stock, ours v1.Image, first int) {
	t.Helper()
	if digestOf(t, stock) == digestOf(t, ours) {
		return
	}
	want, _ := contents(t, stock, first)
	got, _ := contents(t, ours, first)
	t.Errorf("the images differ (-stock +ours):\n%s\n%s", cmp.Diff(configOf(t, stock), configOf(t, ours)), cmp.Diff(want, got))
}

func digestOf(t *testing.T, img v1.Image) v1.Hash {
	t.Helper()
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func configOf(t *testing.T, img v1.Image) *v1.ConfigFile {
	t.Helper()
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// contents describes every entry of the layers above the first ones, in their
// order, and gives the sums of the regular files by their paths.
func contents(t *testing.T, img v1.Image, first int) (entries []string, sums map[string]string) {
	t.Helper()
	return contentsBut(t, img, first, func(_ string, content []byte) []byte { return content })
}

// contentsBut is contents of files as seen by a function.
func contentsBut(t *testing.T, img v1.Image, first int, see func(name string, content []byte) []byte) (entries []string, sums map[string]string) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	sums = map[string]string{}
	for i, layer := range layers[first:] {
		rc, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer rc.Close()
		testbed.EachEntry(t, rc, func(h *tar.Header, r io.Reader) {
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			sums[h.Name] = sum(string(see(h.Name, content)))
			entries = append(entries, fmt.Sprint(first+i, " ", h.Name, " ", h.FileInfo().Mode(), h.Uid, h.Gid, h.Linkname, h.ModTime.Unix(), h.PAXRecords, sums[h.Name]))
		})
	}
	return entries, sums
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// TestTwoPlatforms: both images of an index are those of the stock frontend.
func TestTwoPlatforms(t *testing.T) {
	t.Parallel()
	h := newHost(t, testbed.MirrorOptions{})
	c := call{dir: folder(t, map[string]string{"file": "x", "Dockerfile": h.expand(`FROM scratch
ARG TARGETARCH
ADD http://HOST/add /add-$TARGETARCH
COPY file /
ADD http://HOST/curl /curl
CMD ["/add"]
`)})}
	build := func(frontend string) v1.ImageIndex {
		dir := filepath.Join(t.TempDir(), "oci")
		c.build(t, "build", by(frontend), "--no-cache", "--platform=linux/amd64,linux/arm64", epoch, noAttest,
			"--output=type=oci,tar=false,dest="+dir+","+noTimes, ".")
		return indexIn(t, dir)
	}
	stock := build(testbed.StockImage(t))
	h.Reset()
	ours := build(testbed.FrontendImage(t))
	h.checkOverTLS(t, "/add", "/curl")

	var platforms []string
	manifest := manifestOf(t, ours)
	for i, d := range manifestOf(t, stock).Manifests {
		platforms = append(platforms, d.Platform.String())
		got := imageIn(t, ours, manifest.Manifests[i].Digest)
		checkSameImage(t, imageIn(t, stock, d.Digest), got, 0)
		_, sums := contents(t, got, 0)
		checkEqual(t, "add", sum("by ADD\n"), sums["add-"+d.Platform.Architecture])
	}
	checkEqual(t, "platforms", []string{"linux/amd64", "linux/arm64"}, platforms)
}

// indexIn returns the index in a folder that docker buildx wrote.
func indexIn(t *testing.T, dir string) v1.ImageIndex {
	t.Helper()
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	index, err := outer.ImageIndex(manifestOf(t, outer).Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func manifestOf(t *testing.T, index v1.ImageIndex) *v1.IndexManifest {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	return manifest
}

func imageIn(t *testing.T, index v1.ImageIndex, digest v1.Hash) v1.Image {
	t.Helper()
	img, err := index.Image(digest)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestFileSystemExport: the file system that docker buildx exports has nothing
// at the place where RUNs find the bundle.
func TestFileSystemExport(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{})
	c := callOf(t, syntax(testbed.FrontendImage(t), h.expand(`FROM debian:bookworm-fetchers AS build
RUN curl -fsS http://HOST/curl -o /srv/curl && test -s "$SSL_CERT_FILE" && find /dev >/srv/dev
FROM scratch
COPY --from=build /srv /srv
COPY --from=build /dev /dev
COPY --from=build /root /root
`)))
	got := c.buildx(t, "build", "--no-cache", withCA(t, h.CA), "--output=type=tar,dest=-", ".")
	if got.Code != 0 {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
	}
	checkEqual(t, "entries", []string{"dev/", "root/", "root/.bashrc", "root/.profile", "srv/", "srv/curl", "srv/dev"}, names(t, got.Stdout))
}
