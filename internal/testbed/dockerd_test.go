package testbed_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// What Docker Engine is told not to touch, and would write to anyway.
func engineTraces() []string {
	return []string{
		"/etc/docker", "/opt/containerd", "/run/docker", "/run/containerd",
		"/sys/class/net/docker0", "/var/lib/docker", "/var/lib/containerd",
	}
}

// A RUN of Docker Engine resolves the names of mirrors and of Debian's archive
// and no others, images are found under their Docker Hub names, and the machine
// is as it was.
func TestDockerEngine(t *testing.T) {
	testbed.Fetchers(t, "bookworm")
	m := testbed.NewMirror(t, testbed.MirrorOptions{Files: map[string]string{"/x": "hello"}})
	before := stateOf(t)
	d := testbed.Dockerd(t)
	if got := testbed.Run(t, d.Command(t, "version", "--format={{.Server.Version}}")); !strings.HasPrefix(got.Stdout, "20.10.") {
		t.Errorf("version %q\n%s", got.Stdout, got.Stderr)
	}
	dir := t.TempDir()
	dockerfile := "FROM debian:bookworm-fetchers\nADD https://" + host + "/x /x\n" +
		"RUN curl -fsS http://" + host + "/x && getent ahosts deb.debian.org && ! getent hosts example.com && ! getent hosts registry-1.docker.io\n"
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(dockerfile), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := testbed.Run(t, d.Command(t, "build", "--network=host", "--no-cache", dir)); got.Code != 0 {
		t.Errorf("docker build: exit code %d\n%s", got.Code, got.Stderr)
	}
	if !hit(m.ClearHits(), "/x") || !hit(m.TLSHits(), "/x") {
		t.Errorf("in clear text: %v, over TLS: %v", m.ClearHits(), m.TLSHits())
	}
	if got := testbed.Run(t, d.BuildxCommand(t, "build", "--network=host", "--no-cache", dir)); got.Code != 0 {
		t.Errorf("buildx build: exit code %d\n%s", got.Code, got.Stderr)
	}
	if after := stateOf(t); after != before {
		t.Errorf("the machine was\n%sand is\n%s", before, after)
	}
}

// stateOf describes what a Docker Engine with its usual settings changes.
func stateOf(t *testing.T) string {
	t.Helper()
	var state strings.Builder
	for _, path := range engineTraces() {
		info, err := os.Stat(path)
		fmt.Fprintln(&state, path, err == nil)
		if err == nil {
			fmt.Fprintln(&state, info.ModTime())
		}
	}
	forward, err := os.ReadFile("/proc/sys/net/ipv4/ip_forward")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&state, "ip_forward", strings.TrimSpace(string(forward)))
	return state.String()
}

// inEngineChild is set for the process that TestDockerEngineKilled kills.
const inEngineChild = "LOOPX_TESTBED_ENGINE_CHILD"

// TestDockerEngineChild is the body of that process.
func TestDockerEngineChild(t *testing.T) {
	if os.Getenv(inEngineChild) == "" {
		return
	}
	fmt.Println("daemon", testbed.Dockerd(t).Host)
	os.Stdin.Read(make([]byte, 1))
}

// A test process that is killed takes dockerd and its containerd with it.
func TestDockerEngineKilled(t *testing.T) {
	tmp, err := os.MkdirTemp("", "bed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	child, socket, _ := startChildTest(t, tmp, "TestDockerEngineChild", inEngineChild)
	if n := processesWith(t, tmp); n < 2 || !answers(socket) {
		t.Errorf("%d processes, the daemon answers: %v", n, answers(socket))
	}
	child.Process.Kill()
	child.Wait()
	for deadline := time.Now().Add(time.Minute); processesWith(t, tmp) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("dockerd or containerd outlives its test process")
		}
	}
}

// processesWith counts the processes with a word on their command line that
// contains text.
func processesWith(t *testing.T, text string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && bytes.Contains(line, []byte(text)) {
			n++
		}
	}
	return n
}
