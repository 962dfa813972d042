package daemon

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// endsWithin is how long buildkitd may take to end before it is killed.
const endsWithin = 10 * time.Second

// Supervise is what the program does as a part of a private daemon, by the
// arguments behind [Command]. It is not for people.
func Supervise(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == superviseWord:
		return supervise(args[1], args[2], args[3:])
	case len(args) >= 2 && args[0] == firstWord:
		return first(args[1:])
	}
	return errors.New("this command is for loopxctl build itself")
}

// supervise keeps buildkitd until standard input is at its end, then removes dir.
func supervise(dir, buildkitd string, allow []string) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer os.RemoveAll(dir)
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	alive := os.NewFile(3, "alive")
	syscall.CloseOnExec(4) // the lock is for this process
	process, exited, err := startDaemon(dir, buildkitd, allow)
	if err != nil {
		alive.Close()
		<-over
		return err
	}
	select {
	case <-exited:
		alive.Close() // whose log is read before the folder goes
		<-over
		return nil
	case <-over:
	case <-signals:
	}
	_ = process.Signal(syscall.SIGTERM)
	select {
	case <-exited:
	case <-time.After(endsWithin):
		_ = process.Kill()
		<-exited
	}
	return nil
}

// startDaemon starts buildkitd as the first process of a PID namespace, with
// mounts of its own. It dies with this process.
func startDaemon(dir, buildkitd string, allow []string) (*os.Process, <-chan struct{}, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	log, err := os.Create(filepath.Join(dir, logFile))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	args := []string{
		os.Args[0], Command, firstWord, buildkitd,
		"--addr", "unix://" + filepath.Join(dir, "buildkitd.sock"), "--root", filepath.Join(dir, "root"),
		"--otel-socket-path", filepath.Join(dir, "otel.sock"),
		"--oci-worker=true", "--containerd-worker=false", "--oci-worker-gc=false",
	}
	for _, one := range allow {
		args = append(args, "--allow-insecure-entitlement", one)
	}
	cmd := &exec.Cmd{
		Path: self, Args: args, Stdout: log, Stderr: log,
		Env: append(os.Environ(), "TMPDIR="+dir, "XDG_RUNTIME_DIR="+dir),
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL,
		},
	}
	exited, started := make(chan struct{}), make(chan error)
	go func() {
		// The kernel sends Pdeathsig when the thread ends that started the child.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, nil, err
	}
	return cmd.Process, exited, nil
}

// first makes the namespaces fit and becomes buildkitd.
func first(argv []string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("mount", err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return os.NewSyscallError("mount /proc", err)
	}
	return os.NewSyscallError("exec "+argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}
