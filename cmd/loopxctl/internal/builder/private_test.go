package builder_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// private is `loopxctl build --builder private args…`, with tmp as its place for
// temporary files.
func private(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	buildkitd, err := setup.Tool("buildkitd")
	if err != nil {
		t.Fatal(err)
	}
	return command(t, []string{"LOOPX_BUILDKITD=" + buildkitd, "TMPDIR=" + tmp, "LOOPX_FRONTEND_IMAGE=" + givenFolder(t)},
		append([]string{"build", "--builder", "private"}, args...)...)
}

// wholly waits until nothing is left in the folder for temporary files, and no
// process that was started with it in its arguments.
func wholly(t *testing.T, tmp string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left, _ = filepath.Glob(filepath.Join(tmp, "*"))
		procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, p := range procs {
			if data, _ := os.ReadFile(p); strings.Contains(string(data), tmp) {
				left = append(left, strings.ReplaceAll(string(data), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("left: %q", left)
}

// Two builds at once, each on a daemon of its own, leave nothing.
func TestPrivate(t *testing.T) {
	t.Parallel()
	dir := pause(t)
	tmp := t.TempDir()
	done := make(chan testbed.Output)
	for _, name := range []string{"one", "two"} {
		cmd := private(t, tmp, "-f", "-", "-o", filepath.Join(dir, name), dir)
		cmd.Stdin = strings.NewReader("FROM scratch\nCOPY pause /\nRUN --network=none [\"/pause\", \"" + name + "\"]\n")
		go func() { done <- run(cmd) }()
	}
	for range 2 {
		want(t, <-done, 0)
	}
	for _, name := range []string{"one", "two"} {
		if data, _ := os.ReadFile(filepath.Join(dir, name, "name")); string(data) != name+"\n" {
			t.Errorf("%s: %q", name, data)
		}
	}
	wholly(t, tmp)
}

// pause is a build context with the program of testdata/pause, and a Dockerfile
// whose RUN waits.
func pause(t *testing.T) string {
	t.Helper()
	dir := write(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY pause /\nRUN --network=none [\"/pause\"]\n"})
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "pause"), "testdata/pause/main.go")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// run is testbed.Run outside of the test's own goroutine.
func run(cmd *exec.Cmd) testbed.Output {
	var out, diag strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diag
	_ = cmd.Run()
	return testbed.Output{Stdout: out.String(), Stderr: diag.String(), Code: cmd.ProcessState.ExitCode()}
}

// A build that is interrupted, told to end or killed leaves nothing: no daemon,
// no RUN, no folder.
func TestPrivateEnds(t *testing.T) {
	t.Parallel()
	dir := pause(t)
	for name, tc := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"interrupted": {syscall.SIGINT, 1}, "ended": {syscall.SIGTERM, 1}, "killed": {syscall.SIGKILL, -1},
	} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			cmd := private(t, tmp, dir)
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines, log := bufio.NewScanner(stderr), ""
			for lines.Scan() {
				log += lines.Text() + "\n"
				if strings.HasSuffix(lines.Text(), " runs") {
					_ = cmd.Process.Signal(tc.signal)
				}
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tc.code || tc.code == 1 && !strings.Contains(log, "ERROR: the build was cancelled") {
				t.Errorf("exit code %d; stderr:\n%s", code, log)
			}
			wholly(t, tmp)
		})
	}
}

// Without a daemon the command says what to do.
func TestNoDaemon(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"Dockerfile": "FROM scratch\nCOPY Dockerfile /\n"})
	empty := write(t, map[string]string{"buildkitd": "#!/bin/sh\necho broken\nexit 1\n"})
	if err := os.Chmod(filepath.Join(empty, "buildkitd"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		env  []string
		args []string
		want []string
	}{
		"address":   {[]string{"BUILDKIT_HOST=unix:///no/such.sock"}, nil, []string{"no BuildKit answers at unix:///no/such.sock (BUILDKIT_HOST)", "private builder"}},
		"builder":   {nil, []string{"--builder", "unix:///no/such.sock"}, []string{"no BuildKit answers at unix:///no/such.sock (--builder)"}},
		"engine":    {nil, []string{"--builder", "docker"}, []string{"no Docker engine answers at unix:///no/such/docker.sock: ", "no such file or directory", "group docker"}},
		"scheme":    {[]string{"DOCKER_HOST=gopher://x"}, nil, []string{`DOCKER_HOST=gopher://x: the scheme "gopher" is not supported`}},
		"buildkitd": {[]string{"PATH=" + t.TempDir()}, []string{"--builder", "private"}, []string{"buildkitd is not on the PATH", "apt-get install runc", "BUILDKIT_HOST"}},
		"runc":      {[]string{"PATH=" + empty}, []string{"--builder", "private"}, []string{"runc is not on the PATH", "apt-get install runc"}},
		"broken":    {[]string{"LOOPX_BUILDKITD=" + filepath.Join(empty, "buildkitd")}, []string{"--builder", "private"}, []string{"the private builder does not come up: it ended at once\n  broken", "--version"}},
		"named":     {[]string{"LOOPX_BUILDKITD=/no/such"}, []string{"--builder", "private"}, []string{"/no/such: is no program that can be started (LOOPX_BUILDKITD)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			cmd := command(t, append([]string{"TMPDIR=" + tmp}, tc.env...), append(append([]string{"build"}, tc.args...), dir)...)
			want(t, testbed.Run(t, cmd), 3, tc.want...)
			wholly(t, tmp)
		})
	}
}
