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
	"slices"
	"strings"
	"time"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// Daemon is a running buildkitd.
type Daemon struct {
	// Addr is the address for BuildKit clients, unix://….
	Addr string

	*process
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
	d.logTo(t)
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

// writeDaemonFiles writes into dir the daemon's configuration and its view of
// /etc.
func (b *bed) writeDaemonFiles(dir string) error {
	names, err := b.nameServer()
	if err != nil {
		return err
	}
	reg, err := b.imageRegistry()
	if err != nil {
		return err
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
		b.writeEtc(dir),
	)
}

// writeEtc writes into dir what a daemon sees in place of its resolver's
// configuration and root certificates: see daemonScript.
func (b *bed) writeEtc(dir string) error {
	ca, err := b.defaultCA()
	if err != nil {
		return err
	}
	names, err := b.nameServer()
	if err != nil {
		return err
	}
	bundle, err := os.ReadFile(systemBundle)
	if err != nil {
		return fmt.Errorf("%w: run `make setup`", err)
	}
	return errors.Join(
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
	d := &Daemon{Addr: "unix://" + dir + "/buildkitd.sock"}
	cmd := exec.Command("/bin/sh", "-c", daemonScript, "sh", dir,
		bin, "--config", dir+"/buildkitd.toml", "--addr", d.Addr, "--root", dir+"/root",
		"--oci-worker=true", "--containerd-worker=false", "--oci-worker-net=host",
		"--oci-worker-gc=false", "--cdi-disabled=true")
	cmd.Env = append(daemonEnv(os.Environ()), "SSL_CERT_FILE="+systemBundle, "TMPDIR="+dir, "XDG_RUNTIME_DIR="+dir)
	var err error
	if d.process, err = b.startProcess(cmd, dir+"/buildkitd.log"); err != nil {
		return nil, err
	}
	return d, d.waitReady(d.namesWorker)
}

// namesWorker is an error unless the daemon names a worker.
func (d *Daemon) namesWorker(ctx context.Context) error {
	c, err := client.New(ctx, d.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	workers, err := c.ListWorkers(ctx)
	if err == nil && len(workers) == 0 {
		err = errors.New("no worker")
	}
	return err
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
