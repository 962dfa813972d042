package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// Daemon is a running buildkitd.
type Daemon struct {
	// Addr is the address for BuildKit clients, unix://….
	Addr string
	// Log is the path of the daemon's log file.
	Log string

	exited chan struct{} // closed when the process is gone
	users  sync.Map      // the tests that were given the daemon and still run
}

// systemBundle is where the daemon (Go) and the git it runs look for roots on
// Debian and Ubuntu.
const systemBundle = "/etc/ssl/certs/ca-certificates.crt"

// readyWithin is how long a daemon may take to answer; it needs about a second.
const readyWithin = time.Minute

// Buildkitd returns the daemon of this process and starts it at the first call.
// If t fails, what the daemon logged since its first call goes to t's log.
func Buildkitd(t TB) *Daemon {
	t.Helper()
	d := must[*Daemon](t, "start buildkitd")(shared.buildkitd())
	if _, again := d.users.LoadOrStore(t, true); again {
		return d
	}
	start := fileSize(d.Log)
	t.Cleanup(func() {
		d.users.Delete(t)
		if tail := logTail(d.Log, start); t.Failed() && tail != "" {
			t.Logf("buildkitd's log, %s:\n%s", d.Log, tail)
		}
	})
	return d
}

// Client returns a new client of the daemon, closed when the test ends.
func (d *Daemon) Client(t TB) *client.Client {
	t.Helper()
	c := must[*client.Client](t, "connect to buildkitd")(client.New(t.Context(), d.Addr))
	t.Cleanup(func() { c.Close() })
	return c
}

func (b *bed) buildkitd() (*Daemon, error) {
	return b.daemon.do(func() (*Daemon, error) {
		if os.Geteuid() != 0 {
			return nil, errors.New("buildkitd needs root: run the tests by `make test`, or as root")
		}
		work, err := b.work()
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(work, "buildkitd")
		if err := b.writeDaemonFiles(dir); err != nil {
			return nil, err
		}
		bin, err := setup.Tool("buildkitd")
		if err != nil {
			return nil, err
		}
		return b.startDaemon(bin, dir)
	})
}

// writeDaemonFiles writes into dir what the daemon's own view of /etc and its
// configuration need.
func (b *bed) writeDaemonFiles(dir string) error {
	ca, err := b.defaultCA()
	if err != nil {
		return err
	}
	names, err := b.nameServer()
	if err != nil {
		return err
	}
	reg, err := b.imageRegistry()
	if err != nil {
		return err
	}
	bundle, err := os.ReadFile(systemBundle)
	if err != nil {
		return fmt.Errorf("%w: run `make setup`", err)
	}
	// Without [dns], BuildKit drops loopback resolvers from a RUN's resolv.conf.
	config := fmt.Sprintf(`
insecure-entitlements = ["network.host", "security.insecure"]
provenanceEnvDir = %[1]q
[otel]
  socketPath = %[2]q
[dns]
  nameservers = [%[3]q]
[registry.%[4]q]
  http = true
[registry."docker.io"]
  mirrors = [%[4]q]
`, dir+"/provenance.d", dir+"/otel.sock", names.addr, reg.Host)
	return errors.Join(
		writeFile(dir+"/buildkitd.toml", []byte(config), 0o644),
		writeFile(dir+"/resolv.conf", fmt.Appendf(nil, "nameserver %s\n", names.addr), 0o644),
		writeFile(dir+"/bundle.crt", slices.Concat(bundle, []byte("\n"), ca.PEM), 0o644),
	)
}

// daemonScript gives the daemon its own /proc (it is process 1 of a PID
// namespace), resolver and root certificates; $1 is the folder of its files.
const daemonScript = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/bundle.crt" ` + systemBundle + `
shift
exec "$@"`

func (b *bed) startDaemon(bin, dir string) (*Daemon, error) {
	d := &Daemon{Addr: "unix://" + dir + "/buildkitd.sock", Log: dir + "/buildkitd.log", exited: make(chan struct{})}
	log, err := os.Create(d.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", daemonScript, "sh", dir,
		bin, "--config", dir+"/buildkitd.toml", "--addr", d.Addr, "--root", dir+"/root",
		"--oci-worker=true", "--containerd-worker=false", "--oci-worker-net=host",
		"--oci-worker-gc=false", "--cdi-disabled=true")
	cmd.Env = append(daemonEnv(os.Environ()), "SSL_CERT_FILE="+systemBundle, "TMPDIR="+dir, "XDG_RUNTIME_DIR="+dir)
	cmd.Stdout, cmd.Stderr = log, log
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
			close(d.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	b.atClose(func() { d.stop(cmd.Process) })
	return d, d.waitReady()
}

// stop asks the daemon to end and kills it after ten seconds.
func (d *Daemon) stop(p *os.Process) {
	p.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(10 * time.Second):
		p.Kill()
		<-d.exited
	}
}

// waitReady waits until the daemon names a worker.
func (d *Daemon) waitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	c, err := client.New(ctx, d.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		workers, err := c.ListWorkers(ctx)
		if err == nil && len(workers) > 0 {
			return nil
		}
		select {
		case <-d.exited:
			return fmt.Errorf("it ended at once; its log:\n%s", logTail(d.Log, 0))
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s (%v); its log:\n%s", readyWithin, err, logTail(d.Log, 0))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// daemonEnv drops what would change where the daemon fetches from and whom it
// trusts: CA variables and proxies.
func daemonEnv(env []string) []string {
	drop := append(CAVariables(), "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY")
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(drop, strings.ToUpper(name))
	})
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail returns at most the last 16 kB of the file after offset from.
func logTail(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	const most = 16 << 10
	f.Seek(max(from, fileSize(path)-most), io.SeekStart)
	var out bytes.Buffer
	io.Copy(&out, f)
	return out.String()
}
