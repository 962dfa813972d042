package testbed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// DockerEngine is a running dockerd 20.10, whose own BuildKit (0.8) builds.
type DockerEngine struct {
	// Host is its address for DOCKER_HOST, unix://….
	Host string

	*process
	bin, config string // folders of the programs and of the clients' configuration
}

// Dockerd returns the Docker Engine of this process and starts it at the first
// call. It shares the names, the registry and the trust of Buildkitd: see the
// package's comment. Its RUNs reach mirrors with --network=host only, since it
// has no network of its own: it leaves the machine's interfaces and packet
// filter alone.
func Dockerd(t TB) *DockerEngine {
	t.Helper()
	d := must[*DockerEngine](t, "start dockerd")(shared.dockerd(t.Context()))
	d.logTo(t)
	return d
}

// Command returns `docker args…` of the same release as the daemon, with its
// BuildKit on and a configuration of its own.
func (d *DockerEngine) Command(t TB, args ...string) *exec.Cmd {
	t.Helper()
	return d.command(t.Context(), filepath.Join(d.bin, "docker"), args...)
}

// BuildxCommand returns `buildx args…` with the daemon as its builder: a current
// client, which knows what docker 20.10 does not, such as named contexts.
func (d *DockerEngine) BuildxCommand(t TB, args ...string) *exec.Cmd {
	t.Helper()
	return d.command(t.Context(), must[string](t, "buildx")(setup.Tool("buildx")), args...)
}

func (d *DockerEngine) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+d.Host, "DOCKER_CONFIG="+d.config, "BUILDX_CONFIG="+d.config+"/buildx", "BUILDX_BUILDER=default",
		"DOCKER_BUILDKIT=1", "BUILDKIT_PROGRESS=plain")
	return cmd
}

func (b *bed) dockerd(ctx context.Context) (*DockerEngine, error) {
	return b.docker.do(func() (*DockerEngine, error) {
		if os.Geteuid() != 0 {
			return nil, errors.New("dockerd needs root: run the tests by `make test`, or as root")
		}
		// The programs outlive the test that asked first.
		bin, err := dockerEngine(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		work, err := b.work()
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(work, "dockerd")
		if err := b.writeDockerFiles(dir); err != nil {
			return nil, err
		}
		return b.startDockerd(bin, dir)
	})
}

// writeDockerFiles writes into dir the daemon's configuration and its view of
// /etc.
func (b *bed) writeDockerFiles(dir string) error {
	reg, err := b.imageRegistry()
	if err != nil {
		return err
	}
	names, err := b.nameServer()
	if err != nil {
		return err
	}
	// This BuildKit drops 127.x.y.z from a RUN's resolv.conf, and does not
	// recognise it in the notation for IPv6.
	dns := netip.AddrFrom16(names.addr.As16())
	config, err := json.Marshal(map[string]any{
		"registry-mirrors": []string{"http://" + reg.Host},
		"dns":              []string{dns.StringExpanded()},
	})
	return errors.Join(
		err,
		writeFile(dir+"/daemon.json", config, 0o644),
		os.MkdirAll(dir+"/config", 0o755),
		b.writeEtc(dir),
	)
}

// dockerdScript is daemonScript for a daemon that also writes to /run/docker,
// /opt/containerd and /etc/docker, whatever it is told: all are its own.
const dockerdScript = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /opt
mount -t tmpfs tmpfs /mnt
mkdir -p /mnt/work "/mnt/upper/${2%/*}"
cp "$1/resolv.conf" /mnt/upper/
cp "$1/bundle.crt" "/mnt/upper/$2"
mount -t overlay -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work overlay /etc
shift 2
exec "$@"`

func (b *bed) startDockerd(bin, dir string) (*DockerEngine, error) {
	d := &DockerEngine{Host: "unix://" + dir + "/docker.sock", bin: bin, config: dir + "/config"}
	cmd := exec.Command("/bin/sh", "-c", dockerdScript, "sh", dir, strings.TrimPrefix(systemBundle, "/etc/"),
		filepath.Join(bin, "dockerd"), "--host="+d.Host, "--log-level=error", "--config-file="+dir+"/daemon.json",
		"--data-root="+dir+"/data", "--exec-root="+dir+"/exec", "--pidfile="+dir+"/dockerd.pid",
		"--iptables=false", "--ip6tables=false", "--ip-forward=false", "--bridge=none")
	cmd.Env = append(daemonEnv(os.Environ()), "SSL_CERT_FILE="+systemBundle, "TMPDIR="+dir,
		// dockerd finds containerd by its name.
		"PATH="+bin+":"+os.Getenv("PATH"), "LD_LIBRARY_PATH="+bin)
	var err error
	if d.process, err = b.startProcess(cmd, dir+"/dockerd.log"); err != nil {
		return nil, err
	}
	return d, d.waitReady(d.answers)
}

// answers is an error unless the daemon answers.
func (d *DockerEngine) answers(ctx context.Context) error {
	if out, err := d.command(ctx, filepath.Join(d.bin, "docker"), "version").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
