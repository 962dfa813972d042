package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// A private daemon is three processes. This one starts a supervisor, in a process
// group of its own so that Ctrl-C does not reach it, and holds one end of a pipe.
// The supervisor starts buildkitd as the first process of a PID namespace, and
// when the pipe closes, for whatever reason this process ended, it ends buildkitd
// and removes its folder. With the first process of its namespace the kernel ends
// every RUN, and with the last one its mounts go. A killed supervisor takes
// buildkitd with it, and the next start removes the folder.

// supervisor is the process that keeps a private buildkitd.
type supervisor struct {
	address string
	dir     string
	cmd     *exec.Cmd
	hold    io.Closer     // ends the supervisor
	exited  chan struct{} // closed when buildkitd is gone
}

// Words that make this program a part of a private daemon.
const (
	superviseWord = "supervise"
	firstWord     = "first"
)

// readyWithin is how long a private daemon may take to answer; it needs a second.
const readyWithin = time.Minute

func userID() int { return os.Geteuid() }

// start starts the supervisor.
func start(buildkitd string, allow []string) (*supervisor, error) {
	sweep()
	dir, lock, err := makeFolder()
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	s, err := startIn(dir, lock, buildkitd, allow)
	if err != nil {
		os.RemoveAll(dir)
	}
	return s, err
}

func startIn(dir string, lock *os.File, buildkitd string, allow []string) (*supervisor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	alive, theirAlive, err := os.Pipe()
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer theirAlive.Close()
	// The program may be several by the name that it is called by.
	cmd := &exec.Cmd{
		Path: self, Args: append([]string{os.Args[0], Command, superviseWord, dir, buildkitd}, allow...),
		Stdin: theirs, ExtraFiles: []*os.File{theirAlive, lock},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		alive.Close()
		return nil, err
	}
	s := &supervisor{address: "unix://" + filepath.Join(dir, "buildkitd.sock"), dir: dir, cmd: cmd, hold: ours, exited: make(chan struct{})}
	go func() {
		_, _ = io.Copy(io.Discard, alive)
		alive.Close()
		close(s.exited)
	}()
	return s, nil
}

// ready waits until the daemon answers.
func (s *supervisor) ready(ctx context.Context, d *Daemon) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		err := d.ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// log is the end of what the daemon printed, on lines of its own.
func (s *supervisor) log() string {
	data, err := os.ReadFile(filepath.Join(s.dir, logFile))
	if err != nil || len(data) == 0 {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var b strings.Builder
	for _, line := range lines[max(0, len(lines)-10):] {
		b.WriteString("\n  " + plain.Line(string(line)))
	}
	return b.String()
}

// stop ends the daemon and waits until its folder is gone.
func (s *supervisor) stop() error {
	s.hold.Close()
	err := s.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return errors.New("the private builder's supervisor failed: " + exit.String())
	}
	return err
}

const (
	folderPrefix = "loopxctl-buildkitd-"
	lockFile     = "lock"
	logFile      = "log"
)

// makeFolder makes the folder of a private daemon, with a lock in it that is held
// as long as one of its processes lives.
func makeFolder() (string, *os.File, error) {
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, lock, nil
}

// sweep removes the folders, of this user, whose processes are gone.
func sweep() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*", lockFile))
	for _, name := range locks {
		dir := filepath.Dir(name)
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}
