package testbed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ForeignPlatform is that of Foreign.
const ForeignPlatform = "linux/arm64"

// foreignArch is its architecture.
const foreignArch = "arm64"

// Foreign returns a base of a Debian suite for ForeignPlatform, and makes the
// kernel run its programs by QEMU until this process ends. It has a shell, apt
// and what they need, unpacked and not configured: that takes seconds, where an
// installation under emulation takes minutes. In builds it is also known as
// debian:SUITE-foreign.
func Foreign(t TB, suite string) *BaseImage {
	t.Helper()
	must[*process](t, "register QEMU with the kernel")(shared.emulate())
	return publish(t, recipe{suite: suite, foreign: foreignArch, packages: []string{
		"apt", "base-files", "base-passwd", "coreutils", "dash", "debian-archive-keyring",
	}}, suite+"-foreign")
}

// foreignArgs are those of mmdebstrap. The accounts are those that base-passwd
// and apt would make.
func foreignArgs(r recipe, tmp string) []string {
	return []string{
		"--mode=root", "--variant=extract", "--format=tar", "--skip=output/dev",
		"--architectures=" + r.foreign, "--include=" + strings.Join(r.packages, ","),
		`--extract-hook=for f in passwd group; do cp "$1/usr/share/base-passwd/$f.master" "$1/etc/$f"; done`,
		`--extract-hook=echo '_apt:x:42:65534::/nonexistent:/usr/sbin/nologin' >>"$1/etc/passwd"`,
		`--extract-hook=rm "$1/etc/apt/sources.list"`,
		fmt.Sprintf("--extract-hook=upload '%s/sources' '%s'", tmp, r.sourcesPath()),
		fmt.Sprintf("--extract-hook=upload '%s/settings' /etc/apt/apt.conf.d/docker", tmp),
	}
}

// emulatorScript registers an emulator with the kernel until it is asked to end:
// under the name $2 in the folder $1, by the line $3. The kernel forgets it when
// nobody has that file system mounted. See
// Documentation/admin-guide/binfmt-misc.rst.
const emulatorScript = `set -e
mount --make-rprivate /
mount -t binfmt_misc none "$1"
trap 'echo -1 >"$1/$2"; exit' TERM
printf %s "$3" >"$1/register"
: >"$1.ready"
sleep infinity & wait`

// emulate registers QEMU for programs of foreignArch, unless this machine is of
// it. The kernel opens the emulator when it is registered (flag F), so that
// containers need none.
func (b *bed) emulate() (*process, error) {
	return b.emulator.do(func() (*process, error) {
		if runtime.GOARCH == foreignArch {
			return nil, nil
		}
		qemu, err := exec.LookPath("qemu-aarch64-static")
		if err != nil {
			return nil, fmt.Errorf("%w: run `make setup`", err)
		}
		work, err := b.work()
		if err != nil {
			return nil, err
		}
		dir, name := filepath.Join(work, "binfmt"), fmt.Sprintf("loopx-%d", os.Getpid())
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		p, err := b.startProcess(exec.Command("/bin/sh", "-c", emulatorScript, "sh", dir, name, ":"+name+":M::"+foreignMagic+":"+qemu+":F"), dir+".log")
		if err != nil {
			return nil, err
		}
		return p, p.waitReady(func(context.Context) error {
			_, err := os.Stat(dir + ".ready")
			return err
		})
	})
}

// foreignMagic are the magic and the mask of ELF files for 64-bit little-endian
// ARM, as in QEMU's scripts/qemu-binfmt-conf.sh.
const foreignMagic = `\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00` +
	`:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
