package aptbed

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/testbed"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// aptConfig is what the guard adds to a RUN's environment.
const aptConfig = "APT_CONFIG=" + mount.AptConfig

// script sets up the mount namespace of a run, then becomes the program. $1 is
// the Apt's folder, $2 the unpacked base or nothing, $3 Options.Setup or nothing.
//
// A run in a base sees it by chroot, with the Apt's own files over it. The
// private folders of a run in this machine's root have a "-" for each "/" in
// their names.
const script = `bed=$1 base=$2 setup=$3; shift 3
mount --make-rprivate /
root=
if [ "$base" ]; then
	root=$bed/root
	mkdir -p "$root" "$bed/work"
	mount -t overlay -o "lowerdir=$base,upperdir=$bed/own,workdir=$bed/work" overlay "$root"
	mount -t proc proc "$root/proc"
	touch "$root/etc/resolv.conf"
else
	for dir in "$bed"/private-*; do
		mount --bind "$dir" "$(echo "${dir#"$bed"/private}" | tr - /)"
	done
fi
mount --bind "$bed/resolv.conf" "$root/etc/resolv.conf"
dev=$bed/dev
mkdir -p "$dev"
mount -t tmpfs -o mode=755,nosuid tmpfs "$dev"
for name in null zero full random urandom tty; do
	: >"$dev/$name"
	mount --bind "/dev/$name" "$dev/$name"
done
ln -s /proc/self/fd "$dev/fd"
if [ -e "$bed/mount" ]; then
	mkdir "$dev/.loopx"
	mount --bind "$bed/mount" "$dev/.loopx"
	mount -o remount,bind,ro "$dev/.loopx"
fi
if [ -e "$bed/auth.conf" ]; then
	: >"$dev/.loopx-auth.conf"
	mount --bind "$bed/auth.conf" "$dev/.loopx-auth.conf"
fi
mount --move "$dev" "$root/dev"
if [ "$setup" ]; then sh -ec "$setup" sh "$root/"; fi
enter='cd /mnt && exec "$@"'
if [ "$root" ]; then exec chroot "$root" sh -c "$enter" sh "$@"; fi
exec sh -c "$enter" sh "$@"`

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
}

// privateDirs are the folders that hold all of apt's and dpkg's state, and the
// working directory.
func privateDirs() []string {
	return []string{"/etc/apt", "/mnt", "/var/cache/apt", "/var/lib/apt", "/var/lib/dpkg"}
}

// makeRoot makes what apt's root has of its own.
func (a *Apt) makeRoot() {
	a.t.Helper()
	here := a.own("/mnt/.")
	a.mkdir(here)
	if err := os.Chmod(here, 0o777); err != nil { // whatever the umask is
		a.t.Fatalf("aptbed: %v", err)
	}
	if a.opts.Suite != "" {
		a.base = unpackedBase(a.t, a.opts.Suite)
		return
	}
	for _, path := range []string{
		"/etc/apt/apt.conf.d", "/etc/apt/preferences.d", "/etc/apt/sources.list.d", "/etc/apt/trusted.gpg.d",
		"/var/cache/apt/archives", "/var/lib/apt/lists", "/var/lib/dpkg/updates", "/var/lib/dpkg/info",
	} {
		a.mkdir(a.own(path))
	}
	a.Write("/var/lib/dpkg/status", "")
}

func (a *Apt) mkdir(path string) {
	a.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		a.t.Fatalf("aptbed: %v", err)
	}
}

// own returns where the Apt keeps a file of its root that it writes.
func (a *Apt) own(path string) string {
	if a.opts.Suite != "" {
		return filepath.Join(a.dir, "own", path)
	}
	for _, private := range privateDirs() {
		if rest, ok := strings.CutPrefix(path, private+"/"); ok {
			return filepath.Join(a.dir, "private"+strings.ReplaceAll(private, "/", "-"), rest)
		}
	}
	a.t.Fatalf("aptbed: %s belongs to this machine, not to the test", path)
	return ""
}

// unpackedBase returns the folder with the files of a base, which nobody may
// change. It is kept in the cache, by the digest of the image.
func unpackedBase(t testing.TB, suite string) string {
	t.Helper()
	img := testbed.Base(t, suite).Image
	dir, err := unpack(t.Context(), img)
	if err != nil {
		t.Fatalf("aptbed: unpack %s: %v", suite, err)
	}
	return dir
}

func unpack(ctx context.Context, img v1.Image) (dir string, err error) {
	digest, err := img.Digest()
	if err != nil {
		return "", err
	}
	return setup.Keep(filepath.Join("roots", digest.Hex[:16]), func(tmp string) (string, error) {
		stream := mutate.Extract(img)
		defer stream.Close()
		untar := exec.CommandContext(ctx, "tar", "-x", "-p", "--numeric-owner", "-C", tmp)
		untar.Stdin = stream
		if out, err := untar.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return tmp, os.Chmod(tmp, 0o755)
	})
}

// bundle is whom apt trusts: the public roots, which take their time to be read,
// and the test's own.
func (a *Apt) bundle() []byte { return append(cabundle.Bundle{}.PEM(), a.opts.CA.PEM...) }

// writeMount writes the folder that stands for the mount at /dev/.loopx.
func (a *Apt) writeMount() {
	a.t.Helper()
	method, err := os.ReadFile(a.opts.Method)
	if err != nil {
		a.t.Fatalf("aptbed: the method: %v", err)
	}
	dir := filepath.Join(a.dir, "mount")
	for _, f := range mount.AptFiles(method) {
		if f.Path == cabundle.FileName {
			f.Data = a.bundle()
		}
		a.writeMountFile(filepath.Join(dir, f.Path), f)
	}
	if a.opts.Route != nil {
		write(a.t, filepath.Join(dir, "operator", mount.RouteName), a.json(a.opts.Route), 0o444)
	}
	if a.opts.OperatorCA != nil {
		write(a.t, filepath.Join(dir, "operator", cabundle.FileName), a.opts.OperatorCA, 0o444)
	}
	if a.opts.Auth != "" {
		write(a.t, filepath.Join(a.dir, "auth.conf"), []byte(a.opts.Auth), 0o400)
	}
}

func (a *Apt) writeMountFile(path string, f mount.File) {
	a.t.Helper()
	var err error
	switch {
	case f.Mode.IsDir():
		err = os.MkdirAll(path, f.Mode.Perm())
	case f.Mode&fs.ModeSymlink != 0:
		err = os.Symlink(string(f.Data), path)
	default:
		write(a.t, path, f.Data, f.Mode.Perm())
	}
	if err != nil {
		a.t.Fatalf("aptbed: %v", err)
	}
}
