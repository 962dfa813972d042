package builder_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// onEngine is command for the test bed's Docker engine, found by DOCKER_HOST.
func onEngine(t *testing.T, args ...string) testbed.Output {
	t.Helper()
	return testbed.Run(t, command(t, []string{"DOCKER_HOST=" + testbed.Dockerd(t).Host}, args...))
}

// The engine's own BuildKit, of 2020, builds: apt over TLS, with what RUNs are
// given from a folder. The image is in the engine, and is pushed from there.
func TestDockerEngine(t *testing.T) {
	testbed.Base(t, "bookworm")
	archive := testbed.Archive(t)
	reg := testbed.Registry(t)
	ref := reg.Ref("engine:1")
	dir := write(t, map[string]string{"Dockerfile": "FROM debian:bookworm-slim\nRUN apt-get update && apt-get install -y --no-install-recommends hello\n", "ca.crt": string(testbed.DefaultCA(t).PEM)})
	got := onEngine(t, "build", "--network=host", "--no-cache", "--frontend-image", givenFolder(t), "--ca", filepath.Join(dir, "ca.crt"), "-t", ref, "--push", dir)
	want(t, got, 0, "pushed "+ref)
	if clear := archive.ClearHits(); len(clear) > 0 || len(archive.TLSHits()) == 0 {
		t.Errorf("in clear text: %v", clear)
	}
	reg.Image(t, "engine:1")
	if out := testbed.Run(t, testbed.Dockerd(t).Command(t, "image", "inspect", ref)); out.Code != 0 {
		t.Error(out.Stderr)
	}
	want(t, onEngine(t, "build", "--proxy-network", dir), 3, "the Docker engine's own builder has no proxy network", "--builder private")
}

// --load puts what another BuildKit built into the engine.
func TestLoad(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	engine := testbed.Dockerd(t)
	dir := write(t, map[string]string{"Dockerfile": "FROM " + base.Ref + "\nLABEL loaded=yes\n"})
	cmd := command(t, []string{"DOCKER_HOST=" + engine.Host, "BUILDKIT_HOST=" + testbed.Buildkitd(t).Addr}, "build", "-t", "loaded:1", "--load", dir)
	want(t, testbed.Run(t, cmd), 0)
	out := testbed.Run(t, engine.Command(t, "image", "inspect", "--format={{.Config.Labels.loaded}}", "loaded:1"))
	if out.Stdout != "yes\n" {
		t.Errorf("%s%s", out.Stdout, out.Stderr)
	}
}

// The docker CLI finds the program as its plugin, and calls it.
func TestPlugin(t *testing.T) {
	testbed.Base(t, "bookworm")
	config := t.TempDir()
	plugin := filepath.Join(config, "cli-plugins", "docker-loopx")
	if err := os.MkdirAll(filepath.Dir(plugin), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testbed.Loopxctl(t), plugin); err != nil {
		t.Fatal(err)
	}
	docker := func(args ...string) testbed.Output {
		cmd := testbed.Dockerd(t).Command(t, args...)
		cmd.Env = append(cmd.Env, "DOCKER_CONFIG="+config, "LOOPX_FRONTEND_IMAGE="+testbed.MountImage(t))
		return testbed.Run(t, cmd)
	}
	want(t, docker("info", "--format", "{{json .ClientInfo.Plugins}}"), 0, `"Name":"loopx"`, `"Vendor":"LoopX"`)
	want(t, docker("loopx", "build", "--help"), 0, "docker loopx build [CONTEXT]")
	dir := write(t, map[string]string{"Dockerfile": "FROM debian:bookworm-slim\nRUN --network=none true\n"})
	want(t, docker("loopx", "build", "-q", "-t", "plugin:1", dir), 0, "sha256:")
	want(t, docker("loopx", "build", "--no-such-flag"), 2, "unknown flag: --no-such-flag")
	want(t, docker("--context", "default", "loopx", "version"), 2, "docker's own option --context, before \"loopx\", is not read: name the engine by DOCKER_HOST")
	images := docker("image", "ls", "--format={{json .}}", "plugin")
	var line struct{ Tag string }
	if err := json.Unmarshal([]byte(strings.TrimSpace(images.Stdout)), &line); err != nil || line.Tag != "1" {
		t.Errorf("%v: %s%s", err, images.Stdout, images.Stderr)
	}
}
