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

// textBuild is a Dockerfile that runs apt in several ways, after FROM, on a base
// without certificate authorities.
const textBuild = `RUN apt-get update && apt-get install -y --no-install-recommends hello && hello
RUN ["apt-get", "-y", "--download-only", "dist-upgrade"]
RUN --mount=type=cache,target=/var/cache/other \
    # a comment
    set -eu; \
    su - -c 'apt-get update'
`

// textMore is more, for builders that know heredocs. One RUN fetches by itself.
const textMore = `RUN <<EOF
apt-get update
apt-get install -y --no-install-recommends sudo curl
EOF
RUN <<EOF
#!/bin/bash -e
# a comment
sudo apt-get update
EOF
RUN curl -fsS http://deb.debian.org/debian/dists/stable/InRelease -o /srv/InRelease
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

// TestText builds what --apt=mount and --apt=persist write, with builders that know
// nothing of the frontend. Nothing is fetched in clear text, and updates of security
// come from the operator's mirror.
func TestText(t *testing.T) {
	bases, builders := textBases(t), textBuilders(t)
	archive := testbed.Archive(t)
	for suite, base := range bases {
		for _, b := range builders {
			t.Run(suite+"/"+b.name, func(t *testing.T) {
				m := textModes{b, base, archive, newSecurityMirror(t), "text/" + suite + "-" + b.name}
				plain := m.plain(t)
				m.mount(t, plain)
				m.persist(t, plain)
			})
		}
	}
}

// textModes builds one Dockerfile in all ways.
type textModes struct {
	textBuilder
	base    string
	archive *testbed.Mirror
	mirror  *host
	name    string // of images
}

// dockerfile is a folder with the Dockerfile, which is longer for builders that
// know heredocs.
func (m textModes) dockerfile(t *testing.T, more bool) string {
	t.Helper()
	text := "FROM " + m.base + "\n" + textBuild
	if more && m.heredocs {
		text += textMore
	}
	return folder(t, map[string]string{"Dockerfile": text})
}

// plain builds the Dockerfile as it is written, in clear text.
func (m textModes) plain(t *testing.T) v1.Image {
	t.Helper()
	m.archive.Reset()
	img := m.image(t, m.dockerfile(t, true), "Dockerfile", m.name+":plain")
	if len(m.archive.ClearHits()) == 0 || len(m.archive.TLSHits()) > 0 {
		t.Fatalf("as written, in clear text: %d requests, over TLS: %v", len(m.archive.ClearHits()), m.archive.TLSHits())
	}
	m.archive.Reset()
	return img
}

// mount holds that the image is that of the author's Dockerfile. What its triggers
// run in a child is served too.
func (m textModes) mount(t *testing.T, plain v1.Image) {
	t.Helper()
	dir := m.dockerfile(t, true)
	secure(t, dir, "--security-mirror", m.mirror.expand("https://HOST/sec"))
	got := m.image(t, dir, "Dockerfile.secure", m.name+":mount")
	m.check(t)
	checkEqual(t, "configuration", runtimeConfig(t, plain), runtimeConfig(t, got))
	want, have := fileList(t, plain), fileList(t, got)
	if m.textBuilder.name == "buildah" { // buildah notes the folders above a mount point that it made and removed
		isFolder := func(e string) bool { return strings.Contains(e, "/ d") }
		want, have = slices.DeleteFunc(want, isFolder), slices.DeleteFunc(have, isFolder)
	}
	checkEqual(t, "files", want, have)
	if m.heredocs {
		child := folder(t, map[string]string{"Dockerfile": "FROM " + testbed.Registry(t).Ref(m.name+":mount") + "\n"})
		m.image(t, child, "Dockerfile", m.name+":child")
		m.check(t)
	}
}

// persist holds that the image has exactly what it is said to have more.
func (m textModes) persist(t *testing.T, plain v1.Image) {
	t.Helper()
	dir := m.dockerfile(t, false)
	if text := secure(t, dir, "--apt=persist", "--security-mirror", m.mirror.expand("https://HOST/sec")); strings.Contains(text, "=bind") {
		t.Errorf("it has a mount:\n%s", text)
	}
	got := m.image(t, dir, "Dockerfile.secure", m.name+":persist")
	m.check(t)
	checkEqual(t, "configuration", runtimeConfig(t, plain), runtimeConfig(t, got))
	there := lasting(t, plain)
	more := slices.DeleteFunc(lasting(t, got), func(name string) bool { return slices.Contains(there, name) })
	sources := "etc/apt/sources.list.d/debian.sources"
	if strings.Contains(m.base, "bullseye") {
		sources = "etc/apt/sources.list"
	}
	checkEqual(t, "what the image has more", []string{"etc/apt/apt.conf.d/zz-loopx-ca", sources, "usr/share/loopx/", "usr/share/loopx/ca.crt"}, more)
}

// runtimeConfig is what a container is started with. Triggers are text, as the
// history is.
func runtimeConfig(t *testing.T, img v1.Image) v1.Config {
	t.Helper()
	config := configOf(t, img).DeepCopy().Config
	config.OnBuild = nil
	return config
}

// newSecurityMirror has Debian's security archive at /sec.
func newSecurityMirror(t *testing.T) *host {
	t.Helper()
	return newHost(t, testbed.MirrorOptions{Handler: testbed.ArchiveTree(t, "/sec", "https://deb.debian.org/debian-security")})
}

// check checks that what was fetched came over TLS, and updates of security from the
// mirror alone. It forgets the requests.
func (m textModes) check(t *testing.T) {
	t.Helper()
	checkEqual(t, "in clear text", nil, slices.Concat(paths(m.archive.ClearHits()), m.mirror.clear()))
	if !asked(m.archive.TLSHits(), "deb.debian.org") || len(m.mirror.overTLS()) == 0 {
		t.Errorf("over TLS: %v, from the mirror %v", m.archive.TLSHits(), m.mirror.overTLS())
	}
	for _, p := range paths(m.archive.TLSHits()) {
		if strings.HasPrefix(p, "/debian-security/") {
			t.Errorf("not from the mirror: %s", p)
		}
	}
	m.archive.Reset()
	m.mirror.Reset()
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
