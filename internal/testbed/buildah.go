package testbed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Buildah runs `buildah COMMAND args…` in the folder dir. It has a storage of its
// own, which ends with this process; builds resolve names as RUNs of Buildkitd do,
// and know Registry.
func Buildah(t TB, dir, command string, args ...string) Output {
	t.Helper()
	work := must[string](t, "set up buildah")(shared.buildahStorage())
	argv := []string{
		"--root", filepath.Join(work, "root"), "--runroot", filepath.Join(work, "run"), "--storage-driver", storageDriver(work),
		"--registries-conf", filepath.Join(work, "registries.conf"), command,
	}
	if command == "build" {
		names := must[*nameServer](t, "start the name server")(shared.nameServer())
		// Not crun, which refuses machines with both versions of cgroups.
		argv = append(argv, "--isolation", "oci", "--runtime", "runc", "--network", "host", "--dns", names.addr.String(),
			"--signature-policy", filepath.Join(work, "policy.json"))
	}
	if command == "push" {
		argv = append(argv, "--signature-policy", filepath.Join(work, "policy.json"))
	}
	cmd := exec.CommandContext(t.Context(), "buildah", append(argv, args...)...)
	cmd.Dir = dir
	return Run(t, cmd)
}

// storageDriver is how buildah stores layers in a folder: in one that is on overlay
// itself, as in a container, it makes copies, which takes long.
func storageDriver(dir string) string {
	const overlayMagic = 0x794c7630 // of statfs(2)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || int64(fs.Type) == overlayMagic {
		return "vfs"
	}
	return "overlay"
}

// buildahStorage is the folder of buildah's storage and configuration.
func (b *bed) buildahStorage() (string, error) {
	return b.buildah.do(func() (string, error) {
		if _, err := exec.LookPath("buildah"); err != nil {
			return "", fmt.Errorf("%w: run `make setup`", err)
		}
		if os.Geteuid() != 0 {
			return "", errors.New("buildah needs root here: run the tests by `make test`, or as root")
		}
		work, err := b.work()
		if err != nil {
			return "", err
		}
		reg, err := b.imageRegistry()
		if err != nil {
			return "", err
		}
		dir := filepath.Join(work, "buildah")
		registries := fmt.Sprintf("[[registry]]\nlocation = %q\ninsecure = true\n", reg.Host)
		return dir, errors.Join(
			writeFile(filepath.Join(dir, "registries.conf"), []byte(registries), 0o644),
			writeFile(filepath.Join(dir, "policy.json"), []byte(`{"default": [{"type": "insecureAcceptAnything"}]}`), 0o644),
		)
	})
}
