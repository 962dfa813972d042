package testbed_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// inChild is set for the process that TestKilled kills.
const inChild = "LOOPX_TESTBED_CHILD"

// TestChild is the body of that process: it starts a daemon, says where, and
// waits.
func TestChild(t *testing.T) {
	if os.Getenv(inChild) == "" {
		return
	}
	fmt.Println("daemon", testbed.Buildkitd(t).Addr)
	os.Stdin.Read(make([]byte, 1))
}

// A test process that is killed takes its daemon with it, and the next one
// removes the folder it left.
func TestKilled(t *testing.T) {
	// Not t.TempDir: a socket's path has at most 107 bytes.
	tmp, err := os.MkdirTemp("", "bed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })

	child, socket, _ := startChild(t, tmp)
	child.Process.Kill()
	child.Wait()
	for deadline := time.Now().Add(time.Minute); answers(socket); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the daemon outlives its test process")
		}
	}

	child, second, stdin := startChild(t, tmp)
	if _, err := os.Stat(socket); err == nil {
		t.Errorf("the folder of the killed process is still there")
	}
	if !answers(second) {
		t.Errorf("the second daemon doesn't answer")
	}
	stdin.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(tmp + "/*"); len(left) > 0 {
		t.Errorf("a process that ended by itself left %v", left)
	}
}

// startChild runs TestChild in a process of its own and returns the socket of
// its daemon. Closing stdin lets it end.
func startChild(t *testing.T, tmp string) (child *exec.Cmd, socket string, stdin interface{ Close() error }) {
	t.Helper()
	return startChildTest(t, tmp, "TestChild", inChild)
}

// startChildTest is startChild for the test with a name, which is told by a
// variable that it is a child.
func startChildTest(t *testing.T, tmp, name, variable string) (child *exec.Cmd, socket string, stdin interface{ Close() error }) {
	t.Helper()
	child = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$")
	child.Env = append(os.Environ(), variable+"=1", "TMPDIR="+tmp)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	socket, ok := strings.CutPrefix(strings.TrimSpace(line), "daemon unix://")
	if !ok {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return child, socket, stdin
}

func answers(socket string) bool {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Two mirrors of one process can't have the same name at the same time.
func TestMirrorNames(t *testing.T) {
	base := testbed.Base(t, "bookworm")
	for _, path := range []string{"/first", "/second"} {
		t.Run(path, func(t *testing.T) {
			m := testbed.NewMirror(t, testbed.MirrorOptions{Files: map[string]string{path: "x"}})
			mustBuild(t, testbed.Build{NoCache: true, Dockerfile: "FROM " + base.Ref + "\nADD http://downloads.example.org" + path + " /x\n"})
			if !hit(m.ClearHits(), path) {
				t.Errorf("hits: %v", m.ClearHits())
			}
			var r refused
			r.TB = t
			r.run(func() { testbed.NewMirror(&r, testbed.MirrorOptions{}) })
			if !strings.Contains(r.message, "downloads.example.org belongs to another live mirror") {
				t.Errorf("got %q", r.message)
			}
		})
	}
}

// refused keeps what a call would have failed the test with.
type refused struct {
	testing.TB
	message string
}

func (r *refused) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	panic(r)
}

func (r *refused) run(f func()) {
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	f()
}
