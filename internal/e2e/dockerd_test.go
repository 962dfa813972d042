package e2e

import (
	"archive/tar"
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// engine runs builds on Docker Engine 20.10.
type engine struct {
	*testbed.DockerEngine
	dir string // of the build context
}

// newEngine returns the engine with a Dockerfile that names the frontend.
func newEngine(t *testing.T, frontend, dockerfile string) engine {
	t.Helper()
	return engine{testbed.Dockerd(t), folder(t, map[string]string{"Dockerfile": syntax(frontend, dockerfile)})}
}

// docker runs `docker build`, the client of the engine's own release.
func (e engine) docker(t *testing.T, args ...string) testbed.Output {
	t.Helper()
	return testbed.Run(t, e.Command(t, append([]string{"build", "--network=host", "--no-cache", e.dir}, args...)...))
}

// buildx runs `docker buildx build`, today's client.
func (e engine) buildx(t *testing.T, args ...string) testbed.Output {
	t.Helper()
	return testbed.Run(t, e.BuildxCommand(t, append([]string{"build", "--network=host", "--no-cache", e.dir}, args...)...))
}

// image builds by buildx, pushes the image and returns it.
func (e engine) image(t *testing.T, name string, args ...string) v1.Image {
	t.Helper()
	reg := testbed.Registry(t)
	ref := reg.Ref(name + ":1")
	if got := e.buildx(t, append(args, "--tag="+ref)...); got.Code != 0 {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
	}
	if got := testbed.Run(t, e.Command(t, "push", ref)); got.Code != 0 {
		t.Fatal(got.Stderr)
	}
	return reg.Image(t, name+":1")
}

// aptAndMore is a Dockerfile with what is guarded, what is moved, and a RUN that
// is neither.
const aptAndMore = `FROM debian:bookworm-fetchers
ENV MIRROR=http://HOST
LABEL org.opencontainers.image.url=http://HOST/
RUN apt-get update && apt-get install -y --no-install-recommends hello && rm -r /var/lib/apt/lists
ADD http://HOST/add /add
RUN curl -fsS http://HOST/curl -o /curl
RUN <<EOF
wget -q -O /wget http://HOST/wget
EOF
RUN echo "$MIRROR" >/words
CMD ["http://HOST/curl"]
`

// TestDockerEngine builds by the stock image and by ours on Docker Engine 20.10,
// and by ours on BuildKit: everything comes over TLS, and the images are the same
// but for the times in them.
func TestDockerEngine(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	archive := testbed.Archive(t)
	h := newHost(t, testbed.MirrorOptions{})
	ca := withCA(t, h.CA)
	dockerfile := h.expand(aptAndMore)

	stock := newEngine(t, testbed.StockImage(t), dockerfile).image(t, "engine/stock", ca)
	checkEqual(t, "by the stock image in clear text", []string{"/add", "/curl", "/wget"}, h.clear())
	if len(archive.ClearHits()) == 0 || len(archive.TLSHits()) > 0 {
		t.Errorf("by the stock image in clear text: %v, over TLS: %v", archive.ClearHits(), archive.TLSHits())
	}
	archive.Reset()
	h.Reset()

	ours := newEngine(t, testbed.FrontendImage(t), dockerfile).image(t, "engine/ours", ca)
	checkArchiveOverTLS(t, archive)
	h.checkOverTLS(t, "/add", "/curl", "/wget")
	if n := len(made(layerEntries(t, ours))); n != 6 {
		t.Errorf("%d files are made", n)
	}
	checkEqual(t, "configuration", timeless(t, stock), timeless(t, ours))
	onEngine := layerEntries(t, ours)
	checkEqual(t, "entries", layerEntries(t, stock), onEngine)

	reg := testbed.Registry(t)
	callOf(t, dockerfile).build(t, "build", by(testbed.FrontendImage(t)), "--no-cache", ca, noAttest,
		"--output=type=image,push=true,name="+reg.Ref("engine/buildkit:1"), ".")
	checkArchiveOverTLS(t, archive)
	h.checkOverTLS(t, "/add", "/curl", "/wget")
	// Which folders and lock files a layer repeats is the storage's business.
	checkEqual(t, "files on BuildKit", made(onEngine), made(layerEntries(t, reg.Image(t, "engine/buildkit:1"))))
}

// checkArchiveOverTLS checks that something came over TLS, and nothing in clear
// text. It forgets what came.
func checkArchiveOverTLS(t *testing.T, archive *testbed.Mirror) {
	t.Helper()
	if len(archive.ClearHits()) > 0 || len(archive.TLSHits()) == 0 {
		t.Errorf("in clear text: %v, over TLS: %v", archive.ClearHits(), archive.TLSHits())
	}
	archive.Reset()
}

// TestDockerEngineClient: the engine's own client has no named contexts, so there
// is no way to give a build the test bed's authority: apt's fetches fail, all of
// them over TLS.
func TestDockerEngineClient(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	archive := testbed.Archive(t)
	h := newHost(t, testbed.MirrorOptions{})
	e := newEngine(t, testbed.FrontendImage(t), h.expand(`FROM debian:bookworm-fetchers
ADD http://HOST/add /add
RUN apt-get update
`))
	got := e.docker(t)
	if got.Code == 0 {
		t.Errorf("it succeeds\n%s", got.Stderr)
	}
	checkContains(t, got.Stderr, h.expand("ADD http://HOST/add /add (1 fetch over TLS)"), "certificate")
	h.checkOverTLS(t, "/add")
	if hits := archive.ClearHits(); len(hits) > 0 {
		t.Errorf("in clear text: %v", hits)
	}
}

// TestDockerEnginePulledFrontend: of an image in its own store the engine does
// not tell the digest.
func TestDockerEnginePulledFrontend(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	archive := testbed.Archive(t)
	ours := testbed.FrontendImage(t)
	e := newEngine(t, ours, "FROM debian:bookworm-fetchers\nRUN apt-get update\n")
	if got := testbed.Run(t, e.Command(t, "pull", ours)); got.Code != 0 {
		t.Fatal(got.Stderr)
	}
	defer testbed.Run(t, e.Command(t, "rmi", ours))
	if got := e.buildx(t, withCA(t, archive.CA)); got.Code != 0 {
		t.Errorf("exit code %d\n%s", got.Code, got.Stderr)
	}
	checkArchiveOverTLS(t, archive)
}

// TestDockerEngineRefuses: what needs a mount outside of /dev would leave a trace
// in the image, so it is refused, with a way out.
func TestDockerEngineRefuses(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	got := newEngine(t, testbed.FrontendImage(t), "FROM debian:bookworm-fetchers\nRUN sudo apt-get update\n").docker(t)
	if got.Code == 0 {
		t.Errorf("it succeeds\n%s", got.Stderr)
	}
	checkContains(t, got.Stderr, "Dockerfile:3: ", "this daemon would leave a mount point in the image")
}

// timeless is an image's configuration without dates and without the digests of
// its layers.
func timeless(t *testing.T, img v1.Image) *v1.ConfigFile {
	t.Helper()
	config := configOf(t, img).DeepCopy()
	config.Created = v1.Time{}
	config.RootFS = v1.RootFS{}
	for i := range config.History {
		config.History[i].Created = v1.Time{}
	}
	return config
}

// layerEntries describes the entries of the layers above the base's, without
// their times, and without the sums of files that apt writes times into.
func layerEntries(t *testing.T, img v1.Image) []string {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for i, layer := range layers[1:] {
		rc, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer rc.Close()
		testbed.EachEntry(t, rc, func(h *tar.Header, r io.Reader) {
			hash := sha256.New()
			if _, err := io.Copy(hash, r); err != nil {
				t.Fatal(err)
			}
			entry := fmt.Sprintf("%d %s %s %d:%d %s", 1+i, h.Name, h.FileInfo().Mode(), h.Uid, h.Gid, h.Linkname)
			if !strings.HasPrefix(h.Name, "var/log/") && !strings.HasPrefix(h.Name, "var/cache/") {
				entry += fmt.Sprintf(" %x", hash.Sum(nil))
			}
			entries = append(entries, entry)
		})
	}
	return entries
}

// made are the entries of the files that aptAndMore is about.
func made(entries []string) []string {
	name := regexp.MustCompile(`^\d+ (add|curl|wget|words|usr/bin/hello|var/lib/dpkg/status) `)
	return slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !name.MatchString(e) })
}
