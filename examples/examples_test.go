// Package examples_test builds every example as its README says, with this
// project's frontend image and with BuildKit's own.
package examples_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	// For the cache of go test: what the frontend does decides the result.
	_ "github.com/loopx/loopx-frontend/frontend"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. Those of the examples are checked by internal/docs.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testbed.Main(m))
}

// syntax is the frontend that the examples name.
const syntax = "localhost:5000/loopx-frontend:dev"

// example is one that is built, and what must come of it.
type example struct {
	dir string
	// fetches are the literal ones, without their scheme; checked are those
	// with a checksum. BuildKit doesn't fetch again what it has with the same
	// checksum, so the second build of an example is not seen to fetch them.
	fetches, checked []string
	// apt are those of apt. Most examples begin with the same RUN, which only the
	// first one is seen to run.
	apt []string
	// images maps each image that is made, by the name that the tests push it
	// under, to files in it and a part of their text.
	images map[string]map[string]string
}

func examples() []example {
	const (
		debian = "deb.debian.org/debian"
		gnu    = "www.gnu.org/licenses"
		gzip   = "\x1f\x8b"
	)
	hello := debian + "/pool/main/h/hello/hello_2.10-3_" + testbed.HostPlatform().Architecture + ".deb"
	return []example{
		{
			dir:     "quickstart",
			fetches: []string{gnu + "/gpl-3.0.txt", debian + "/dists/bookworm/Release"},
			checked: []string{debian + "/pool/main/s/sl/sl_5.02.orig.tar.gz"},
			images: map[string]map[string]string{"quickstart": {
				"src/sl_5.02.orig.tar.gz": gzip, "src/COPYING": "/licenses/gpl-3.0.txt", "src/Release": "Codename: bookworm",
			}},
		},
		{
			dir:     "multi-stage",
			fetches: []string{hello},
			checked: []string{debian + "/pool/main/h/hello/hello_2.10.orig.tar.gz"},
			images: map[string]map[string]string{"multi-stage": {
				"usr/local/bin/hello": "\x7fELF", "usr/local/src/hello_2.10.orig.tar.gz": gzip,
			}},
		},
		{
			dir:     "heredoc",
			fetches: []string{gnu + "/gpl-3.0.txt", gnu + "/lgpl-3.0.txt", debian + "/dists/bookworm/Release", debian + "/dists/trixie/Release"},
			images: map[string]map[string]string{"heredoc": {
				"licences/gpl": "/licenses/gpl-3.0.txt", "licences/lgpl": "/licenses/lgpl-3.0.txt",
				"bookworm.Release": "Codename: bookworm", "trixie.Release": "Codename: trixie",
				"etc/apt/sources.list.d/backports.sources": "URIs: http://deb.debian.org/debian\n",
				"etc/motd": "http://www.gnu.org/licenses/\n",
			}},
		},
		{
			dir:     "third-party-apt-repo",
			fetches: []string{"nginx.org/keys/nginx_signing.key"},
			apt:     []string{debian + "/dists/bookworm/InRelease", "nginx.org/packages/debian/dists/bookworm/InRelease"},
			images: map[string]map[string]string{"third-party-apt-repo": {
				"etc/apt/keyrings/nginx.asc":        "BEGIN PGP PUBLIC KEY BLOCK",
				"etc/apt/sources.list.d/nginx.list": "] http://nginx.org/packages/debian bookworm nginx\n",
				"usr/sbin/nginx":                    "stands in for nginx",
			}},
		},
		{
			dir:     "python-service",
			fetches: []string{gnu + "/gpl-3.0.txt"},
			apt:     []string{debian + "/dists/bookworm/InRelease"},
			images: map[string]map[string]string{"python-service": {
				"usr/lib/python3/dist-packages/greeter/__main__.py": "def do_GET", "usr/share/greeter/COPYING": "/licenses/gpl-3.0.txt",
			}},
		},
		{
			dir:     "bake",
			fetches: []string{gnu + "/gpl-3.0.txt", gnu + "/lgpl-3.0.txt", debian + "/dists/bookworm/Release"},
			checked: []string{debian + "/pool/main/f/figlet/figlet_2.2.5.orig.tar.gz"},
			images: map[string]map[string]string{
				"api":          {"usr/share/Release": "Codename: bookworm"},
				"worker":       {"src/figlet_2.2.5.orig.tar.gz": gzip},
				"notices-gpl":  {"COPYING": "/licenses/gpl-3.0.txt"},
				"notices-lgpl": {"COPYING": "/licenses/lgpl-3.0.txt"},
			},
		},
	}
}

// TestEveryFolderIsBuilt holds that no example is forgotten.
func TestEveryFolderIsBuilt(t *testing.T) {
	readmes, err := filepath.Glob("*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	// Pipelines, and an image of the frontend, which tests of their own check; a
	// text that loopxctl writes, which internal/e2e builds; what must not be
	// released, which cmd/loopxctl runs.
	want := []string{"ci/README.md", "bootstrap/README.md", "release-gate/README.md", organisation + "/README.md"}
	for _, e := range examples() {
		want = append(want, filepath.Join(e.dir, "README.md"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, readmes); diff != "" {
		t.Errorf("examples with a README (-built +there):\n%s", diff)
	}
}

// TestExamples builds each example twice. The second build, by the stock
// frontend, shows that the servers see clear text where there is some.
func TestExamples(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	testbed.Base(t, "bookworm")
	w := newWeb(t)
	l := layers{}
	for _, e := range examples() {
		t.Run(e.dir, func(t *testing.T) {
			log := e.build(t, w, ours, "ours")
			checkNone(t, "in clear text", w.clearText())
			checkAll(t, "over TLS", slices.Concat(e.fetches, e.checked, e.apt), w.overTLS())
			checkReadme(t, filepath.Join(e.dir, "README.md"), log)

			e.build(t, w, stock, "stock")
			checkAll(t, "in clear text by the stock frontend", slices.Concat(e.fetches, e.apt), w.clearText())
			checkNone(t, "over TLS by the stock frontend", w.overTLS())
			for _, name := range slices.Sorted(maps.Keys(e.images)) {
				compareImages(t, l, name, e.images[name])
			}
		})
	}
	testbed.Buildx(t, "", nil, "prune", "--all", "--force") // for go test -count
}

// build runs the example with a frontend and pushes its images as kind/NAME.
// It returns what buildx printed.
func (e example) build(t *testing.T, w *web, frontend, kind string) string {
	t.Helper()
	w.reset()
	repository, ca := testbed.Registry(t).Ref(kind), w.CA.Dir(t)
	args := []string{
		"build", "--progress=plain", "--push", "--tag=" + repository + "/" + e.dir,
		"--build-context=" + syntax + "=docker-image://" + frontend, "--build-context=loopx-ca=" + ca, ".",
	}
	if e.dir == "bake" {
		args = []string{"bake", "--progress=plain", "--push", "--allow=fs.read=" + ca, "--set=*.contexts.loopx-ca=" + ca}
	}
	got := testbed.Buildx(t, e.dir, []string{"FRONTEND=" + frontend, "REPOSITORY=" + repository}, args...)
	if got.Code != 0 {
		t.Fatalf("docker buildx %s: exit code %d\n%s", strings.Join(args, " "), got.Code, got.Stderr)
	}
	return got.Stderr
}

// checkReadme holds that the build prints each line that the README shows as
// its output: those of its blocks marked as text. In them, … stands for any text.
func checkReadme(t *testing.T, path, log string) {
	t.Helper()
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown, inside := 0, false
	for line := range strings.Lines(string(readme)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```text"
		case inside:
			shown++
			pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
			if !regexp.MustCompile(pattern).MatchString(log) {
				t.Errorf("README.md shows %q; the build printed\n%s", line, log)
			}
		}
	}
	if shown == 0 {
		t.Error("README.md shows nothing of what the build prints")
	}
}

func checkNone(t *testing.T, what string, got []string) {
	t.Helper()
	if len(got) > 0 {
		t.Errorf("%s: %v", what, got)
	}
}

// checkAll checks that got has all of want.
func checkAll(t *testing.T, what string, want, got []string) {
	t.Helper()
	for _, address := range want {
		if !slices.Contains(got, address) {
			t.Errorf("%s there is no %s: %v", what, address, got)
		}
	}
}
