package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// textBuild is a Dockerfile that runs apt in many ways, after FROM, on a base
// without certificate authorities. One RUN fetches by itself.
const textBuild = `RUN apt-get update
RUN apt-get install -y --no-install-recommends hello sudo curl && hello
RUN ["apt-get", "-y", "--download-only", "dist-upgrade"]
RUN --mount=type=cache,target=/var/cache/other \
    # a comment
    set -eu; \
    sudo apt-get update
RUN su - -c 'apt-get update' && curl -fsS http://deb.debian.org/debian/dists/stable/InRelease -o /srv/InRelease
`

// heredocs are more, for builders that know them.
const heredocs = `RUN <<EOF
apt-get update
EOF
RUN <<EOF
#!/bin/bash -e
# a comment
apt-get update
EOF
ONBUILD RUN apt-get update
`

// textBuilder is a builder that doesn't run the frontend.
type textBuilder struct {
	name string
	// build builds a Dockerfile in dir and pushes the image.
	build func(t *testing.T, dir, file, name string) testbed.Output
	// heredocs says that it knows them.
	heredocs bool
}

func textBuilders(t *testing.T) []textBuilder {
	t.Helper()
	stock := testbed.StockImage(t)
	return []textBuilder{
		{"buildkit", func(t *testing.T, dir, file, name string) testbed.Output {
			return call{dir: dir}.buildx(t, "build", by(stock), "--no-cache", noAttest, "-f", file, "--output=type=image,push=true,name="+testbed.Registry(t).Ref(name), ".")
		}, true},
		{"buildah", func(t *testing.T, dir, file, name string) testbed.Output {
			ref := testbed.Registry(t).Ref(name)
			got := testbed.Buildah(t, dir, "build", "--layers", "--no-cache", "-f", file, "-t", ref, ".")
			if got.Code != 0 {
				return got
			}
			return testbed.Buildah(t, dir, "push", ref)
		}, false},
	}
}

// image builds a file and returns its image, or ends the test.
func (b textBuilder) image(t *testing.T, dir, file, name string) v1.Image {
	t.Helper()
	if got := b.build(t, dir, file, name); got.Code != 0 {
		t.Fatalf("%s of %s: exit code %d\n%s%s", b.name, file, got.Code, got.Stdout, got.Stderr)
	}
	return testbed.Registry(t).Image(t, name)
}

// textBases are those that the text modes are tried on: both formats of sources,
// and apt with both libraries for TLS.
func textBases(t *testing.T) map[string]string {
	t.Helper()
	bases := map[string]string{}
	for _, suite := range []string{"bullseye", "bookworm", "trixie"} {
		bases[suite] = testbed.Base(t, suite).Ref
	}
	return bases
}

// secure rewrites dir's Dockerfile as a user does, and returns the text. It holds
// that rewriting it again changes nothing.
func secure(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var texts []string
	for _, file := range [][2]string{{"Dockerfile", "Dockerfile.secure"}, {"Dockerfile.secure", "Dockerfile.twice"}} {
		cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t),
			append([]string{"rewrite", "--frontend-image", testbed.TrustingImage(t), "--output", file[1], file[0]}, args...)...)
		cmd.Dir = dir
		if got := testbed.Run(t, cmd); got.Code != 0 {
			t.Fatalf("%q: exit code %d\n%s", cmd.Args, got.Code, got.Stderr)
		}
		text, err := os.ReadFile(filepath.Join(dir, file[1]))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	checkEqual(t, "rewritten again", texts[0], texts[1])
	return texts[0]
}

// TestTextMount builds what --apt=mount writes with builders that know nothing of
// the frontend. Nothing is fetched in clear text, the operator's mirror is asked,
// and the image is that of the author's Dockerfile.
func TestTextMount(t *testing.T) {
	bases, builders := textBases(t), textBuilders(t)
	archive := testbed.Archive(t)
	for suite, base := range bases {
		for _, b := range builders {
			t.Run(suite+"/"+b.name, func(t *testing.T) { testTextMount(t, b, base, archive) })
		}
	}
}

func testTextMount(t *testing.T, b textBuilder, base string, archive *testbed.Mirror) {
	dockerfile := "FROM " + base + "\n" + textBuild
	if b.heredocs {
		dockerfile += heredocs
	}
	dir := folder(t, map[string]string{"Dockerfile": dockerfile})
	archive.Reset()
	want := b.image(t, dir, "Dockerfile", "text/plain:1")
	if len(archive.ClearHits()) == 0 || len(archive.TLSHits()) > 0 {
		t.Fatalf("as written, in clear text: %d requests, over TLS: %v", len(archive.ClearHits()), archive.TLSHits())
	}
	archive.Reset()
	mirror := newSecurityMirror(t)
	secure(t, dir, "--security-mirror", mirror.expand("https://HOST/sec"))
	got := b.image(t, dir, "Dockerfile.secure", "text/mount:1")
	checkSecured(t, archive, mirror)
	checkSameFiles(t, want, got)
	if b.heredocs {
		archive.Reset()
		child := folder(t, map[string]string{"Dockerfile": "FROM " + testbed.Registry(t).Ref("text/mount:1") + "\n"})
		b.image(t, child, "Dockerfile", "text/child:1")
		checkSecured(t, archive, mirror)
	}
}

// newSecurityMirror has Debian's security archive at /sec.
func newSecurityMirror(t *testing.T) *host {
	t.Helper()
	return newHost(t, testbed.MirrorOptions{Handler: testbed.ArchiveTree(t, "/sec", "https://deb.debian.org/debian-security")})
}

// checkSecured checks that what was fetched came over TLS, and updates of security
// from the mirror alone.
func checkSecured(t *testing.T, archive *testbed.Mirror, mirror *host) {
	t.Helper()
	checkEqual(t, "in clear text", nil, slices.Concat(paths(archive.ClearHits()), mirror.clear()))
	if !asked(archive.TLSHits(), "deb.debian.org") || len(mirror.overTLS()) == 0 {
		t.Errorf("over TLS: %v, from the mirror %v", archive.TLSHits(), mirror.overTLS())
	}
	for _, p := range paths(archive.TLSHits()) {
		if strings.HasPrefix(p, "/debian-security/") {
			t.Errorf("not from the mirror: %s", p)
		}
	}
}

// checkSameFiles checks that two images have the same configuration, and the same
// files in the same layers, but for times and what is in them.
func checkSameFiles(t *testing.T, want, got v1.Image) {
	t.Helper()
	wantConfig, gotConfig := configOf(t, want).DeepCopy(), configOf(t, got).DeepCopy()
	wantConfig.Config.OnBuild, gotConfig.Config.OnBuild = nil, nil // text, as history is
	checkEqual(t, "configuration", wantConfig.Config, gotConfig.Config)
	checkEqual(t, "files", fileList(t, want), fileList(t, got))
}

// fileList has the layer, the path and the mode of each entry above the base.
func fileList(t *testing.T, img v1.Image) []string {
	t.Helper()
	entries, _ := contents(t, img, 1)
	var list []string
	for _, e := range entries {
		list = append(list, strings.Join(strings.Fields(e)[:3], " "))
	}
	return list
}

// TestTextPersist builds what --apt=persist writes, for builders without mounts:
// nothing is fetched in clear text, and the image has exactly what it is said to
// have more.
func TestTextPersist(t *testing.T) {
	bases, builders := textBases(t), textBuilders(t)
	archive := testbed.Archive(t)
	for suite, base := range bases {
		for _, b := range builders {
			t.Run(suite+"/"+b.name, func(t *testing.T) { testTextPersist(t, b, base, archive) })
		}
	}
}

func testTextPersist(t *testing.T, b textBuilder, base string, archive *testbed.Mirror) {
	dir := folder(t, map[string]string{"Dockerfile": "FROM " + base + `
USER nobody
USER root
RUN apt-get update && apt-get install -y --no-install-recommends hello && hello
RUN ["apt-get", "-y", "--download-only", "dist-upgrade"]
`})
	want := b.image(t, dir, "Dockerfile", "text/plain:2")
	if len(archive.ClearHits()) == 0 {
		t.Fatal("as written, nothing in clear text")
	}
	archive.Reset()
	mirror := newSecurityMirror(t)
	text := secure(t, dir, "--apt=persist", "--security-mirror", mirror.expand("https://HOST/sec"))
	if strings.Contains(text, "--mount") {
		t.Errorf("it has a mount:\n%s", text)
	}
	got := b.image(t, dir, "Dockerfile.secure", "text/persist:1")
	checkSecured(t, archive, mirror)
	archive.Reset()
	checkEqual(t, "configuration", configOf(t, want).Config, configOf(t, got).Config)
	more := slices.DeleteFunc(lasting(t, got), func(name string) bool { return slices.Contains(lasting(t, want), name) })
	sources := "etc/apt/sources.list.d/debian.sources"
	if strings.Contains(base, "bullseye") {
		sources = "etc/apt/sources.list"
	}
	checkEqual(t, "what the image has more", []string{"etc/apt/apt.conf.d/zz-loopx-ca", sources, "usr/share/loopx/", "usr/share/loopx/ca.crt"}, more)
}

// lasting are the files above the base that are there for good, and the folders of
// ours, sorted: a layer has the folders above its files too.
func lasting(t *testing.T, img v1.Image) []string {
	t.Helper()
	var list []string
	for _, e := range fileList(t, img) {
		fields := strings.Fields(e)
		if name := fields[1]; !strings.HasPrefix(name, "var/lib/apt/lists/") && (!strings.HasSuffix(name, "/") || strings.Contains(name, "loopx")) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestTextPersistNotRoot: where the base image has another user, which the text
// does not show, the build fails and says what to do.
func TestTextPersistNotRoot(t *testing.T) {
	builder := textBuilders(t)[0]
	base := folder(t, map[string]string{"Dockerfile": "FROM " + testbed.Base(t, "bookworm").Ref + "\nUSER nobody\n"})
	builder.image(t, base, "Dockerfile", "text/nobody:1")
	dir := folder(t, map[string]string{"Dockerfile": "FROM " + testbed.Registry(t).Ref("text/nobody:1") + "\nRUN apt-get update\n"})
	secure(t, dir, "--apt=persist")
	got := builder.build(t, dir, "Dockerfile.secure", "text/persist:2")
	if got.Code == 0 {
		t.Fatal("it was built")
	}
	checkContains(t, got.Stderr, "loopx: this has to run as root: put USER root above it")
}

// TestTextByFrontend: the frontend leaves alone what the text lends, in both modes.
func TestTextByFrontend(t *testing.T) {
	ours := testbed.FrontendImage(t)
	for _, mode := range []string{"mount", "persist"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			h := newAptHost(t, testbed.MirrorOptions{})
			dir := folder(t, map[string]string{"Dockerfile": h.expand("FROM " + aptBase + "\n" + smallSource + "RUN apt-get update\nRUN sudo apt-get update\n")})
			secure(t, dir, "--apt="+mode)
			log := call{dir: dir}.build(t, "build", by(ours), "--no-cache", withCA(t, h.CA), "-f", "Dockerfile.secure", ".")
			h.checkApt(t, log)
		})
	}
}
