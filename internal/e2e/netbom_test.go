package e2e

import (
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/policy/netbom"
)

// netbomDockerfile fetches in each of the ways: an image, sources, words of a
// command, apt; and HOST:8000 is kept by an operator's rule.
const netbomDockerfile = `FROM BASE AS fetched
ARG TOKEN
ADD http://HOST/add /add
RUN curl -fsS -o /curl http://HOST/curl
RUN apt-get update && apt-get install -y --no-install-recommends hello
RUN --network=none true
FROM fetched
ADD http://HOST/repo.git#main /git
RUN mkdir /srv/x
`

// built is a build with provenance, in three forms.
type built struct{ metadata, layout, image string }

// buildForNetbom builds once by docker buildx, to a registry, to an OCI layout
// and with a metadata file.
func buildForNetbom(t *testing.T, h *host, args ...string) built {
	t.Helper()
	base := testbed.Fetchers(t, "bookworm")
	testbed.Archive(t)
	dir := t.TempDir()
	b := built{
		metadata: filepath.Join(dir, "build.json"), layout: filepath.Join(dir, "app.tar"),
		image: testbed.Registry(t).Ref("netbom-" + strings.ToLower(filepath.Base(t.Name())) + ":1"),
	}
	source := folder(t, map[string]string{"Dockerfile": h.expand(strings.ReplaceAll(netbomDockerfile, "BASE", base.Ref))})
	out := testbed.Buildx(t, source, []string{"BUILDX_METADATA_PROVENANCE=max"}, append([]string{
		"build", "--provenance=mode=max", "--metadata-file=" + b.metadata,
		"--output=type=image,push=true,name=" + b.image, "--output=type=oci,dest=" + b.layout,
		"--build-arg=BUILDKIT_SYNTAX=" + testbed.FrontendImage(t), "--build-arg=TOKEN=hunter2",
		"--build-context=loopx-ca=" + h.CA.Dir(t),
	}, append(args, ".")...)...)
	if out.Code != 0 {
		t.Fatalf("%s", out.Stderr)
	}
	return b
}

// netbomOf runs loopxctl netbom.
func netbomOf(t *testing.T, want int, args ...string) *netbom.Document {
	t.Helper()
	out := testbed.Run(t, exec.CommandContext(t.Context(), testbed.Loopxctl(t), append([]string{"netbom", "--format=json"}, args...)...))
	if out.Code != want {
		t.Fatalf("exit code %d, want %d: %s%s", out.Code, want, out.Stdout, out.Stderr)
	}
	if strings.Contains(out.Stdout, "hunter2") {
		t.Errorf("a token is in %s", out.Stdout)
	}
	var doc netbom.Document
	if err := json.Unmarshal([]byte(out.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	return &doc
}

// TestNetbom: what a real build fetched is told alike from its metadata file, its
// OCI layout and its image in a registry.
func TestNetbom(t *testing.T) {
	h := newHost(t, testbed.MirrorOptions{Repos: repos})
	b := buildForNetbom(t, h, "--build-arg=LOOPX_REPORT=attest")
	image, layout, metadata := netbomOf(t, 0, b.image), netbomOf(t, 0, b.layout), netbomOf(t, 0, b.metadata)
	alike := cmpopts.IgnoreFields(netbom.Image{}, "Bound", "Unbound", "Digest", "Platform")
	for name, doc := range map[string]*netbom.Document{"layout": layout, "metadata": metadata} {
		if diff := cmp.Diff(image.Images, doc.Images, alike); diff != "" {
			t.Errorf("%s (-registry +%s):\n%s", name, name, diff)
		}
		checkEqual(t, name+": totals", image.Totals, doc.Totals)
		checkEqual(t, name+": report", image.Report, doc.Report)
	}
	// Each exporter attests its own image, under its own name: only the image is
	// the same.
	checkEqual(t, "image", image.Images[0].Digest, layout.Images[0].Digest)
	if img := image.Images[0]; image.Report == nil || !img.Bound || img.Provenance != "max" || !layout.Images[0].Bound || metadata.Images[0].Bound {
		t.Errorf("%+v, %+v", image.Report, img)
	}
	checkEqual(t, "totals", map[netbom.Over]int{netbom.TLS: 3, netbom.Guard: 1, netbom.Registry: 2}, image.Totals)
	for _, f := range fetchesFrom(image, h.name) {
		if !strings.HasPrefix(f.Asked, "http://"+h.name) || !strings.HasPrefix(f.From, "https://"+h.name) || f.Layer == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestNetbomClearText: a fetch that the operator keeps in clear text is told, and
// fails.
func TestNetbomClearText(t *testing.T) {
	h := newHost(t, testbed.MirrorOptions{Repos: repos})
	b := buildForNetbom(t, h, "--build-arg=LOOPX_HOSTS="+h.name+"=keep")
	doc := netbomOf(t, 1, b.image)
	for _, f := range fetchesFrom(doc, h.name) {
		if f.Over != netbom.Clear || !strings.Contains(f.Note, "host rule") {
			t.Errorf("%+v", f)
		}
	}
	checkEqual(t, "in clear text", 3, doc.Totals[netbom.Clear])
}

// TestNetbomProxyNetwork: what RUNs fetched through BuildKit's proxy network is
// told one by one, and what it could not record is told as such.
func TestNetbomProxyNetwork(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	testbed.Archive(t)
	ref := testbed.Registry(t).Ref("netbom-proxy:1")
	result, err := testbed.Buildkitd(t).Build(t, testbed.Build{
		Frontend: testbed.FrontendImage(t), NoCache: true, Push: ref,
		Attrs: map[string]string{"attest:provenance": "mode=max"},
		Opt:   func(o *client.SolveOpt) { o.ProxyNetwork = true },
		Dockerfile: "FROM " + base.Ref + "\n" + emptyBundle +
			"RUN apt-get update && apt-get install -y --no-install-recommends hello\n" +
			"RUN curl -sS -X POST https://deb.debian.org/debian/ >/dev/null\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Log)
	}
	doc := netbomOf(t, 0, ref)
	if img := doc.Images[0]; !img.ProxyNetwork || img.Silent != 1 {
		t.Errorf("%+v", img)
	}
	var packages, requests int
	for _, f := range fetchesFrom(doc, "deb.debian.org") {
		switch {
		case f.Over != netbom.TLS || f.Layer != netbom.Proxy:
			t.Errorf("%+v", f)
		case f.Kind == netbom.KindRequest:
			requests++
		case strings.Contains(f.From, "/pool/main/h/hello/") && f.Kind == "apt" && f.Digest != "":
			packages++
		}
	}
	if packages != 1 || requests != 1 {
		t.Errorf("%d packages, %d requests: %+v", packages, requests, doc.Images[0].Steps)
	}
}

func fetchesFrom(doc *netbom.Document, host string) []netbom.Fetch {
	var out []netbom.Fetch
	for _, s := range doc.Images[0].Steps {
		for _, f := range s.Fetches {
			if f.Host == host {
				out = append(out, f)
			}
		}
	}
	return out
}

// TestNetbomInProcess: a build by loopxctl itself, whose definition no image made.
func TestNetbomInProcess(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	archive := testbed.Archive(t)
	dir := folder(t, map[string]string{"Dockerfile": "FROM " + base.Ref + "\nRUN apt-get update\n"})
	ref := testbed.Registry(t).Ref("netbom-in-process:1")
	metadata := filepath.Join(dir, "build.json")
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), "build", "--progress=plain", "--provenance=mode=max", "--push", "-t", ref,
		"--metadata-file", metadata, "--build-context", "loopx-ca="+archive.CA.Dir(t), dir)
	cmd.Env = append(os.Environ(), "BUILDKIT_HOST="+testbed.Buildkitd(t).Addr, "LOOPX_FRONTEND_IMAGE="+testbed.FrontendImage(t))
	if out := testbed.Run(t, cmd); out.Code != 0 {
		t.Fatalf("%s", out.Stderr)
	}
	doc := netbomOf(t, 0, "--metadata", metadata, ref)
	if img := doc.Images[0]; img.Frontend.Image != "" || doc.Report == nil || doc.Totals[netbom.Guard] != 1 {
		t.Errorf("%+v %+v", img, doc.Totals)
	}
	if doc := netbomOf(t, 0, metadata); doc.Images[0].Provenance != "none" || doc.Totals[netbom.Guard] != 1 {
		t.Errorf("the metadata alone: %+v", doc)
	}
}

// TestNetbomPage looks at a page as people do: in a browser, with scripts off and
// no network.
func TestNetbomPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "netbom.html")
	args := []string{"netbom", "--format=html", "-o", page, "-"}
	cmd := exec.CommandContext(t.Context(), testbed.Loopxctl(t), args...)
	cmd.Stdin = strings.NewReader(netbomMetadata(t))
	if out := testbed.Run(t, cmd); out.Code != 1 {
		t.Fatalf("exit code %d: %s", out.Code, out.Stderr)
	}
	shown := testbed.Browse(t, page, 1280, 2000)
	checkEqual(t, "what the page loads", nil, shown.Asked)
	checkContains(t, shown.DOM, "Something was fetched in clear text.", "<svg", "kept.example.org is kept by the operator", "</footer>")
	f, err := os.Open(shown.Picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	colours := map[[3]uint32]bool{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if picture.Bounds().Dx() != 1280 || len(colours) < 20 {
		t.Errorf("a picture of %v with %d colours", picture.Bounds(), len(colours))
	}
}

// TestBrowse: the check of TestNetbomPage sees what a page loads.
func TestBrowse(t *testing.T) {
	page := filepath.Join(t.TempDir(), "loads.html")
	writeFile(t, page, []byte(`<!DOCTYPE html><title>x</title><img src="http://images.example.org/x.png"><script>document.title = "by a script"</script>`))
	shown := testbed.Browse(t, page, 400, 400)
	checkEqual(t, "what the page loads", []string{"http://images.example.org/x.png"}, shown.Asked)
	checkContains(t, shown.DOM, "<title>x</title>") // and not what the script says
}

// netbomMetadata is a metadata file with the provenance of the goldens.
func netbomMetadata(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../policy/netbom/testdata/hard.json")
	if err != nil {
		t.Fatal(err)
	}
	return `{"buildx.build.provenance": ` + string(data) + `}`
}
