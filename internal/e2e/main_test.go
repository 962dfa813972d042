package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testbed.Main(m))
}

// host is a pair of servers under one name, for one test.
type host struct {
	*testbed.Mirror
	name string
}

// newName is the name of a test's host.
func newName(t testing.TB) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(t.Name()), "-"), "-") + ".example.org"
}

// newHost returns a host called after the test, so that tests can run at the
// same time.
func newHost(t testing.TB, opts testbed.MirrorOptions) *host {
	t.Helper()
	name := newName(t)
	opts.Names = append([]string{name}, opts.Names...)
	if opts.Files == nil {
		opts.Files = files
	}
	return &host{testbed.NewMirror(t, opts), name}
}

// files are those of a host, where a test needs no others.
var files = map[string]string{"/add": "by ADD\n", "/curl": "by curl\n", "/wget": "by wget\n"}

// repos are the same for git.
var repos = map[string]map[string]string{"/repo.git": {"README": "by git\n"}}

// expand puts the host's name in place of the word HOST.
func (h *host) expand(text string) string {
	return regexp.MustCompile(`\bHOST\b`).ReplaceAllString(text, h.name)
}

// clear and overTLS are the paths that were asked for, sorted, each once.
// Requests for a git repository are one path.
func (h *host) clear() []string   { return paths(h.ClearHits()) }
func (h *host) overTLS() []string { return paths(h.TLSHits()) }

func paths(hits []testbed.Hit) []string {
	var list []string
	for _, hit := range hits {
		path, _, git := strings.Cut(hit.Path, ".git/")
		if git {
			path += ".git"
		}
		list = append(list, path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// checkOverTLS checks that these paths came over TLS, no others, and nothing in
// clear text. It forgets them.
func (h *host) checkOverTLS(t *testing.T, want ...string) {
	t.Helper()
	checkEqual(t, "in clear text", nil, h.clear())
	checkEqual(t, "over TLS", want, h.overTLS())
	h.Reset()
}

func checkEqual[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// checkContains checks that the text has all parts.
func checkContains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
}

// folder makes a folder with these files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	return dir
}

// writeFile writes a file and the folders above it.
func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// call is one run of docker buildx.
type call struct {
	dir   string
	stdin string
	env   []string // NAME=value
}

// buildx runs docker buildx with plain progress and returns what it printed.
func (c call) buildx(t testing.TB, args ...string) testbed.Output {
	t.Helper()
	cmd := testbed.BuildxCommand(t, args...)
	cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(c.stdin)
	cmd.Env = append(append(cmd.Env, "BUILDKIT_PROGRESS=plain"), c.env...)
	return testbed.Run(t, cmd)
}

// build is buildx for a build that must succeed. It returns the progress output.
func (c call) build(t testing.TB, args ...string) string {
	t.Helper()
	got := c.buildx(t, args...)
	if got.Code != 0 {
		t.Fatalf("docker buildx %s: exit code %d\n%s", strings.Join(args, " "), got.Code, got.Stderr)
	}
	return got.Stderr
}

// fails is buildx for a build that must end with exit code 1.
func (c call) fails(t testing.TB, args ...string) string {
	t.Helper()
	got := c.buildx(t, args...)
	if got.Code != 1 {
		t.Fatalf("docker buildx %s: exit code %d, want 1\n%s", strings.Join(args, " "), got.Code, got.Stderr)
	}
	return got.Stderr
}

// by is the flag that makes a build of any Dockerfile use a frontend.
func by(frontend string) string { return "--build-arg=BUILDKIT_SYNTAX=" + frontend }

// withCA is the flag that gives a build the operator's certificate authority.
func withCA(t testing.TB, ca *testbed.CA) string { return "--build-context=loopx-ca=" + ca.Dir(t) }

// syntax puts a syntax line before a Dockerfile.
func syntax(frontend, dockerfile string) string {
	return fmt.Sprintf("# syntax=%s\n%s", frontend, dockerfile)
}

// foreign is a syntax line whose image can't be pulled.
const foreign = "registry.invalid/never-followed:1"
