package main_test

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

var _ = flag.Bool("update", false, "no goldens here")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// The tests do not run side by side: a program can't be started while a process
// that another test starts still has it open, to be written.

// TestImports lists what the method is made of beside the standard library:
// each RUN that is guarded mounts it, and most of it would be more than all this
// if a part of BuildKit came in.
func TestImports(t *testing.T) {
	const module = "github.com/loopx/loopx-frontend/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		module + "frontend/aptmethod/aptconf",
		module + "frontend/aptmethod/credentials",
		module + "rewrite/route",
		"golang.org/x/net/internal/socks",
		"golang.org/x/net/proxy",
		module + "frontend/aptmethod/fetch",
		module + "frontend/aptmethod/message",
		module + "frontend/aptmethod",
		module + "frontend/aptmethod/sandbox",
		module + "cmd/loopx-apt",
	}
	if diff := cmp.Diff(want, strings.Fields(string(out))); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

// TestBinary holds what the image promises of the program: it is small, and its
// bytes say nothing of a release or a revision.
func TestBinary(t *testing.T) {
	const most = 8 << 20
	path := aptbed.Method(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > most {
		t.Errorf("%d bytes, want at most %d", info.Size(), most)
	}
	build, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		t.Errorf("the program holds the version %s", v)
	}
	for _, s := range build.Settings {
		if strings.HasPrefix(s.Key, "vcs") || s.Key == "-ldflags" && strings.Contains(s.Value, "-X") {
			t.Errorf("the program holds %s=%s", s.Key, s.Value)
		}
	}
}

// TestPerson starts it as a curious person does.
func TestPerson(t *testing.T) {
	method := aptbed.Method(t)
	device, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	for name, cmd := range map[string]*exec.Cmd{
		"--help":        exec.CommandContext(t.Context(), method, "--help"),
		"--version":     exec.CommandContext(t.Context(), method, "--version"),
		"on a terminal": exec.CommandContext(t.Context(), method),
	} {
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = device, &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 2 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "loopx-apt is apt's acquire method") {
			t.Errorf("%s: %v, stdout %q, stderr %q", name, err, stdout.String(), stderr.String())
		}
	}
}

// TestProbe starts it as apt does to learn what it can do: it says so, and does
// nothing else. The folder it would read does not exist.
func TestProbe(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), aptbed.Method(t))
	cmd.Stdin = strings.NewReader("")
	out, err := cmd.CombinedOutput()
	if want := "100 Capabilities\n"; err != nil || !strings.HasPrefix(string(out), want) || strings.Count(string(out), "\n\n") != 1 {
		t.Errorf("%v, output %q", err, out)
	}
}

// TestStdoutIsClosed closes apt's end of stdout before the method first writes there.
func TestStdoutIsClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := exec.CommandContext(t.Context(), aptbed.Method(t))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("601 Configuration\n\n"), w, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 100 || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q; want exit 100, not a signal", err, stderr.String())
	}
}

// TestGODEBUG sets what an image may set for its own Go programs: with fips140=only
// crypto/md5 panics. apt is told to rely on MD5, and the file is there already, so
// that there is no network.
func TestGODEBUG(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), aptbed.Method(t))
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
	cmd.Stdin = strings.NewReader("601 Configuration\nConfig-Item: APT::Sandbox::User=root\nConfig-Item: Acquire::ForceHash=MD5Sum\n\n" +
		"600 URI Acquire\nURI: http://127.0.0.1/x\nFilename: " + file + "\nExpected-MD5Sum: 401b30e3b8b5d629635a5c613cdb7919\nExpected-Checksum-FileSize: 2\n\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "\nMD5Sum-Hash: 401b30e3b8b5d629635a5c613cdb7919\n") {
		t.Errorf("%v, output %q", err, out)
	}
}

// TestSandbox names a user that this machine lacks: the method ends as apt's own
// do, before there is any network.
func TestSandbox(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), aptbed.Method(t))
	cmd.Stdin = strings.NewReader("601 Configuration\nConfig-Item: APT::Sandbox::User=nobody-here\n\n600 URI Acquire\nURI: http://127.0.0.1/x\nFilename: /nonexistent\n\n")
	out, err := cmd.Output()
	const want = "400 URI Failure\nURI: <UNKNOWN>\nMessage: no user nobody-here in /etc/passwd, can not drop rights\n\n"
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 112 || !strings.HasSuffix(string(out), want) || len(exit.Stderr) > 0 {
		t.Errorf("%v, output %q", err, out)
	}
}

// BenchmarkStart is what apt waits for, twice for each method that it uses.
func BenchmarkStart(b *testing.B) {
	for name, path := range map[string]string{"loopx": aptbed.Method(b), "apt": "/usr/lib/apt/methods/http"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), path)
				in, err := cmd.StdinPipe()
				if err != nil {
					b.Fatal(err)
				}
				out, err := cmd.StdoutPipe()
				if err != nil {
					b.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
					b.Fatal(err)
				}
				in.Close()
				_, _ = io.Copy(io.Discard, out)
				_ = cmd.Wait() // apt's own method ends with 100 here
			}
		})
	}
}
