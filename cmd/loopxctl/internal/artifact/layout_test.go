package artifact

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	digest "github.com/opencontainers/go-digest"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/buildreport"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

const slsa = "https://slsa.dev/provenance/v1"

// layout is an OCI layout that is being made.
type layout map[string][]byte

// put adds a blob.
func (l layout) put(media types.MediaType, data []byte) v1.Descriptor {
	sum := digest.FromBytes(data)
	l["blobs/sha256/"+sum.Encoded()] = data
	return v1.Descriptor{MediaType: media, Digest: v1.Hash{Algorithm: "sha256", Hex: sum.Encoded()}, Size: int64(len(data))}
}

func (l layout) json(t *testing.T, media types.MediaType, v any) v1.Descriptor {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return l.put(media, data)
}

// shape is what a test changes of a sound layout.
type shape struct {
	// statements are those of the attestation manifest: predicate type, text. The
	// word IMAGE stands for the image's digest, without the algorithm.
	statements [][2]string
	// subject is the attestation manifest's, "" for the image.
	subject string
	// after may change anything.
	after func(l layout, index *v1.IndexManifest)
}

func statement(predicateType, subject, predicate string) string {
	return fmt.Sprintf(`{"_type":"https://in-toto.io/Statement/v1","predicateType":%q,"subject":[{"name":"x","digest":{"sha256":%q}}],"predicate":%s}`,
		predicateType, subject, predicate)
}

const (
	predicate = `{"buildDefinition":{"buildType":"x"}}`
	reported  = `{"frontend":"1.2.3","steps":[],"findings":[]}`
)

// newLayout makes the layout of an image for linux/amd64 with attestations.
func newLayout(t *testing.T, s shape) (l layout, image string) {
	t.Helper()
	l = layout{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}
	config := l.put(types.OCIConfigJSON, []byte(`{"os":"linux","architecture":"amd64","rootfs":{"type":"layers"},"config":{}}`))
	img := l.json(t, types.OCIManifestSchema1, v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{}})
	img.Platform = &v1.Platform{OS: "linux", Architecture: "amd64"}
	att := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: l.put("application/vnd.oci.empty.v1+json", []byte("{}")), Subject: &v1.Descriptor{Digest: img.Digest}}
	if s.subject != "" {
		att.Subject.Digest = v1.Hash{Algorithm: "sha256", Hex: s.subject}
	}
	for _, st := range s.statements {
		d := l.put(inToto, []byte(strings.ReplaceAll(st[1], "IMAGE", img.Digest.Hex)))
		d.Annotations = map[string]string{predicateKey: st[0]}
		att.Layers = append(att.Layers, d)
	}
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{img}}
	if s.statements != nil {
		d := l.json(t, types.OCIManifestSchema1, att)
		d.Platform = &v1.Platform{OS: "unknown", Architecture: "unknown"}
		d.Annotations = map[string]string{referenceType: attestationType, referenceDigest: img.Digest.String()}
		index.Manifests = append(index.Manifests, d)
	}
	if s.after != nil {
		s.after(l, &index)
	}
	top := l.json(t, types.OCIImageIndex, index)
	names, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: []v1.Descriptor{top, top}}) // two names, one image
	if err != nil {
		t.Fatal(err)
	}
	if l[indexName] == nil {
		l[indexName] = names
	}
	return l, img.Digest.String()
}

// folder writes the layout as a folder, tar as a file.
func (l layout) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range l {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (l layout) tar(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, data := range l {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app.tar")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, name string) (*Artifact, error) {
	t.Helper()
	return Read(t.Context(), strings.NewReader(""), name)
}

// whole is a layout with provenance and the frontend's report.
func whole() shape {
	return shape{statements: [][2]string{
		{slsa, statement(slsa, "IMAGE", predicate)},
		{"https://spdx.dev/Document", statement("https://spdx.dev/Document", "IMAGE", "{}")},
		{buildreport.Predicate, statement(buildreport.Predicate, "IMAGE", reported)},
	}}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	l, image := newLayout(t, whole())
	for _, name := range []string{l.folder(t), l.tar(t)} {
		a, err := read(t, name)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind != Layout || a.Name != name || len(a.Images) != 1 || a.Report == nil || a.Report.Frontend != "1.2.3" {
			t.Fatalf("%+v", a)
		}
		img := a.Images[0]
		if img.Platform != "linux/amd64" || img.Digest != image || img.Build == nil || img.Unbound != "" || img.Config.OS != "linux" || len(img.Attestations) != 3 {
			t.Errorf("%+v", img)
		}
		if img.Attestations[1].Statement != nil || img.Attestations[0].Statement == nil {
			t.Errorf("%+v", img.Attestations)
		}
	}
}

// TestUnbound: provenance that is not known to be about the image is read, and
// said to be so; a report that is not, is none.
func TestUnbound(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("0", 64)
	for name, tc := range map[string]struct {
		shape
		build bool
		want  string
	}{
		"no attestations":  {shape{}, false, "the image has no provenance"},
		"an SBOM only":     {shape{statements: [][2]string{{"x", statement("x", "IMAGE", "{}")}}}, false, "the image has no provenance"},
		"another subject":  {shape{statements: [][2]string{{slsa, statement(slsa, other, predicate)}, {buildreport.Predicate, statement(buildreport.Predicate, other, reported)}}}, true, "it is of sha256:" + other},
		"another manifest": {shape{subject: other, statements: [][2]string{{slsa, statement(slsa, "IMAGE", predicate)}, {buildreport.Predicate, statement(buildreport.Predicate, "IMAGE", reported)}}}, true, "its attestation manifest is of sha256:" + other},
		"two":              {shape{statements: [][2]string{{slsa, statement(slsa, "IMAGE", predicate)}, {slsa, statement(slsa, "IMAGE", predicate) + " "}}}, false, "it has several provenance statements: "},
		"of another image": {shape{statements: [][2]string{{slsa, statement(slsa, "IMAGE", predicate)}}, after: func(_ layout, index *v1.IndexManifest) {
			index.Manifests[1].Annotations[referenceDigest] = "sha256:" + other
		}}, false, "the image has no provenance"},
	} {
		l, _ := newLayout(t, tc.shape)
		a, err := read(t, l.folder(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if img := a.Images[0]; (img.Build != nil) != tc.build || !strings.HasPrefix(img.Unbound, tc.want) || a.Report != nil {
			t.Errorf("%s: %t, %q, %v", name, img.Build != nil, img.Unbound, a.Report)
		}
	}
}

// TestLeftOut: whatever a client may take for an image is one of the images.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	arm := &v1.Platform{OS: "linux", Architecture: "arm64"}
	sound := whole().statements
	for name, tc := range map[string]struct {
		after func(l layout, index *v1.IndexManifest)
		want  string // of why nothing is known of the last image
	}{
		"an index in the index": {func(l layout, index *v1.IndexManifest) {
			d := l.put(types.OCIImageIndex, []byte(`{"manifests":[]}`))
			d.Platform = arm
			index.Manifests = append(index.Manifests, d)
		}, "it is no manifest of an image"},
		"another type, or none": {func(l layout, index *v1.IndexManifest) {
			d := l.put("", []byte("{}"))
			d.Platform = arm
			index.Manifests = append(index.Manifests, d)
		}, "it is no manifest of an image"},
		"an image that says it is an attestation": {func(_ layout, index *v1.IndexManifest) {
			d := index.Manifests[0]
			d.Platform, d.Annotations = arm, map[string]string{referenceType: attestationType, referenceDigest: "sha256:" + strings.Repeat("0", 64)}
			index.Manifests = append(index.Manifests, d)
		}, ""},
		"the same without a platform": {func(_ layout, index *v1.IndexManifest) {
			d := index.Manifests[0]
			d.Platform, d.Annotations = nil, map[string]string{referenceType: attestationType}
			index.Manifests = append(index.Manifests, d)
		}, ""},
		"an index that says it is an attestation": {func(l layout, index *v1.IndexManifest) {
			d := l.put(types.OCIImageIndex, []byte(`{"manifests":[]}`))
			d.Platform, d.Annotations = index.Manifests[1].Platform, map[string]string{referenceType: attestationType}
			index.Manifests = append(index.Manifests, d)
		}, "it is no manifest of an image"},
	} {
		l, image := newLayout(t, shape{statements: sound, after: tc.after})
		a, err := read(t, l.folder(t))
		if err != nil || len(a.Images) != 2 {
			t.Errorf("%s: %+v, %v", name, a, err)
			continue
		}
		if img := a.Images[1]; !strings.HasPrefix(img.Unbound, tc.want) || (tc.want == "") != (img.Digest == image) || (tc.want == "") == (img.Build == nil) {
			t.Errorf("%s: %+v", name, img)
		}
	}
}

// TestTwoMeanings: a manifest that others may read as something else is unsound.
func TestTwoMeanings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ data, want string }{
		"another type":       {`{"mediaType":"` + string(types.OCIImageIndex) + `"}`, "and what names it says"},
		"an index and image": {`{"config":{},"layers":[],"manifests":[]}`, "as an index and as an image"},
	} {
		l, _ := newLayout(t, shape{statements: whole().statements, after: func(l layout, index *v1.IndexManifest) {
			index.Manifests[0] = l.put(types.OCIManifestSchema1, []byte(tc.data))
		}})
		_, err := read(t, l.folder(t))
		if _, ok := errors.AsType[*Unsound](err); !ok || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBroken: what is not what its digest says, or too much, is not read.
func TestBroken(t *testing.T) {
	t.Parallel()
	change := func(media types.MediaType, data []byte) func(layout, *v1.IndexManifest) {
		return func(l layout, index *v1.IndexManifest) {
			d := index.Manifests[0]
			d.MediaType = media
			l["blobs/sha256/"+d.Digest.Hex] = data
		}
	}
	for name, tc := range map[string]struct {
		shape
		want string
	}{
		"another content": {shape{after: change(types.OCIManifestSchema1, nil)}, "does not have the"},
		"another byte": {shape{after: func(l layout, index *v1.IndexManifest) {
			l["blobs/sha256/"+index.Manifests[0].Digest.Hex][3] ^= 1
		}}, "has another content than its digest says"},
		"missing": {shape{after: func(l layout, index *v1.IndexManifest) {
			delete(l, "blobs/sha256/"+index.Manifests[0].Digest.Hex)
		}}, "is missing"},
		"a size of its own": {shape{after: func(_ layout, index *v1.IndexManifest) { index.Manifests[0].Size = 1 << 40 }}, "are the most that is read"},
		"a negative size":   {shape{after: func(_ layout, index *v1.IndexManifest) { index.Manifests[0].Size = -1 }}, "are the most that is read"},
		"no image":          {shape{after: func(_ layout, index *v1.IndexManifest) { index.Manifests = nil }}, "names no image"},
		"too many": {shape{after: func(_ layout, index *v1.IndexManifest) {
			for range maxManifests {
				index.Manifests = append(index.Manifests, index.Manifests[0])
			}
		}}, "are the most that is read"},
		"another type":  {shape{statements: [][2]string{{slsa, statement("x", "IMAGE", predicate)}}}, "and its manifest says"},
		"no statement":  {shape{statements: [][2]string{{slsa, "[]"}}}, "no JSON object"},
		"no provenance": {shape{statements: [][2]string{{slsa, statement(slsa, "IMAGE", "7")}}}, "can't be read"},
		"no report":     {shape{statements: [][2]string{{buildreport.Predicate, statement(buildreport.Predicate, "IMAGE", "{}")}}}, "names no frontend"},
		"several images": {shape{after: func(l layout, _ *v1.IndexManifest) {
			l[indexName] = []byte(`{"manifests":[{"digest":"sha256:` + strings.Repeat("1", 64) + `"},{"digest":"sha256:` + strings.Repeat("2", 64) + `"}]}`)
		}}, "it names 2 images"},
		"an empty index":   {shape{after: func(l layout, _ *v1.IndexManifest) { l[indexName] = []byte("{}") }}, "it names no image"},
		"a deep index":     {shape{after: func(l layout, _ *v1.IndexManifest) { l[indexName] = []byte(strings.Repeat("[", 20_000)) }}, "is no sound OCI layout"},
		"a path as digest": {shape{after: func(l layout, _ *v1.IndexManifest) { l[indexName] = []byte(`{"manifests":[{"digest":"../../x:y"}]}`) }}, "is no sound OCI layout"},
	} {
		l, _ := newLayout(t, tc.shape)
		for _, path := range []string{l.folder(t), l.tar(t)} {
			a, err := read(t, path)
			if _, ok := errors.AsType[*fault.Error](err); !ok || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, %v; want %q", name, a, err, tc.want)
			}
			_, unsound := errors.AsType[*Unsound](err)
			if want := slices.Contains([]string{"another content", "another byte", "missing"}, name); unsound != want {
				t.Errorf("%s: unsound: %t", name, unsound)
			}
		}
	}
}

// TestLinks: a link in a layout leads nowhere outside of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	l, _ := newLayout(t, whole())
	outside := filepath.Join(t.TempDir(), "index.json")
	if err := os.WriteFile(outside, l[indexName], 0o644); err != nil {
		t.Fatal(err)
	}
	dir := l.folder(t)
	if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, indexName)); err != nil {
		t.Fatal(err)
	}
	if a, err := read(t, dir); err == nil {
		t.Errorf("%+v", a)
	}
}

// TestNotRead: what is none of the three is an error that says what to name.
func TestNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"empty.json": "", "text.json": "hello", "other.json": `{"a": 1}`, "half.json": `{"a`,
		"zip.tar": "\x1f\x8b\x08", "zstd.tar": "\x28\xb5\x2f\xfd", "bake.json": `{"a": {"containerimage.digest": "x"}, "b": {"containerimage.digest": "x"}}`,
		"report.json": `{"frontend.loopx.report": "{}"}`, "provenance.json": `{"buildx.build.provenance": {}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"empty.json": "is empty", "text.json": "neither a metadata file nor a tar", "other.json": "holds neither provenance nor",
		"half.json": "is no metadata file", "zip.tar": "is compressed", "zstd.tar": "is compressed", "bake.json": "is of several builds: a, b",
		"report.json": "names no frontend", "provenance.json": "is no SLSA provenance", "missing.json": "no such file", ".": "is a folder, and no OCI layout",
	} {
		a, err := read(t, filepath.Join(dir, name))
		if _, ok := errors.AsType[*fault.Error](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", name, a, err, want)
		}
	}
	if a, err := read(t, "Not An Image"); err == nil || !strings.Contains(err.Error(), "no image") {
		t.Errorf("%v, %v", a, err)
	}
	if a, err := Read(t.Context(), io.MultiReader(strings.NewReader("{"), endless{}), "-"); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v, %v", a, err)
	}
}

// endless is a metadata file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }

// TestMetadata: a file of docker buildx, of bake with one target, and what a
// client writes that does not look into the daemon's answer.
func TestMetadata(t *testing.T) {
	t.Parallel()
	inner := `{"containerimage.digest": "sha256:1", "frontend.loopx.report": "{\"frontend\":\"1.2.3\"}",
		"buildx.build.provenance/linux/amd64": ` + predicate + `, "buildx.build.provenance/linux/arm64": ` + predicate + `}`
	for _, doc := range []string{inner, `{"app": ` + inner + `, "buildx.bake": "x"}`} {
		a, err := Read(t.Context(), strings.NewReader(doc), "-")
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind != Metadata || a.Digest != "sha256:1" || a.Report == nil || len(a.Images) != 2 || a.Images[1].Platform != "linux/arm64" || a.Images[0].Unbound == "" {
			t.Errorf("%+v", a)
		}
	}
}

// TestTakeReport: a metadata file's report goes with the image that it names.
func TestTakeReport(t *testing.T) {
	t.Parallel()
	metadata := func(digest, report string) *Artifact {
		a, err := Read(t.Context(), strings.NewReader(fmt.Sprintf(`{"containerimage.digest": %q, "frontend.loopx.report": %s}`, digest, report)), "-")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := &Artifact{Name: "app", Digest: "sha256:1"}
	if err := a.TakeReport(metadata("sha256:2", reported)); err == nil || a.Report != nil {
		t.Errorf("of another image: %v", err)
	}
	if err := a.TakeReport(&Artifact{Kind: Layout}); err == nil {
		t.Error("of a layout")
	}
	if err := a.TakeReport(metadata("sha256:1", reported)); err != nil || a.Report == nil {
		t.Errorf("%v", err)
	}
	if err := a.TakeReport(metadata("sha256:1", `{"frontend":"2"}`)); err == nil || a.Report.Frontend != "1.2.3" {
		t.Errorf("another report: %v", err)
	}
}
