package e2e

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestAptImage: what builds with apt leave, with Debian's archive.
func TestAptImage(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	testbed.Base(t, "bookworm")
	testbed.Ubuntu(t, "xenial")
	archive := testbed.Archive(t)
	t.Run("operator's CA", func(t *testing.T) { testAptOperatorCA(t, ours) })
	t.Run("cached", func(t *testing.T) { testAptIsCached(t, ours, archive) })
	t.Run("report", func(t *testing.T) { testAptReport(t, ours, archive) })
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))
	for _, c := range aptImages() {
		t.Run("no trace, "+c.name, func(t *testing.T) { c.test(t, stock, ours, archive) })
	}
}

// testAptOperatorCA: the authority holds for apt and for what else fetches in
// the same RUN, also when the package with the public ones comes in between.
func testAptOperatorCA(t *testing.T, ours string) {
	h := newHost(t, testbed.MirrorOptions{})
	c := callOf(t, syntax(ours, h.expand(`FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && curl -fsS https://HOST/curl && curl -fsS http://HOST/add
`)))
	c.build(t, "build", "--no-cache", withCA(t, h.CA), ".")
	h.checkOverTLS(t, "/add", "/curl")
}

// testAptIsCached: a second build runs nothing and fetches nothing.
func testAptIsCached(t *testing.T, ours string, archive *testbed.Mirror) {
	c := call{dir: folder(t, map[string]string{
		"file": rand.Text(),
		"Dockerfile": `FROM debian:bookworm-slim
COPY file /
RUN apt-get update && apt-get install -y hello
RUN cp /file /copy
`,
	})}
	ca := withCA(t, archive.CA)
	checkEqual(t, "steps cached at first", 0, cached(c.build(t, "build", by(ours), ca, ".")))
	archive.Reset()
	checkEqual(t, "steps cached then", 3, cached(c.build(t, "build", by(ours), ca, ".")))
	checkEqual(t, "over TLS", nil, paths(archive.TLSHits()))
	checkEqual(t, "steps cached with other mirrors", 1, cached(c.build(t, "build", by(ours), ca, "--build-arg=LOOPX_DEBIAN_MIRROR=https://ftp.de.debian.org/debian", ".")))
}

// testAptReport: the metadata of a build say which steps are guarded, and why.
func testAptReport(t *testing.T, ours string, archive *testbed.Mirror) {
	file := filepath.Join(t.TempDir(), "metadata.json")
	callOf(t, "FROM debian:bookworm-slim\nRUN true\nRUN apt-get update\n").build(t, "build", by(ours), withCA(t, archive.CA), "--metadata-file="+file, ".")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var metadata struct {
		Report string `json:"frontend.loopx.report"`
	}
	if err := json.Unmarshal(data, &metadata); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Apt   string
		Steps []struct {
			Name, Apt string
			Line      int
		}
	}
	if err := json.Unmarshal([]byte(metadata.Report), &report); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if report.Apt != "auto" || len(report.Steps) != 1 || report.Steps[0].Line != 3 || report.Steps[0].Apt == "" {
		t.Errorf("%+v", report)
	}
}

// aptImage is a Dockerfile whose image must be that of the stock frontend.
type aptImage struct {
	name, dockerfile string
}

func aptImages() []aptImage {
	// What a layer doesn't show by itself, because its times are all the same:
	// files have the times that the server gave.
	const times = "RUN find /var/lib/apt/lists /var/cache/apt/archives -type f ! -name lock -printf '%p %T@ %m %u %g %s\\n' | sort >/srv/times\n"
	return []aptImage{
		{"bookworm", `FROM debian:bookworm-slim
RUN apt-get update
RUN apt-get install -y --no-install-recommends ca-certificates curl sudo
RUN sudo apt-get update && su - -c 'apt-get install -y hello' && env -i PATH=$PATH apt-get download hello
RUN apt-get install -y --download-only libcatalyst-perl
` + times + `RUN apt-get clean && rm -rf /var/lib/apt/lists/*
ENV APT_CONFIG=/dev/null
RUN apt-get update && apt-get install -y --reinstall apt && rm -rf /var/lib/apt/lists/*
RUN rm -rf /etc/apt/apt.conf.d
`},
		{"xenial", `FROM ubuntu:xenial
RUN apt-get update
RUN apt-get install -y hello && cd /srv && apt-get download hello
RUN apt-get install -y --download-only libcatalyst-perl
` + times + `RUN apt-get clean && rm -rf /var/lib/apt/lists/*
`},
	}
}

// test builds the image with both frontends and compares all of it.
func (c aptImage) test(t *testing.T, stock, ours string, archive *testbed.Mirror) {
	ca := withCA(t, archive.CA)
	build := func(kind, frontend string) v1.Image {
		archive.Reset()
		name := "apt-trace/" + kind + ":" + c.name
		callOf(t, c.dockerfile).build(t, "build", by(frontend), "--no-cache", ca, epoch, noAttest,
			"--output=type=image,push=true,name="+testbed.Registry(t).Ref(name)+","+noTimes, ".")
		return testbed.Registry(t).Image(t, name)
	}
	want := build("stock", stock)
	if len(archive.ClearHits()) == 0 || len(archive.TLSHits()) > 0 {
		t.Errorf("by the stock image in clear text: %d requests, over TLS: %v", len(archive.ClearHits()), archive.TLSHits())
	}
	got := build("ours", ours)
	checkEqual(t, "in clear text", nil, paths(archive.ClearHits()))

	wantConfig, gotConfig := configOf(t, want).DeepCopy(), configOf(t, got).DeepCopy()
	wantConfig.RootFS.DiffIDs, gotConfig.RootFS.DiffIDs = nil, nil // of layers with the time
	checkEqual(t, "configuration and history", wantConfig, gotConfig)
	const baseLayers = 1
	wantEntries, _ := contentsBut(t, want, baseLayers, withoutTime)
	gotEntries, _ := contentsBut(t, got, baseLayers, withoutTime)
	checkEqual(t, "layers", wantEntries, gotEntries)
}

// withoutTime takes the digits out of the files in which dpkg and apt write the
// time, and empties the one in which ldconfig notes the numbers of inodes. No
// other file is another at each build.
func withoutTime(name string, content []byte) []byte {
	switch name {
	case "var/log/alternatives.log", "var/log/apt/history.log", "var/log/apt/term.log", "var/log/dpkg.log":
		return regexp.MustCompile(`[0-9]`).ReplaceAll(content, nil)
	case "var/cache/ldconfig/aux-cache":
		return nil
	}
	return content
}
