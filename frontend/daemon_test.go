package frontend

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/moby/buildkit/client"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerfile/builder"
	gwclient "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/errdefs"
)

// The tests in this file build with a real buildkitd. Each server under test
// is a pair: one speaks clear text and one TLS, both serve the same, so a fetch
// that was not moved works and is counted.

func newMirror(t *testing.T) *testbed.Mirror {
	t.Helper()
	return testbed.NewMirror(t, testbed.MirrorOptions{
		Names: []string{"downloads.example.org", "git.example.org"},
		Files: map[string]string{"/x": "hello\n", "/y": "there\n", "/sub/z": "again\n"},
		Repos: map[string]map[string]string{"/r.git": {"file": "in git\n"}},
	})
}

// checkMoved checks that nothing came in clear text and all paths over TLS.
func checkMoved(t *testing.T, m *testbed.Mirror, paths ...string) {
	t.Helper()
	if hits := m.ClearHits(); len(hits) > 0 {
		t.Errorf("in clear text: %v", hits)
	}
	for _, path := range paths {
		if !slices.ContainsFunc(m.TLSHits(), func(h testbed.Hit) bool { return strings.HasPrefix(h.Path, path) }) {
			t.Errorf("%s did not come over TLS: %v", path, m.TLSHits())
		}
	}
}

// build runs b with our frontend and the mirror's CA, and fails the test if the
// build fails.
func build(t *testing.T, m *testbed.Mirror, b testbed.Build) *testbed.Result {
	t.Helper()
	b.Func, b.NoCache = inProcess(t).Build, true
	if b.Contexts == nil {
		b.Contexts = map[string]string{}
	}
	b.Contexts["loopx-ca"] = m.CA.Dir(t)
	res, err := testbed.Buildkitd(t).Build(t, b)
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Log)
	}
	return res
}

// pushStock builds with stock BuildKit and pushes the image.
func pushStock(t *testing.T, repoTag, dockerfile string, files map[string]string) string {
	t.Helper()
	ref := testbed.Registry(t).Ref(repoTag)
	res, err := testbed.Buildkitd(t).Build(t, testbed.Build{Dockerfile: dockerfile, Files: files, Push: ref})
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Log)
	}
	return ref
}

func TestRunsMove(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := newMirror(t)
	res := build(t, m, testbed.Build{Dockerfile: "FROM " + base.Ref + `
RUN test ! -e /etc/ssl/certs/ca-certificates.crt
RUN curl -fsS http://downloads.example.org/x -o /x && wget -q http://downloads.example.org/y -O /y && git clone -q http://git.example.org/r.git /r
RUN ["curl", "-fsS", "http://downloads.example.org/sub/z", "-o", "/z"]
RUN --mount=type=tmpfs,target=/dev curl -fsS http://downloads.example.org/x?tmpfs -o /x
RUN --security=insecure curl -fsS http://downloads.example.org/x?insecure -o /x
USER nobody
RUN curl -fsS http://downloads.example.org/x?nobody -o /tmp/x && test -r /dev/.loopx/operator/ca.crt && ! touch /dev/.loopx/operator/y 2>/dev/null
USER root
RUN <<EOF
#!/bin/bash
curl -fsS http://downloads.example.org/x?shebang -o /shebang
EOF
RUN <<EOF
wget -q http://downloads.example.org/x?heredoc -O /heredoc
EOF
RUN grep -q hello /x && grep -q there /y && grep -q git /r/file && grep -q again /z && grep -q hello /shebang && grep -q hello /heredoc
RUN test ! -e /dev/.loopx && test -z "$SSL_CERT_FILE" && test -z "$GIT_SSL_CAINFO" && test -z "$SYSTEM_WGETRC"
`})
	checkMoved(t, m, "/x", "/y", "/sub/z", "/r.git")
	for _, want := range []string{"(3 fetches over TLS)", "(1 fetch over TLS)", "[internal] loopx: CA bundle"} {
		if !slices.ContainsFunc(res.Vertices, func(v *client.Vertex) bool { return strings.Contains(v.Name, want) }) {
			t.Errorf("no vertex is called %s", want)
		}
	}
}

func TestAddsMove(t *testing.T) {
	m := newMirror(t)
	out := t.TempDir()
	res := build(t, m, testbed.Build{
		Dockerfile: `FROM scratch
ARG HOST
ARG P=sub
ADD http://downloads.example.org/x /x
ADD --checksum=sha256:` + sum("there\n") + ` --chmod=600 http://downloads.example.org/y /y
ADD http://${HOST}/${P}/z /z
ADD http://downloads.example.org/x https://downloads.example.org/x https://downloads.example.org/y /both/
ADD http://git.example.org/r.git#main /r
`,
		Attrs:     map[string]string{"build-arg:HOST": "downloads.example.org"},
		OutputDir: out,
	})
	checkMoved(t, m, "/x", "/y", "/sub/z", "/r.git")
	for name, want := range map[string]string{"x": "hello\n", "y": "there\n", "z": "again\n", "r/file": "in git\n", "both/x": "hello\n", "both/y": "there\n"} {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	var lines []int
	for _, w := range res.Warnings {
		if strings.HasPrefix(string(w.Short), "AddWithoutChecksum") {
			lines = append(lines, int(w.Range[0].Start.Line))
		}
	}
	slices.Sort(lines)
	if diff := cmp.Diff([]int{4, 6, 7}, lines); diff != "" {
		t.Errorf("lines with an ADD without a checksum (-want +got):\n%s", diff)
	}
}

// TestWhatTheTextDoesNotShow: triggers and variables of the base image, and
// the operator's arguments.
func TestWhatTheTextDoesNotShow(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	trigger := pushStock(t, "trigger:1", "FROM "+base.Ref+`
ENV MIRROR=http://downloads.example.org
ONBUILD RUN curl -fsS http://downloads.example.org/x?trigger -o /x
ONBUILD ADD http://downloads.example.org/y /y
`, nil)
	m := newMirror(t)
	build(t, m, testbed.Build{
		Dockerfile: "FROM " + trigger + `
ARG URL
RUN curl -fsS $MIRROR/sub/z -o /z && wget -q "$URL" -O /w
RUN test "$MIRROR" = http://downloads.example.org && test "$URL" = http://git.example.org/x && grep -q hello /w
`,
		Attrs: map[string]string{"build-arg:URL": "http://git.example.org/x"},
	})
	checkMoved(t, m, "/x", "/y", "/sub/z")
}

func TestRemoteContextIsFetchedOverTLS(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	dockerfile := "FROM scratch\nCOPY Dockerfile /copied\n"
	if err := w.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(dockerfile))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, dockerfile)
	w.Close()
	m := testbed.NewMirror(t, testbed.MirrorOptions{Names: []string{"context.example.org"}, Files: map[string]string{"/c.tar": b.String()}})
	out := t.TempDir()
	build(t, m, testbed.Build{Attrs: map[string]string{"context": "http://context.example.org/c.tar"}, OutputDir: out})
	checkMoved(t, m, "/c.tar")
	if got, err := os.ReadFile(filepath.Join(out, "copied")); string(got) != dockerfile {
		t.Errorf("copied %q, %v", got, err)
	}
}

// TestImageIsStocks compares the image with the one that stock BuildKit makes
// from the same file: configuration, history, and every path of every layer.
func TestImageIsStocks(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	newMirror(t)
	reg := testbed.Registry(t)
	// Images have a /dev. Where one has none, a RUN of stock BuildKit leaves an
	// empty one behind, and a RUN with our mount doesn't.
	withDev := pushStock(t, "with-dev:1", "FROM "+base.Ref+"\nRUN true\n", nil)
	dockerfile := "FROM " + withDev + `
ENV MIRROR=http://downloads.example.org
ARG URL=http://downloads.example.org/y
LABEL url=http://downloads.example.org/
RUN curl -fsS http://downloads.example.org/x -o /x && curl -fsS $URL -o /y && git clone -q http://git.example.org/r.git /r && rm -rf /r
ADD http://downloads.example.org/sub/z /z
RUN <<EOF
#!/bin/bash
wget -q http://downloads.example.org/x -O /w
EOF
HEALTHCHECK CMD curl http://downloads.example.org/
CMD ["curl", "http://downloads.example.org/"]
`
	images := map[string]v1.Image{}
	for name, f := range map[string]gwclient.BuildFunc{"stock": builder.Build, "ours": inProcess(t).Build} {
		res, err := testbed.Buildkitd(t).Build(t, testbed.Build{
			Func: f, Dockerfile: dockerfile, NoCache: true, Push: reg.Ref("compare:" + name),
			Attrs:    map[string]string{"build-arg:URL": "http://git.example.org/y"},
			Contexts: map[string]string{"loopx-ca": testbed.DefaultCA(t).Dir(t)},
		})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, res.Log)
		}
		images[name] = reg.Image(t, "compare:"+name)
	}
	if diff := cmp.Diff(imageConfig(t, images["stock"]), imageConfig(t, images["ours"])); diff != "" {
		t.Errorf("image config and history (-stock +ours):\n%s", diff)
	}
	if diff := cmp.Diff(paths(t, images["stock"]), paths(t, images["ours"])); diff != "" {
		t.Errorf("paths in layers (-stock +ours):\n%s", diff)
	}
}

// imageConfig is the image's configuration without dates and digests of layers.
func imageConfig(t *testing.T, img v1.Image) map[string]any {
	t.Helper()
	raw, err := img.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	m := withoutDates(t, raw)
	delete(m, "rootfs")
	return m
}

// paths lists the paths of each layer.
func paths(t *testing.T, img v1.Image) []string {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		testbed.EachEntry(t, r, func(h *tar.Header, _ io.Reader) {
			out = append(out, fmt.Sprintf("%d %s %o", i, h.Name, h.Mode))
		})
	}
	return out
}

// TestOtherRunsShareStocksCache builds with stock BuildKit first.
func TestOtherRunsShareStocksCache(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	dockerfile := "FROM " + base.Ref + "\nRUN echo " + t.Name() + " > /x\nRUN --mount=type=cache,target=/c echo http://localhost:8080/ > /y\n"
	d := testbed.Buildkitd(t)
	if _, err := d.Build(t, testbed.Build{Dockerfile: dockerfile}); err != nil {
		t.Fatal(err)
	}
	res, err := d.Build(t, testbed.Build{Func: Build, Dockerfile: dockerfile})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, v := range res.Vertices {
		if strings.Contains(v.Name, "] RUN ") {
			runs++
			if !v.Cached {
				t.Errorf("%s ran again", v.Name)
			}
		}
	}
	if runs != 2 {
		t.Errorf("%d RUNs", runs)
	}
}

func TestFrontendInputIsLeftToItsBuild(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := newMirror(t)
	theirs := llb.Image(base.Ref).Run(llb.Shlex("curl -fsS http://downloads.example.org/x -o /x"), llb.IgnoreCache).Root()
	build(t, m, testbed.Build{
		Dockerfile: "FROM scratch\nCOPY --from=theirs /x /x\nADD http://downloads.example.org/y /y\n",
		Opt: func(o *client.SolveOpt) {
			o.FrontendAttrs["context:theirs"] = "input:theirs"
			o.FrontendInputs = map[string]llb.State{"theirs": theirs}
		},
	})
	var clear []string
	for _, h := range m.ClearHits() {
		clear = append(clear, h.Path)
	}
	if diff := cmp.Diff([]string{"/x"}, clear); diff != "" {
		t.Errorf("in clear text (-want +got):\n%s", diff)
	}
}

func TestRefusalReachesTheClient(t *testing.T) {
	m := newMirror(t)
	dockerfile := "# syntax=registry.invalid/never-followed:1\nFROM scratch\nADD http://downloads.example.org:8080/x /x\nADD http://downloads.example.org/y /y\nADD http://git.example.org:8080/z \\\n    /z\n"
	b := testbed.Build{Func: Build, Dockerfile: dockerfile, NoCache: true, Contexts: map[string]string{"loopx-ca": m.CA.Dir(t)}}
	_, err := testbed.Buildkitd(t).Build(t, b)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"2 fetches can't be moved to TLS", "Dockerfile:3: http://downloads.example.org:8080/x", "Dockerfile:5: http://git.example.org:8080/z"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	var printed bytes.Buffer
	for _, s := range errdefs.Sources(err) {
		if err := s.Print(&printed); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"3 | >>> ADD http://downloads.example.org:8080/x /x", "5 | >>> ADD http://git.example.org:8080/z"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("a client would not print %q:\n%s", want, printed.String())
		}
	}
	if hits := len(m.ClearHits()) + len(m.TLSHits()); hits > 0 {
		t.Errorf("%d fetches were made", hits)
	}
}

func TestAuditFetchesAsWritten(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := newMirror(t)
	res := build(t, m, testbed.Build{
		Dockerfile: "FROM " + base.Ref + "\nRUN make --version || curl -fsS http://git.example.org/x -o /x\nRUN curl -fsS http://downloads.example.org/y -o /y\n",
		Attrs:      map[string]string{"build-arg:LOOPX_MODE": "audit", "build-arg:LOOPX_HOSTS": "git.example.org=refuse"},
	})
	if diff := cmp.Diff([]testbed.Hit{{Method: "GET", Host: "git.example.org", Path: "/x"}}, m.ClearHits()); diff != "" {
		t.Errorf("in clear text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/y"}, hitPaths(m)); diff != "" {
		t.Errorf("over TLS (-want +got):\n%s", diff)
	}
	warned := slices.ContainsFunc(res.Warnings, func(w *client.VertexWarning) bool {
		return strings.HasPrefix(string(w.Short), "ClearTextRefused: http://git.example.org/x") && w.Range[0].Start.Line == 2 && w.URL != ""
	})
	if !warned {
		t.Errorf("no warning: %v", res.Warnings)
	}
}

func TestErrorsAreStocks(t *testing.T) {
	d := testbed.Buildkitd(t)
	base := testbed.Base(t, "bookworm")
	for name, dockerfile := range map[string]string{
		"empty":              "",
		"unknown":            "FROM scratch\nRUNN echo\n",
		"no from":            "RUN true\n",
		"bad flag":           "FROM scratch\nRUN --nosuch true\n",
		"bad heredoc":        "FROM scratch\nRUN <<EOF\ntrue\n",
		"unknown stage":      "FROM scratch\nCOPY --from=nosuchstage.invalid/x:1 / /\n",
		"bad json":           "FROM scratch\nSHELL sh\n",
		"failing RUN":        "FROM " + base.Ref + "\nRUN true\n\nRUN \\\n  exit 3\n",
		"failing RUN, moved": "FROM " + base.Ref + "\nRUN echo http://downloads.example.org/ >/dev/null; exit 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, stock := d.Build(t, testbed.Build{Func: builder.Build, Dockerfile: dockerfile})
			_, ours := d.Build(t, testbed.Build{Func: Build, Dockerfile: dockerfile})
			if stock == nil || ours == nil {
				t.Fatalf("stock: %v\nours: %v", stock, ours)
			}
			if diff := cmp.Diff(stock.Error(), ours.Error()); diff != "" {
				t.Errorf("error (-stock +ours):\n%s", diff)
			}
			if diff := cmp.Diff(printedSources(t, stock), printedSources(t, ours)); diff != "" {
				t.Errorf("lines shown (-stock +ours):\n%s", diff)
			}
		})
	}
}

func printedSources(t *testing.T, err error) string {
	t.Helper()
	var b strings.Builder
	for _, s := range errdefs.Sources(err) {
		if err := s.Print(&b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestTwoPlatforms(t *testing.T) {
	m := newMirror(t)
	out := t.TempDir()
	res := build(t, m, testbed.Build{
		Dockerfile: "FROM scratch\nARG TARGETARCH\nADD http://downloads.example.org/x /$TARGETARCH\n",
		Attrs:      map[string]string{"platform": "linux/amd64,linux/arm64"},
		OutputDir:  out,
	})
	checkMoved(t, m, "/x")
	for _, arch := range []string{"amd64", "arm64"} {
		if got, err := os.ReadFile(filepath.Join(out, "linux_"+arch, arch)); string(got) != "hello\n" {
			t.Errorf("%s: %q, %v", arch, got, err)
		}
	}
	if len(res.Warnings) != 1 {
		t.Errorf("%d warnings", len(res.Warnings))
	}
}

// TestSBOMScansWhatWasBuilt: the scan's definition holds the build's ops again.
func TestSBOMScansWhatWasBuilt(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	scanner := pushStock(t, "scanner:1", "FROM "+base.Ref+`
COPY --chmod=755 scan /scan
ENTRYPOINT ["/scan"]
`, map[string]string{"scan": `#!/bin/sh
set -e
grep -q hello "$BUILDKIT_SCAN_SOURCE/x"
echo '{"_type":"https://in-toto.io/Statement/v0.1","predicateType":"https://spdx.dev/Document","subject":[],"predicate":{}}' > "$BUILDKIT_SCAN_DESTINATION/scan.spdx.json"
`})
	m := newMirror(t)
	reg := testbed.Registry(t)
	build(t, m, testbed.Build{
		Dockerfile: "FROM scratch\nADD http://downloads.example.org/x /x\n",
		Attrs:      map[string]string{"attest:sbom": "generator=" + scanner},
		Push:       reg.Ref("scanned:1"),
	})
	checkMoved(t, m, "/x")
	if n := len(m.TLSHits()); n > 2 { // HEAD and GET
		t.Errorf("fetched more than once: %v", m.TLSHits())
	}
}

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
