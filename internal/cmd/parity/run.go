package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// testTimeout ends a run that hangs. On two cores a run takes 4 to 8 minutes.
const testTimeout = 90 * time.Minute

// script gives the tests their own /proc (they are process 1 of a PID
// namespace), a /var/lib for CNI's notes, and a network with nothing but
// loopback; $1 is busybox.
const script = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /var/lib
"$1" ip link set lo up
shift
exec "$@"`

// test runs the tests against one frontend. Their output goes to a file in the
// cache, a line for each test that ends to w.
func (s *suite) test(ctx context.Context, f frontend, o options, w io.Writer) (results, error) {
	log, err := os.Create(filepath.Join(s.dir, f.name+".log"))
	if err != nil {
		return results{}, err
	}
	defer log.Close()
	// A short path: the daemons have sockets below it, and 107 bytes are the most
	// for one of them.
	temp, err := os.MkdirTemp("", "p-")
	if err != nil {
		return results{}, err
	}
	defer os.RemoveAll(temp)
	out, in := io.Pipe()
	cmd := s.command(ctx, f, o, temp)
	cmd.Stdout, cmd.Stderr = in, in
	read := make(chan results)
	go func() { read <- follow(io.TeeReader(out, log), f.name, w) }()
	err = cmd.Run()
	in.Close()
	got := <-read
	if len(got.outcomes) == 0 {
		return results{}, fmt.Errorf("no test ran (%w), see %s", err, log.Name())
	}
	return got, ctx.Err()
}

// follow reads the output of the tests to its end.
func follow(out io.Reader, frontend string, w io.Writer) results {
	got := newResults()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if name := got.add(line); name != "" {
			fmt.Fprintln(w, frontend, got.outcomes[name], name)
		}
		if err != nil {
			return got
		}
	}
}

// command is the test binary in its namespaces, with temp for its files.
func (s *suite) command(ctx context.Context, f frontend, o options, temp string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, "sh", s.busybox()}, s.testArgs(o)...)...)
	cmd.Dir = filepath.Join(s.source(), "frontend", "dockerfile")
	cmd.Env = s.testEnv(f, temp)
	if f.name == ours {
		for name, value := range o.buildArgs() {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.WaitDelay = 10 * time.Second
	// When process 1 of a PID namespace ends, the kernel ends all others, and
	// the last one takes the mounts and the network with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
	return cmd
}

func (s *suite) testArgs(o options) []string {
	// The harness knows a containerd worker too.
	match := "TestIntegration/(" + cmp.Or(o.match, ".") + ")/worker=oci"
	return []string{
		s.testBinary(), "-test.v", "-test.run=" + match, "-test.skip=" + skipExpression(excluded()),
		fmt.Sprintf("-test.parallel=%d", o.parallel), "-test.timeout=" + testTimeout.String(),
	}
}

// testEnv is the whole environment of the tests: nothing of the caller's.
func (s *suite) testEnv(f frontend, temp string) []string {
	return []string{
		"PATH=" + s.bin() + ":" + os.Getenv("PATH"),
		"HOME=" + temp, "TMPDIR=" + temp, "XDG_RUNTIME_DIR=" + temp,
		"BUILDKIT_REGISTRY_MIRROR_DIR=" + s.mirror(),
		"FRONTEND_GATEWAY_ONLY=local:" + f.archive,
		// As in BuildKit's own test image.
		"BUILDKIT_RUN_NETWORK_INTEGRATION_TESTS=1",
		"BUILDKIT_CNI_INIT_LOCK_PATH=" + filepath.Join(temp, "cni.lock"),
	}
}
