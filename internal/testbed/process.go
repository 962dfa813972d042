package testbed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is a daemon in mount and PID namespaces of its own.
type process struct {
	// Log is the path of the file with what it printed.
	Log string

	exited chan struct{} // closed when the process is gone
	users  sync.Map      // the tests that were given the daemon and still run
}

// logTo prints what the daemon logs from now on to t's log, if t fails.
func (p *process) logTo(t TB) {
	if _, again := p.users.LoadOrStore(t, true); again {
		return
	}
	start := fileSize(p.Log)
	t.Cleanup(func() {
		p.users.Delete(t)
		if tail := logTail(p.Log, start); t.Failed() && tail != "" {
			t.Logf("the daemon's log, %s:\n%s", p.Log, tail)
		}
	})
}

// startProcess starts cmd, whose first step is a script that makes its mounts,
// with both output streams in the file log. It ends with this bed.
func (b *bed) startProcess(cmd *exec.Cmd, log string) (*process, error) {
	p := &process{Log: log, exited: make(chan struct{})}
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	// The daemon is killed if this process dies. When process 1 of a PID
	// namespace ends, the kernel ends all others, and the last one takes the
	// mounts of the mount namespace with it: nothing is left to clean up but files.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	started := make(chan error)
	go func() {
		// The kernel sends Pdeathsig when the *thread* that started the child
		// ends: keep it.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	b.atClose(func() { p.stop(cmd.Process) })
	return p, nil
}

// stop asks the daemon to end and kills it after ten seconds.
func (p *process) stop(proc *os.Process) {
	proc.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
		proc.Kill()
		<-p.exited
	}
}

// waitReady calls ready until it returns no error.
func (p *process) waitReady(ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it ended at once; its log:\n%s", logTail(p.Log, 0))
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s (%v); its log:\n%s", readyWithin, err, logTail(p.Log, 0))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
