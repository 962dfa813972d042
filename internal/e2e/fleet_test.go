package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// loopxctl returns a function that runs the companion in a folder.
func loopxctl(t *testing.T) func(dir string, args ...string) string {
	t.Helper()
	bin := testbed.Loopxctl(t)
	return func(dir string, args ...string) string {
		t.Helper()
		var diag bytes.Buffer
		cmd := exec.CommandContext(t.Context(), bin, args...)
		cmd.Dir, cmd.Stderr = dir, &diag
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("loopxctl %q: %v\n%s", args, err, diag.String())
		}
		return string(out)
	}
}

// baked is what "docker buildx bake --print" makes of a bake file.
type baked struct {
	Group  map[string]struct{ Targets []string }
	Target map[string]struct {
		Context, Dockerfile string
		Args                map[string]string
		Platforms, Tags     []string
		CacheFrom           []struct{ Type, Ref, Src string }  `json:"cache-from"`
		CacheTo             []struct{ Type, Ref, Dest string } `json:"cache-to"`
	}
}

func (c call) bakePrint(t *testing.T, args ...string) (b baked) {
	t.Helper()
	got := c.buildx(t, append([]string{"bake", "--print"}, args...)...)
	if got.Code != 0 {
		t.Fatalf("docker buildx bake --print %q: exit code %d\n%s", args, got.Code, got.Stderr)
	}
	if err := json.Unmarshal([]byte(got.Stdout), &b); err != nil {
		t.Fatalf("%v\n%s", err, got.Stdout)
	}
	return b
}

// TestBakeIsRead holds that buildx reads what loopxctl bake writes, the same from
// JSON and from HCL, whatever the files are called.
func TestBakeIsRead(t *testing.T) {
	t.Parallel()
	run := loopxctl(t)
	c := call{dir: folder(t, map[string]string{
		"Dockerfile":                      "FROM scratch\n",
		"services/a/Dockerfile":           "FROM scratch\n",
		"services/a/Dockerfile.dev":       "FROM scratch\n",
		"services/b/web.Dockerfile":       "FROM scratch\n",
		"github.com/org/Dockerfile":       "FROM scratch\n",
		"odd/${x} %{if} \"q\"/Dockerfile": "FROM scratch\n",
		"default/Dockerfile":              "FROM scratch\n",
	})}
	for name, flags := range map[string][]string{
		"plain":     nil,
		"root":      {"--context=root", "--audit"},
		"platforms": {"--platform=linux/amd64,linux/arm64", "--cache=local=/var/cache/bake", "--tag=registry.example.com/x/{name}:1"},
		"matrix":    {"--platform=linux/amd64,linux/arm/v7", "--matrix", "--cache=registry=registry.example.com/cache", "--tag=x/{name}:{platform}"},
	} {
		t.Run(name, func(t *testing.T) {
			var both []baked
			for _, file := range []string{name + ".json", name + ".hcl"} {
				run(c.dir, append([]string{"bake", "--frontend", "registry.example.com/loopx-frontend:1", "-o", file}, flags...)...)
				both = append(both, c.bakePrint(t, "-f", file))
			}
			if diff := cmp.Diff(both[0], both[1]); diff != "" {
				t.Errorf("(-JSON +HCL):\n%s", diff)
			}
			checkBaked(t, c.dir, name, both[0])
		})
	}
	other := c
	other.env = []string{"FRONTEND=other.example.com/f:2", "LOOPX_MODE=enforce"}
	checkEqual(t, "by the environment", map[string]string{"BUILDKIT_SYNTAX": "other.example.com/f:2", "LOOPX_MODE": "enforce"},
		other.bakePrint(t, "-f", "root.json", "services-a-all").Target["services-a-dev"].Args)
}

// checkBaked checks that each target leads to a Dockerfile and has the frontend.
func checkBaked(t *testing.T, dir, name string, b baked) {
	t.Helper()
	want, mode := 7, "enforce"
	switch name {
	case "matrix":
		want = 14
	case "root":
		mode = "audit"
	}
	if len(b.Target) != want {
		t.Errorf("%d targets, want %d", len(b.Target), want)
	}
	found := map[string]bool{}
	for id, target := range b.Target {
		file := filepath.Join(dir, target.Context, target.Dockerfile)
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		found[file] = true
		checkEqual(t, id, map[string]string{"BUILDKIT_SYNTAX": "registry.example.com/loopx-frontend:1", "LOOPX_MODE": mode}, target.Args)
		if name == "matrix" && (len(target.Platforms) != 1 || len(target.CacheTo) != 1 || !strings.HasSuffix(target.CacheFrom[0].Ref, ":"+id)) {
			t.Errorf("%s: %+v", id, target)
		}
		if name == "platforms" && (len(target.Platforms) != 2 || len(target.Tags) != 1 || target.CacheTo[0].Dest != "/var/cache/bake/"+id) {
			t.Errorf("%s: %+v", id, target)
		}
	}
	if len(found) != 7 {
		t.Errorf("%d Dockerfiles are built, want 7", len(found))
	}
}

// TestBakeBuilds builds a small fleet by its bake file: each fetch goes over TLS, in
// enforce mode what is refused stops the build, in audit mode it does not.
func TestBakeBuilds(t *testing.T) {
	t.Parallel()
	testbed.Fetchers(t, "bookworm")
	run := loopxctl(t)
	h := newHost(t, testbed.MirrorOptions{})
	c := call{dir: folder(t, map[string]string{
		"services/a/Dockerfile":     h.expand("FROM debian:bookworm-fetchers\nRUN curl -fsS http://HOST/curl -o /curl\nCOPY note /note\n"),
		"services/a/note":           "a",
		"services/b/web.Dockerfile": h.expand("FROM debian:bookworm-fetchers\nRUN wget -q http://HOST/wget -O /wget\n"),
		"refused/Dockerfile":        "FROM debian:bookworm-fetchers\nRUN curl -k --version\n",
	})}
	run(c.dir, "bake", "--frontend", testbed.FrontendImage(t), "-o", "docker-bake.json")
	bake := func(c call, targets ...string) testbed.Output {
		t.Helper()
		args := append([]string{"bake", "--no-cache", "--set=*.contexts.loopx-ca=" + h.CA.Dir(t), "--allow=fs.read=*", "--set=*.output=type=cacheonly"}, targets...)
		return c.buildx(t, args...)
	}
	if got := bake(c, "services-all"); got.Code != 0 {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
	}
	h.checkOverTLS(t, "/curl", "/wget")

	if got := bake(c); got.Code != 1 || !strings.Contains(got.Stderr, "VerificationOff") {
		t.Errorf("with a blocker: exit code %d\n%s", got.Code, got.Stderr)
	}
	audited := c
	audited.env = []string{"LOOPX_MODE=audit"}
	if got := bake(audited); got.Code != 0 || !strings.Contains(got.Stderr, "VerificationOff") {
		t.Errorf("as an audit: exit code %d\n%s", got.Code, got.Stderr)
	}
}
