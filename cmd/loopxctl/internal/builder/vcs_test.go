package builder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

func noEnv(string) (string, bool) { return "", false }

// repository is a git repository with one commit and a remote whose address
// holds a password.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "app", "deploy"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app/Dockerfile", "app/deploy/D"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("FROM scratch\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"remote", "add", "origin", "https://user:word@example.com/a/b.git"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// What buildx says of a folder of a repository is said, without the password.
func TestVCS(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	p, err := newPlan(Options{Context: filepath.Join(dir, "app"), File: filepath.Join(dir, "app", "deploy", "D"), Env: noEnv}, Streams{Out: os.Stdout, Err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	got := map[string]string{}
	for _, key := range []string{"vcs:source", "vcs:localdir:context", "vcs:localdir:dockerfile", "filename"} {
		got[key] = p.opt.FrontendAttrs[key]
	}
	want := map[string]string{
		"vcs:source": "https://***@example.com/a/b.git", "vcs:localdir:context": "app", "vcs:localdir:dockerfile": "app/deploy", "filename": "D",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(p.opt.FrontendAttrs["vcs:revision"]) != 40 {
		t.Errorf("revision %q", p.opt.FrontendAttrs["vcs:revision"])
	}
}

// Each flag becomes the option that buildx makes of it.
func TestAttributes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte("FROM scratch\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(Options{
		Context: dir, Target: "t", Platforms: []string{"linux/arm64,linux/arm"}, Labels: []string{"a=b=c"}, Pull: true,
		NoCacheFilter: []string{"x", "y"}, Network: "host", AddHosts: []string{"h:10.0.0.1", "six=[::1]"}, ShmSize: "64m", CgroupParent: "c",
		SBOM: "true", Provenance: "mode=max", Attests: []string{"type=sbom,generator=g"}, Allow: []string{"security.insecure"},
		BuildArgs: map[string]string{"A": "b", "LOOPX_DEBIAN_MIRROR": "https://old.example", "LOOPX_APT": "all"},
		Route: route.Config{
			Mode: route.Audit, Mirrors: map[string][]string{"debian": {"https://m.example/debian", "default"}},
			Hosts: []route.HostRule{{Host: "a.example", Action: "keep"}, {Host: "*.b.example", Action: "refuse"}},
		},
		CacheFrom: []string{"example.com/cache"}, CacheTo: []string{"type=inline"}, Env: noEnv,
	}, Streams{Out: os.Stdout, Err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	want := map[string]string{
		"target": "t", "platform": "linux/arm64,linux/arm/v7", "label:a": "b=c", "image-resolve-mode": "pull", "no-cache": "x,y",
		"force-network-mode": "host", "add-hosts": "h=10.0.0.1,six=::1", "shm-size": "67108864", "cgroup-parent": "c",
		"attest:sbom": "type=sbom", "attest:provenance": "mode=max,type=provenance",
		"build-arg:A": "b", "build-arg:LOOPX_APT": "all", "build-arg:LOOPX_MODE": "audit",
		"build-arg:LOOPX_DEBIAN_MIRROR": "https://m.example/debian,default", "build-arg:LOOPX_HOSTS": "a.example=keep,*.b.example=refuse",
		"filename": "Dockerfile",
	}
	if diff := cmp.Diff(want, p.opt.FrontendAttrs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"security.insecure", "network.host"}, p.opt.AllowedEntitlements); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("example.com/cache", p.opt.CacheImports[0].Attrs["ref"]); diff != "" || p.opt.CacheExports[0].Type != "inline" {
		t.Error(diff, p.opt.CacheExports)
	}
}
