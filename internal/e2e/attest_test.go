package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestProvenance: the materials are those of a stock build, but for the
// addresses that were moved. Neither a bundle nor what a guarded RUN is given is
// one: that is of the frontend's image, which is a material of any build.
func TestProvenance(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	h := newHost(t, testbed.MirrorOptions{Repos: repos})
	c := callOf(t, h.expand("FROM debian:bookworm-fetchers\nADD http://HOST/add /add\nADD http://HOST/repo.git#main /repo\nRUN curl -fsS http://HOST/curl -o /curl\n"+
		"RUN apt-get update -o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts=-\n"))
	materials := func(frontend string) []string {
		file := filepath.Join(t.TempDir(), "metadata.json")
		c.build(t, "build", by(frontend), "--no-cache", withCA(t, h.CA), "--provenance=mode=max", "--metadata-file="+file,
			"--push", "--tag="+testbed.Registry(t).Ref("provenance:1"), ".")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var metadata struct {
			Provenance struct {
				Materials []struct{ URI string }
			} `json:"buildx.build.provenance"`
		}
		if err := json.Unmarshal(data, &metadata); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range metadata.Provenance.Materials {
			uri, _, _ := strings.Cut(m.URI, "?")
			list = append(list, strings.ReplaceAll(uri, strings.ReplaceAll(frontend, ":1", "@1"), "FRONTEND"))
		}
		slices.Sort(list)
		return list
	}
	want := []string{h.expand("http://HOST/add"), h.expand("http://HOST/repo.git#main"), "pkg:docker/FRONTEND", "pkg:docker/debian@bookworm-fetchers"}
	checkEqual(t, "materials by the stock image", want, materials(testbed.StockImage(t)))
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "http://", "https://")
	}
	checkEqual(t, "materials", want, materials(testbed.FrontendImage(t)))
}

// TestSBOM: a scanner sees what was built, and the attestation is pushed.
func TestSBOM(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	reg := testbed.Registry(t)
	scanner := call{dir: folder(t, map[string]string{
		"Dockerfile": "FROM debian:bookworm-fetchers\nCOPY --chmod=755 scan /\nENTRYPOINT [\"/scan\"]\n",
		"scan": `#!/bin/sh
set -e
grep -q 'by ADD' "$BUILDKIT_SCAN_SOURCE/add"
echo '{"_type":"https://in-toto.io/Statement/v0.1","predicateType":"https://spdx.dev/Document","subject":[],"predicate":{"name":"scanned"}}' >"$BUILDKIT_SCAN_DESTINATION/scan.spdx.json"
`,
	})}
	scanner.build(t, "build", "--push", "--tag="+reg.Ref("scanner:1"), ".")

	h := newHost(t, testbed.MirrorOptions{})
	out := filepath.Join(t.TempDir(), "oci")
	callOf(t, syntax(testbed.FrontendImage(t), h.expand("FROM scratch\nADD http://HOST/add /add\n"))).
		build(t, "build", "--no-cache", "--sbom=generator="+reg.Ref("scanner:1"), noAttest, "--output=type=oci,tar=false,dest="+out, ".")
	h.checkOverTLS(t, "/add")
	index := indexIn(t, out)
	manifests := manifestOf(t, index).Manifests
	i := slices.IndexFunc(manifests, func(d v1.Descriptor) bool {
		return d.Annotations["vnd.docker.reference.type"] == "attestation-manifest"
	})
	if i < 0 {
		t.Fatalf("no attestation: %+v", manifests)
	}
	layers, err := imageIn(t, index, manifests[i].Digest).Layers()
	if err != nil {
		t.Fatal(err)
	}
	rc, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	var statement struct {
		PredicateType string
		Predicate     struct{ Name string }
	}
	if err := json.NewDecoder(rc).Decode(&statement); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "predicate", "https://spdx.dev/Document scanned", statement.PredicateType+" "+statement.Predicate.Name)
}
