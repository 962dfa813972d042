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

// TestProvenanceOfGuardedRUN: it names the image of what is mounted, the secret
// that may be given and the operator's mirrors. No certificates are in it.
func TestProvenanceOfGuardedRUN(t *testing.T) {
	base, mounted := testbed.Base(t, "bookworm"), testbed.MountImage(t)
	ref := testbed.Registry(t).Ref("provenance:2")
	res, err := testbed.Buildkitd(t).Build(t, testbed.Build{
		Func:       inProcess(t).Build,
		Dockerfile: "FROM " + base.Ref + "\nRUN test -x /dev/.loopx/apt/method || apt-get update\n",
		Attrs: map[string]string{
			"attest:provenance":             "mode=max,version=v1",
			"build-arg:LOOPX_DEBIAN_MIRROR": "https://mirror.example.org/debian",
		},
		Push: ref,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Log)
	}
	def := provenance(t, ref).Predicate.BuildDefinition
	var deps []string
	for _, d := range def.ResolvedDependencies {
		uri, _, _ := strings.Cut(d.URI, "?")
		deps = append(deps, strings.TrimPrefix(uri, "pkg:docker/"))
	}
	want := []string{pinned(base.Ref), pinned(mounted)}
	slices.Sort(deps)
	slices.Sort(want)
	if diff := cmp.Diff(want, deps); diff != "" {
		t.Errorf("materials (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]secret{{ID: "loopx-auth", Optional: true}}, def.ExternalParameters.Request.Secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	files := map[string]string{}
	for _, step := range def.InternalParameters.BuildConfig.LLBDefinition {
		for _, a := range step.Op.Op.File.Actions {
			files[a.Action.Mkfile.Path] = string(a.Action.Mkfile.Data)
		}
	}
	if diff := cmp.Diff(map[string]string{"/route.json": `{"mirrors":{"debian":["https://mirror.example.org/debian"]}}`}, files); diff != "" {
		t.Errorf("files that are made (-want +got):\n%s", diff)
	}
}

// pinned is how a material names an image.
func pinned(ref string) string {
	i := strings.LastIndexByte(ref, ':')
	return ref[:i] + "@" + ref[i+1:]
}

// statement is what is read of an in-toto statement.
type statement struct {
	Predicate struct {
		BuildDefinition struct {
			ResolvedDependencies []struct{ URI string }
			ExternalParameters   struct {
				Request struct{ Secrets []secret }
			}
			InternalParameters struct {
				BuildConfig struct{ LLBDefinition []llbStep }
			}
		}
	}
}

type secret struct {
	ID       string
	Optional bool
}

// llbStep is what is read of an op, with the upper-case Op that BuildKit has for
// a oneof.
type llbStep struct {
	Op struct {
		Op struct {
			File struct {
				Actions []struct {
					Action struct {
						Mkfile struct {
							Path string
							Data []byte
						}
					}
				}
			}
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
