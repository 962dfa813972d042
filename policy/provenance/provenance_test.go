package provenance_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/provenance"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

const (
	base     = "sha256:608369a8fb40dbf74758a2e71cf0569e7d0609cd84ad46dde7bf611a2294f6de"
	frontend = "sha256:e5300488d009d2b864df1464661d7d064ad9fedaa76c7db3b84168468a8e05c4"
	hello    = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
)

// read parses what BuildKit 0.34.2 wrote (testdata: the layers and a CA bundle
// taken out, the registry renamed).
func read(t *testing.T, name string) *provenance.Build {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := provenance.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1", "v0.2"} {
		b := read(t, version+".json")
		if b.Version != version || b.Mode != provenance.Max || b.Hermetic || !b.Complete.Request || b.Complete.Materials {
			t.Errorf("%s: %s %s %t %+v", version, b.Version, b.Mode, b.Hermetic, b.Complete)
		}
		want := []provenance.Material{
			{
				URI:  "pkg:docker/registry.example.com/library/debian@bookworm-fetchers?platform=linux%2Famd64",
				Kind: provenance.KindImage, Host: "registry.example.com", Digest: base,
				Ref: "registry.example.com/library/debian:bookworm-fetchers", Platform: "linux/amd64",
			},
			{
				URI:  "pkg:docker/registry.example.com/loopx-frontend@1",
				Kind: provenance.KindImage, Host: "registry.example.com", Digest: frontend,
				Ref: "registry.example.com/loopx-frontend:1",
			},
			{URI: "https://downloads.example.org/x", Kind: provenance.KindHTTP, Scheme: "https", Host: "downloads.example.org", Digest: hello},
		}
		if diff := cmp.Diff(want, b.Materials); diff != "" {
			t.Errorf("%s: materials (-want +got):\n%s", version, diff)
		}
		if f := b.Frontend; f.Name != "gateway.v0" || f.Ref != "registry.example.com/loopx-frontend:1" || f.Digest != frontend {
			t.Errorf("%s: frontend %+v", version, f)
		}
		if diff := cmp.Diff(map[string]string{"WHO": "you"}, b.BuildArgs); diff != "" {
			t.Errorf("%s: build args (-want +got):\n%s", version, diff)
		}
		if diff := cmp.Diff([]string{"context", "dockerfile", "loopx-ca"}, b.Locals); diff != "" {
			t.Errorf("%s: locals (-want +got):\n%s", version, diff)
		}
		if len(b.Files) != 1 || b.Files[0].Name != "Dockerfile" || !strings.Contains(string(b.Files[0].Data), "RUN apt-get update") {
			t.Errorf("%s: files %+v", version, b.Files)
		}
	}
}

// step is what TestSteps looks at.
type step struct {
	ID, Kind, Platform string
	Line               int
	Network            string
	Guard              *provenance.Guard
	Source, Checksum   string
}

func TestSteps(t *testing.T) {
	t.Parallel()
	b := read(t, "v1.json")
	var got []step
	for _, s := range b.Steps {
		g := step{ID: s.ID, Kind: s.Kind, Platform: s.Platform, Line: s.Line}
		if s.Run != nil {
			g.Network, g.Guard = s.Run.Network, s.Run.Guard
		}
		if s.Source != nil {
			g.Source, g.Checksum = s.Source.URI, s.Source.Checksum
		}
		got = append(got, g)
	}
	const amd64 = "linux/amd64"
	want := []step{
		{ID: "step0", Kind: "source", Platform: amd64, Line: 2, Source: "docker-image://registry.example.com/library/debian:bookworm-fetchers@" + base, Checksum: base},
		{ID: "step1", Kind: "file"},
		{ID: "step2", Kind: "exec", Platform: amd64, Line: 4, Network: "sandbox"},
		{ID: "step3", Kind: "source", Platform: amd64, Source: "docker-image://registry.example.com/loopx-frontend:1@" + frontend, Checksum: frontend},
		{ID: "step4", Kind: "exec", Platform: amd64, Line: 5, Network: "sandbox", Guard: &provenance.Guard{
			Apt: true, Selector: "/loopx/apt/linux_amd64", Image: "registry.example.com/loopx-frontend:1@" + frontend, Digest: frontend,
		}},
		{ID: "step5", Kind: "source", Source: "https://downloads.example.org/x"},
		{ID: "step6", Kind: "file", Line: 6},
		{ID: "step7", Kind: "exec", Platform: amd64, Line: 7, Network: "none"},
		{ID: "step8", Kind: "file", Line: 9},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if m, ok := b.Material(b.Steps[0].Source); !ok || m.Digest != base {
		t.Errorf("the base's material: %+v, %t", m, ok)
	}
	if m, ok := b.Material(b.Steps[5].Source); !ok || m.Digest != hello {
		t.Errorf("the file's material: %+v, %t", m, ok)
	}
}

func TestMin(t *testing.T) {
	t.Parallel()
	b := read(t, "min.json")
	if b.Mode != provenance.Min || b.Steps != nil || b.Files != nil || len(b.BuildArgs) != 0 || b.Complete.Request || len(b.Materials) != 3 || b.Frontend.Digest != frontend {
		t.Errorf("%+v", b)
	}
}

func TestProxyNetwork(t *testing.T) {
	t.Parallel()
	b := read(t, "proxy.json")
	captured := b.Captured()
	if len(captured) != 7 {
		t.Fatalf("captured: %+v", captured)
	}
	for _, m := range captured {
		if m.Kind != provenance.KindApt || m.Scheme != "https" || m.Host != "deb.debian.org" || m.Digest == "" {
			t.Errorf("captured: %+v", m)
		}
	}
	want := []provenance.Incomplete{{
		Step: "step4", Method: "POST", URI: "https://deb.debian.org/debian/", Reason: "method_not_materializable",
		Command: "/bin/sh -c curl -fsS https://deb.debian.org/debian/dists/bookworm/InRelease >/dev/null; curl -fsS -X POST https://deb.debian.org/debian/ || true",
	}}
	if diff := cmp.Diff(want, b.Proxy.Incomplete); diff != "" {
		t.Errorf("incomplete (-want +got):\n%s", diff)
	}
}

// TestHostile holds that what is hidden in a document is masked.
func TestHostile(t *testing.T) {
	t.Parallel()
	b, err := provenance.Parse([]byte(`{"buildDefinition": {
		"externalParameters": {"configSource": {"uri": "https://me:hunter2@example.com/x.git"}, "request": {
			"frontend": "gateway.v0", "args": {"source": "me:hunter2@example.com/f:1", "build-arg:API_TOKEN": "hunter2", "context:x": "https://me:hunter2@example.com/"}}},
		"resolvedDependencies": [
			{"uri": "https://me:hunter2@example.com/x", "digest": {"sha256": "hunter"}},
			{"uri": "git@example.com:x/y", "digest": {"sha1": "0123456789012345678901234567890123456789"}},
			{"uri": "pkg:docker/%zz?%zz"}, {"uri": ""}, {"uri": "\u001b[2J"}],
		"internalParameters": {"buildConfig": {"llbDefinition": [
			{"id": "a"}, {"id": "b", "op": {"Op": {"exec": {"meta": {"args": ["curl https://me:hunter2@example.com"], "env": ["PASSWORD=hunter2"]},
			"mounts": [null, {"dest": "/dev/.loopx/", "input": 9, "readonly": true}, {"dest": "/x", "mountType": 1}], "network": 77}}}, "inputs": ["c"]},
			{"id": "c", "op": {"Op": {"source": {"identifier": "git://me:hunter2@example.com/x", "attrs": {"git.fullurl": "http://me:hunter2@example.com/x"}}}}}]}}},
		"runDetails": {"metadata": {"buildkit_metadata": {"network": {"mode": "proxy"}, "source": {"locations": {"b": null, "c": {"locations": [null, {"sourceIndex": 7}]}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(b); err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("a secret stays: %s, %v", text, err)
	}
	if len(b.Steps) != 2 || b.Steps[0].Run.Network != "77" || b.Steps[0].Run.Guard.Apt || !b.Steps[1].Source.Clear() {
		t.Errorf("%+v", b.Steps)
	}
	if m := b.Materials[1]; m.Kind != provenance.KindGit || m.Host != "example.com" || m.Clear() {
		t.Errorf("%+v", m)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":     "no JSON object",
		"[]":   "no JSON object",
		"{":    "can't be read",
		"{}":   "no SLSA provenance",
		"null": "no JSON object",
		`{"predicateType": "https://spdx.dev/Document", "predicate": {}}`:        `"https://spdx.dev/Document" is no SLSA provenance`,
		`{"predicateType": "https://slsa.dev/provenance/v1", "predicate": 7}`:    "can't be read",
		`{"predicateType": "https://slsa.dev/provenance/v1"}`:                    "can't be read",
		`{"buildDefinition": ` + strings.Repeat("[", 20_000):                     "can't be read",
		`{"buildType": "x", "materials": "` + strings.Repeat("x", 17<<20) + `"}`: "larger than 16 MiB",
	} {
		b, err := provenance.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, %v; want %q", text, b, err, want)
		}
	}
	if _, err := provenance.Parse([]byte(`{"predicateType": "x"}`)); !errors.Is(err, provenance.ErrOther) {
		t.Errorf("%v", err)
	}
}

// TestTwoFrontends: a digest is said only where the materials have one.
func TestTwoFrontends(t *testing.T) {
	t.Parallel()
	b, err := provenance.Parse([]byte(`{"buildDefinition": {"externalParameters": {"request": {"frontend": "gateway.v0", "args": {"source": "example.com/f"}}},
		"resolvedDependencies": [
			{"uri": "pkg:docker/example.com/f@latest", "digest": {"sha256": "` + strings.Repeat("a", 64) + `"}},
			{"uri": "pkg:docker/example.com/f@latest?platform=linux%2Farm64", "digest": {"sha256": "` + strings.Repeat("b", 64) + `"}}]}}`))
	if err != nil || b.Frontend.Digest != "" {
		t.Errorf("%+v, %v", b, err)
	}
}

// FuzzParse holds that no document makes it panic, and that what is read says
// the same again.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"v1", "v0.2", "min", "proxy"} {
		data, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"buildType":"x","materials":[{"uri":"pkg:oci/x?ref_type=blob"}],"metadata":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := provenance.Parse(data)
		if err != nil {
			return
		}
		again, err := provenance.Parse(data)
		if diff := cmp.Diff(b, again); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		for i := range b.Steps {
			if s := b.Steps[i].Source; s != nil {
				b.Material(s)
			}
		}
		b.Captured()
	})
}
