package frontend

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestProvenanceNamesWhatWasFetched: the bundle is no material, and an ADD is
// recorded at the address that it came from.
func TestProvenanceNamesWhatWasFetched(t *testing.T) {
	base := testbed.Fetchers(t, "bookworm")
	m := newMirror(t)
	ref := testbed.Registry(t).Ref("provenance:1")
	build(t, m, testbed.Build{
		Dockerfile: "FROM " + base.Ref + "\nRUN curl -fsS http://downloads.example.org/x -o /x\nADD http://downloads.example.org/y /y\n",
		Attrs:      map[string]string{"attest:provenance": "mode=max,version=v1"},
		Push:       ref,
	})
	var deps []string
	for _, d := range provenance(t, ref).Predicate.BuildDefinition.ResolvedDependencies {
		uri, _, _ := strings.Cut(d.URI, "?")
		deps = append(deps, uri)
	}
	slices.Sort(deps)
	host, repository, _ := strings.Cut(base.Ref, "/")
	repository, tag, _ := strings.Cut(repository, ":")
	want := []string{"https://downloads.example.org/y", "pkg:docker/" + host + "/" + repository + "@" + tag}
	if diff := cmp.Diff(want, deps); diff != "" {
		t.Errorf("materials (-want +got):\n%s", diff)
	}
}

// statement is what is read of an in-toto statement.
type statement struct {
	Predicate struct {
		BuildDefinition struct {
			ResolvedDependencies []struct{ URI string }
		}
	}
}

func provenance(t *testing.T, ref string) (s statement) {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(parsed)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(manifest.Manifests, func(d v1.Descriptor) bool {
		return d.Annotations["vnd.docker.reference.type"] == "attestation-manifest"
	})
	if i < 0 {
		t.Fatal("no attestation")
	}
	img, err := index.Image(manifest.Manifests[i].Digest)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of provenance", len(data))
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}
