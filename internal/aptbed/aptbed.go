package aptbed

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Options says which apt runs, and how it is set up.
type Options struct {
	// Method is the path of the compiled acquire method: see Method. Without
	// it apt's own methods fetch, and trust CA for https.
	Method string
	// Suite is a suite of testbed.Base ("bullseye", "bookworm", "trixie"), whose
	// apt then runs in a copy of that base. "" is this machine's apt.
	Suite string
	// CA is trusted beside the public roots; testbed.DefaultCA if nil.
	CA *testbed.CA

	// Sources are one-line sources, the content of /etc/apt/sources.list. Of a
	// Suite's base they replace the sources, if there are any.
	Sources []string
	// Conf are lines of the image's own apt.conf.d ("Acquire::Retries \"0\";").
	Conf []string
	// Files are further files of the image: absolute paths and contents.
	Files map[string]string

	// Route is the operator's configuration: operator/route.json.
	Route *route.Config
	// OperatorCA is the operator's bundle: operator/ca.crt.
	OperatorCA []byte
	// Auth is the secret with credentials for mirrors (apt_auth.conf(5)).
	Auth string

	// Env is added to the environment ("NAME=value").
	Env []string
	// Network is a network namespace to run in ("/proc/PID/fd/N"), such as that of
	// a relay.Far; "" is this machine's.
	Network string
	// Setup is shell text that runs as root in each run's mount namespace before
	// apt starts, in the machine's root; $1 is the root that apt will see. It may
	// mount a small tmpfs, for a disk that is full.
	Setup string
}

// Apt is one installation of apt. Its runs follow each other; several Apts may
// run at the same time.
type Apt struct {
	t    testing.TB
	opts Options
	dir  string // holds what the root has of its own, the mount and the resolver
	base string // the unpacked base, "" for this machine's root
}

// Result is what a finished run left.
type Result = testbed.Output

// methodBinary compiles the method once per process. The program is kept in
// memory: this package has no folder that lives as long as the process.
var methodBinary = sync.OnceValues(func() ([]byte, error) {
	root, err := setup.Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "loopx-apt-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "method")
	program := image.Program{Root: root, Package: "./cmd/loopx-apt"}
	if err := program.Compile(context.Background(), testbed.HostPlatform().String(), out); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
})

// Method compiles cmd/loopx-apt, as for the image, at the first call in a
// process, and returns the path of a copy that lives as long as the test.
func Method(t testing.TB) string {
	t.Helper()
	program, err := methodBinary()
	if err != nil {
		t.Fatalf("aptbed: compile the method: %v", err)
	}
	path := filepath.Join(t.TempDir(), "loopx-apt")
	write(t, path, program, 0o755)
	return path
}

// New makes an installation of apt, which lasts until the test ends.
func New(t testing.TB, opts Options) *Apt {
	t.Helper()
	if opts.CA == nil {
		opts.CA = testbed.DefaultCA(t)
	}
	a := &Apt{t: t, opts: opts, dir: t.TempDir()}
	write(t, a.dir+"/resolv.conf", []byte("nameserver "+testbed.NameServer(t).String()+"\n"), 0o644)
	a.makeRoot()
	a.writeConfiguration()
	if opts.Method != "" {
		a.writeMount()
	}
	return a
}

// writeConfiguration writes what Options say of the image's files.
func (a *Apt) writeConfiguration() {
	if len(a.opts.Sources) > 0 {
		a.Write("/etc/apt/sources.list", lines(a.opts.Sources))
		a.Write("/etc/apt/sources.list.d/debian.sources", "")
	}
	conf := a.opts.Conf
	if a.opts.Method == "" {
		a.Write("/etc/apt/bed-ca.crt", string(a.bundle()))
		conf = append([]string{`Acquire::https::CaInfo "/etc/apt/bed-ca.crt";`}, conf...)
	}
	a.Write("/etc/apt/apt.conf.d/50bed", lines(conf))
	for path, text := range a.opts.Files {
		a.Write(path, text)
	}
}

// Run runs apt-get. A nonzero exit is not a failure of the test.
func (a *Apt) Run(args ...string) Result {
	a.t.Helper()
	return testbed.Run(a.t, a.Command("apt-get", args...))
}

// Shell runs a shell script in apt's root, with the environment of Run.
func (a *Apt) Shell(script string) Result {
	a.t.Helper()
	return testbed.Run(a.t, a.Command("sh", "-ec", script))
}

// Command returns a command that runs a program of apt's root as Run does. It
// is killed when the test ends.
func (a *Apt) Command(program string, args ...string) *exec.Cmd {
	return a.command(a.opts.Setup, append([]string{program}, args...))
}

func (a *Apt) command(setup string, argv []string) *exec.Cmd {
	argv = append([]string{"/bin/sh", "-ec", script, "sh", a.dir, a.base, setup}, argv...)
	if a.opts.Network != "" {
		argv = append([]string{"/usr/bin/nsenter", "--net=" + a.opts.Network}, argv...)
	}
	cmd := exec.CommandContext(a.t.Context(), argv[0], argv[1:]...)
	cmd.Env = append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "HOME=/root",
	}, a.opts.Env...)
	if a.opts.Method != "" {
		cmd.Env = append(cmd.Env, aptConfig)
	}
	cmd.SysProcAttr = namespaces()
	return cmd
}

// Write writes a file of apt's root, readable for all. Of this machine's root
// only what is private to the Apt can be written.
func (a *Apt) Write(path, text string) {
	a.t.Helper()
	write(a.t, a.own(path), []byte(text), 0o644)
}

// Read returns the content of a file of apt's root, and ends the test if it
// can't be read. Mounts of Options.Setup are not there.
func (a *Apt) Read(path string) string {
	a.t.Helper()
	return a.output("cat", path)
}

// List returns the names of the files in a folder of apt's root, sorted, without
// folders and other things; none if there is no folder. Mounts of Options.Setup
// are not there.
func (a *Apt) List(path string) []string {
	a.t.Helper()
	found := a.output("sh", "-ec", `test ! -d "$1" || find "$1" -mindepth 1 -maxdepth 1 -type f -printf '%f\n' | LC_ALL=C sort`, "sh", path)
	return strings.Fields(found)
}

func (a *Apt) output(argv ...string) string {
	a.t.Helper()
	got := testbed.Run(a.t, a.command("", argv))
	if got.Code != 0 {
		a.t.Fatalf("aptbed: %q: %s", argv, got.Stderr)
	}
	return got.Stdout
}

func (a *Apt) json(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		a.t.Fatalf("aptbed: %v", err)
	}
	return data
}

func lines(list []string) string {
	var b strings.Builder
	for _, line := range list {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func write(t testing.TB, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatalf("aptbed: %v", err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatalf("aptbed: %v", err)
	}
}
