package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// released is a repository at a tag whose images are built and judged.
type released struct {
	*repository
	host *host
	ca   string
}

// newReleased makes a repository whose image has something of each kind that the
// gate looks at: a pinned base, an ADD, a fetch in a RUN, apt, a shebang heredoc,
// and a RUN without a network.
func newReleased(t *testing.T) *released {
	t.Helper()
	testbed.Fetchers(t, "bookworm")
	base := digestOf(t, testbed.Registry(t).Image(t, "library/debian:bookworm-fetchers")).String()
	h := newHost(t, testbed.MirrorOptions{})
	r := newRepository(t, map[string]string{
		"Dockerfile": h.expand("FROM debian:bookworm-fetchers@" + base + "\nARG PASSWORD=none\nADD http://HOST/add /add\n" +
			"RUN curl -fsS http://HOST/curl -o /curl\nRUN apt-get update -o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts=-\n" +
			"RUN <<EOF\n#!/bin/sh\nwget -q http://HOST/wget -O /wget\nEOF\nRUN --network=none true\n"),
		"loopx.yaml": "release:\n  tag: v*\n  frontends: " + indexDigest(t, testbed.FrontendImage(t)) + "\n",
	})
	r.git(t, "tag", "v1.0.0")
	return &released{r, h, withCA(t, h.CA)}
}

// indexDigest is the digest of what a reference names.
func indexDigest(t *testing.T, ref string) string {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Get(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return got.Digest.String()
}

// image builds the image into an OCI layout, in a folder.
func (r *released) image(t *testing.T, args ...string) (dir, metadata string) {
	t.Helper()
	dir, metadata = filepath.Join(t.TempDir(), "oci"), filepath.Join(t.TempDir(), "metadata.json")
	c := call{dir: r.dir}
	c.build(t, slices.Concat([]string{"build", r.ca, "--metadata-file=" + metadata, "--output=type=oci,tar=false,dest=" + dir + ",name=registry.example.org/app:1"}, args, []string{"."})...)
	return dir, metadata
}

// gateVerdict is what is read of a verdict.
type gateVerdict struct {
	Decision string
	Commit   string
	Checks   []struct {
		Name, Status, Reason, Todo string
		Details                    []string
	}
	Images []struct {
		Grade    string
		SignedBy string `json:"signed_by"`
	}
}

// gate runs the gate as a user does, and returns what stops the release.
func (r *released) gate(t *testing.T, code int, args ...string) (v gateVerdict, stopped []string, text string) {
	t.Helper()
	cmd := exec.Command(r.bin, append([]string{"release-gate", "--format=json", "--no-record"}, args...)...)
	cmd.Dir = r.dir
	got := testbed.Run(t, cmd)
	if got.Code != code {
		t.Fatalf("exit code %d, want %d\n%s%s", got.Code, code, got.Stdout, got.Stderr)
	}
	if code > 1 {
		return v, nil, got.Stderr
	}
	if err := json.Unmarshal([]byte(got.Stdout), &v); err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Checks {
		if c.Status == "fail" || c.Status == "unprovable" {
			stopped = append(stopped, c.Name+" "+c.Status)
		}
	}
	return v, stopped, got.Stdout
}

// TestReleaseGate builds images as BuildKit builds them, in the way that passes
// and in each way that must not, and holds which checks refuse them and what they
// name.
func TestReleaseGate(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	ours, stock := by(testbed.FrontendImage(t)), by(testbed.StockImage(t))
	const most, report = "--provenance=mode=max", "--build-arg=LOOPX_REPORT=attest"
	for _, tc := range []struct {
		name string
		args []string
		want []string
		says []string
	}{
		{name: "ours", args: []string{ours, most, report, "--build-arg=PASSWORD=hunter2"}},
		{name: "SLSA 0.2", args: []string{ours, "--provenance=mode=max,version=v0.2", report}},
		{
			name: "a host in clear text", args: []string{ours, most, report, "--build-arg=LOOPX_HOSTS=" + r.host.name + "=keep"},
			want: []string{"image.settings fail", "image.materials fail", "image.network fail"},
			says: []string{"clear text to " + r.host.name + " is kept", "http://" + r.host.name + "/add (sha256:", "Dockerfile:4: http://" + r.host.name + "/curl is fetched in clear text"},
		},
		{
			name: "the stock frontend", args: []string{stock, most},
			want: []string{"image.report unprovable", "image.frontend fail", "image.materials fail", "image.network fail"},
			says: []string{"the frontend's report is not attested", testbed.StockImage(t), "http://" + r.host.name + "/add (sha256:", "runs apt-get, and has no guard"},
		},
		{
			name: "LOOPX_APT=off", args: []string{ours, most, report, "--build-arg=LOOPX_APT=off"},
			want: []string{"image.settings fail", "image.network unprovable"},
			says: []string{`"LOOPX_APT=off"`, "Dockerfile:5: runs apt-get, and has no guard"},
		},
		{
			name: "audit", args: []string{ours, most, report, "--build-arg=LOOPX_MODE=audit"},
			want: []string{"image.settings fail"}, says: []string{`"LOOPX_MODE=audit"`},
		},
		{
			name: "LOOPX_CHECKS=off", args: []string{ours, most, report, "--build-arg=LOOPX_CHECKS=off"},
			want: []string{"image.settings fail"}, says: []string{`"LOOPX_CHECKS=off"`},
		},
		{
			name: "mode=min", args: []string{ours, "--provenance=mode=min", report},
			want: []string{"image.network unprovable"}, says: []string{"mode=min"},
		},
		{
			name: "mode=min and no report", args: []string{ours, "--provenance=mode=min"},
			want: []string{"image.report unprovable", "image.settings unprovable", "image.network unprovable"}, says: []string{"mode=min"},
		},
		{
			name: "no report", args: []string{ours, most},
			want: []string{"image.report unprovable"}, says: []string{"the frontend's report is not attested"},
		},
		{
			name: "no provenance", args: []string{ours, "--provenance=false"},
			want: []string{"image.provenance unprovable"}, says: []string{"the image has no attestations"},
		},
		{
			name: "a report and no provenance", args: []string{ours, "--provenance=false", report},
			want: []string{"image.provenance unprovable"}, says: []string{"the image has no provenance"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, _ := r.image(t, tc.args...)
			code := 0
			if tc.want != nil {
				code = 1
			}
			v, stopped, text := r.gate(t, code, "--image", dir)
			checkEqual(t, "what stops the release", tc.want, stopped)
			for _, words := range tc.says {
				checkContains(t, text, words)
			}
			if strings.Contains(text, "hunter2") {
				t.Error("the verdict tells a build argument")
			}
			checkEqual(t, "grade", "unsigned", v.Images[0].Grade)
		})
	}
}

// TestReleaseGateBake: the builds that went into an image, and into those, are
// judged as the image's own is.
func TestReleaseGateBake(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	ours, stock := testbed.FrontendImage(t), testbed.StockImage(t)
	text, err := os.ReadFile(filepath.Join(r.dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	from, _, _ := strings.Cut(string(text), "\n")
	writeFile(t, filepath.Join(r.dir, "deep.Dockerfile"), []byte(from+"\nRUN --network=none true\n"))
	writeFile(t, filepath.Join(r.dir, "base.Dockerfile"), []byte("FROM deep\nRUN --network=none true\n"))
	writeFile(t, filepath.Join(r.dir, "app.Dockerfile"), []byte("FROM base\nRUN --network=none true\n"))
	dir := filepath.Join(t.TempDir(), "oci")
	for _, tc := range []struct {
		name, frontend, mode string
		want, says           []string
	}{
		{name: "ours", frontend: ours, mode: "enforce"},
		{
			name: "stock below, audit between", frontend: stock, mode: "audit",
			want: []string{"image.frontend fail", "image.settings fail"},
			says: []string{"named context 0-base/0-deep", stock, "named context 0-base: LOOPX_MODE=audit"},
		},
	} {
		target := func(file, frontend, more string) string {
			return `{"dockerfile": "` + file + `.Dockerfile", "args": {"BUILDKIT_SYNTAX": "` + frontend + `", ` + more
		}
		writeFile(t, filepath.Join(r.dir, "docker-bake.json"), []byte(`{"target": {
			"deep": `+target("deep", tc.frontend, `"X": "y"}}`)+`,
			"base": `+target("base", ours, `"LOOPX_MODE": "`+tc.mode+`"}, "contexts": {"deep": "target:deep"}}`)+`,
			"app": `+target("app", ours, `"LOOPX_REPORT": "attest"}, "contexts": {"base": "target:base"}, "attest": ["type=provenance,mode=max"],
				"output": ["type=oci,tar=false,dest=`+dir+`,name=registry.example.org/app:1"]}`)+`}}`))
		r.commit(t)
		r.git(t, "tag", "v1-"+tc.mode)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		call{dir: r.dir}.build(t, "bake", "--allow=fs.write=*", "app")
		_, stopped, text := r.gate(t, min(len(tc.want), 1), "--image", dir)
		checkEqual(t, tc.name, tc.want, stopped)
		for _, words := range tc.says {
			checkContains(t, text, words)
		}
	}
}

// TestReleaseGateOfCommit: the image is of the commit that is released, and of no
// other.
func TestReleaseGateOfCommit(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	dir, metadata := r.image(t, by(testbed.FrontendImage(t)), "--provenance=mode=max")
	_, stopped, _ := r.gate(t, 1, "--image", dir)
	checkEqual(t, "without the metadata file", []string{"image.report unprovable"}, stopped)
	r.gate(t, 0, "--image", dir, "--metadata", metadata)

	writeFile(t, filepath.Join(r.dir, "README"), []byte("more\n"))
	r.commit(t)
	_, stopped, _ = r.gate(t, 1, "--image", dir, "--metadata", metadata)
	checkEqual(t, "after another commit", []string{"tag fail", "image.commit fail"}, stopped)
}

// TestReleaseGateOfRegistry: the same for an image that was pushed, and signed.
func TestReleaseGateOfRegistry(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	ref := testbed.Registry(t).Ref("gate/app:1")
	call{dir: r.dir}.build(t, "build", r.ca, by(testbed.FrontendImage(t)), "--provenance=mode=max",
		"--build-arg=LOOPX_REPORT=attest", "--push", "--tag="+ref, ".")
	r.gate(t, 0, "--image", ref)

	signers := filepath.Join(r.reviewer(t), "allowed_signers")
	_, stopped, text := r.gate(t, 1, "--image", ref, "--attest-signers", signers)
	checkEqual(t, "unsigned", []string{"image.signature fail"}, stopped)
	checkContains(t, text, "no signature is given")

	digest := filepath.Join(t.TempDir(), "digest")
	writeFile(t, digest, []byte(indexDigest(t, ref)+"\n"))
	r.run(t, exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", "loopx-attest", "-f", r.key, digest))
	v, _, _ := r.gate(t, 0, "--image", ref, "--attest-signers", signers, "--attest-signature", digest+".sig")
	checkEqual(t, "grade", "signed by reviewer@example.org", v.Images[0].Grade+" by "+v.Images[0].SignedBy)

	writeFile(t, digest, []byte(strings.Repeat("0", 64)+"\n"))
	if err := os.Remove(digest + ".sig"); err != nil {
		t.Fatal(err)
	}
	r.run(t, exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", "loopx-attest", "-f", r.key, digest))
	_, stopped, text = r.gate(t, 1, "--image", ref, "--attest-signers", signers, "--attest-signature", digest+".sig")
	checkEqual(t, "signed something else", []string{"image.signature fail"}, stopped)
	checkContains(t, text, "the signature is not one of "+indexDigest(t, ref))
}

// TestReleaseGateProxyNetwork: where the guard is not enough, BuildKit's proxy
// network is, for a command that nobody can read.
func TestReleaseGateProxyNetwork(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	policy := filepath.Join(t.TempDir(), "loopx.yaml")
	writeFile(t, policy, []byte("release: {require_proxy_network: true, require_commit: false, frontends: "+indexDigest(t, testbed.FrontendImage(t))+"}\n"))
	base := testbed.Fetchers(t, "bookworm")
	for _, proxied := range []bool{false, true} {
		ref := testbed.Registry(t).Ref("gate/proxied:" + map[bool]string{false: "no", true: "yes"}[proxied])
		got, err := testbed.Buildkitd(t).Build(t, testbed.Build{
			Dockerfile: "FROM " + base.Ref + "\nCOPY tool /\nRUN sh /tool\n", Frontend: testbed.FrontendImage(t), Push: ref,
			Files: map[string]string{"tool": "#!/bin/sh\necho done\n"},
			Attrs: map[string]string{"attest:provenance": "mode=max", "build-arg:LOOPX_REPORT": "attest"},
			Opt:   func(o *client.SolveOpt) { o.ProxyNetwork = proxied },
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, got.Log)
		}
		want := []string{"image.bases unprovable", "image.network unprovable"}
		if proxied {
			want = want[:1]
		}
		_, stopped, text := r.gate(t, 1, "--image", ref, "--config", policy)
		checkEqual(t, "what stops the release", want, stopped)
		if !proxied {
			checkContains(t, text, "it had a network, and not the proxy network")
		}
	}
}

// TestReleaseGateTampered: what was changed after the build is refused, and named.
func TestReleaseGateTampered(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	ours := []string{by(testbed.FrontendImage(t)), "--provenance=mode=max", "--build-arg=LOOPX_REPORT=attest"}
	build := func() (string, v1.Descriptor) {
		dir, _ := r.image(t, ours...)
		for _, d := range manifestOf(t, indexIn(t, dir)).Manifests {
			if d.Annotations["vnd.docker.reference.type"] == "attestation-manifest" {
				return dir, d
			}
		}
		t.Fatal("no attestation")
		return "", v1.Descriptor{}
	}

	dir, attestation := build()
	statement := provenanceOf(t, dir, attestation)
	edit(t, blobIn(dir, statement), `"invocationId":"`, `"invocationId":"X`)
	_, stopped, text := r.gate(t, 1, "--image", dir)
	checkEqual(t, "a changed statement", []string{"image.provenance fail"}, stopped)
	checkContains(t, text, statement.String())

	dir, attestation = build()
	if err := os.Remove(blobIn(dir, provenanceOf(t, dir, attestation))); err != nil {
		t.Fatal(err)
	}
	_, stopped, text = r.gate(t, 1, "--image", dir)
	checkEqual(t, "a statement that is gone", []string{"image.provenance fail"}, stopped)
	checkContains(t, text, "is missing")

	// The provenance of a good image is put beside another one.
	good, attestation := build()
	bad, _ := r.image(t, by(testbed.StockImage(t)), "--provenance=mode=max")
	transplant(t, good, attestation, bad)
	_, stopped, text = r.gate(t, 1, "--image", bad)
	checkEqual(t, "another image's provenance", []string{"image.provenance fail"}, stopped)
	checkContains(t, text, "attestation manifest is of sha256:")
}

// blobIn is where a layout has a blob.
func blobIn(dir string, h v1.Hash) string { return filepath.Join(dir, "blobs", h.Algorithm, h.Hex) }

// readJSON reads a blob.
func readJSON(t *testing.T, dir string, h v1.Hash, into any) {
	t.Helper()
	data, err := os.ReadFile(blobIn(dir, h))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// addJSON writes a blob and returns its descriptor.
func addJSON(t *testing.T, dir string, mediaType types.MediaType, doc any) v1.Descriptor {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	h, size, err := v1.SHA256(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, blobIn(dir, h), data)
	return v1.Descriptor{MediaType: mediaType, Size: size, Digest: h}
}

// provenanceOf is the digest of the provenance in an attestation manifest.
func provenanceOf(t *testing.T, dir string, attestation v1.Descriptor) v1.Hash {
	t.Helper()
	var m v1.Manifest
	readJSON(t, dir, attestation.Digest, &m)
	for _, l := range m.Layers {
		if strings.HasPrefix(l.Annotations["in-toto.io/predicate-type"], "https://slsa.dev/provenance/") {
			return l.Digest
		}
	}
	t.Fatal("no provenance")
	return v1.Hash{}
}

// edit replaces bytes of a file, without a change of its length.
func edit(t *testing.T, file, old, replacement string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(data, []byte(old))
	if i < 0 {
		t.Fatalf("%s has no %s", file, old)
	}
	copy(data[i:], replacement)
	writeFile(t, file, data)
}

// transplant makes the attestation of one layout that of the image of another, as
// whoever may push can: all digests are right.
func transplant(t *testing.T, from string, attestation v1.Descriptor, to string) {
	t.Helper()
	var outer, index v1.IndexManifest
	data, err := os.ReadFile(filepath.Join(to, "index.json"))
	if err == nil {
		err = json.Unmarshal(data, &outer)
	}
	if err != nil {
		t.Fatal(err)
	}
	readJSON(t, to, outer.Manifests[0].Digest, &index)
	var m v1.Manifest
	readJSON(t, from, attestation.Digest, &m)
	for _, h := range append([]v1.Descriptor{attestation, m.Config}, m.Layers...) {
		blob, err := os.ReadFile(blobIn(from, h.Digest))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, blobIn(to, h.Digest), blob)
	}
	image := index.Manifests[0].Digest.String()
	attestation.Annotations["vnd.docker.reference.digest"] = image
	index.Manifests = []v1.Descriptor{index.Manifests[0], attestation}
	top := addJSON(t, to, types.OCIImageIndex, index)
	outer.Manifests = []v1.Descriptor{top}
	if data, err = json.Marshal(outer); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(to, "index.json"), data)
}
