package setup

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// need is something the machine must have: a program in PATH or, where files
// are given, one of these files. pkg is the Debian and Ubuntu package with it.
type need struct {
	pkg     string
	program string
	files   []string
}

func needs() []need {
	return []need{
		{pkg: "chromium", program: "chromium"},
		{pkg: "fonts-dejavu-core", files: []string{"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"}},
		{pkg: "ca-certificates", files: []string{"/etc/ssl/certs/ca-certificates.crt"}},
		{pkg: "git", program: "git"},
		{pkg: "iproute2", program: "ip"},
		{pkg: "openssh-client", program: "ssh-keygen"},
		{pkg: "mount", program: "mount"},
		{pkg: "mmdebstrap", program: "mmdebstrap"},
		{pkg: "qemu-user-static", program: "qemu-aarch64-static"},
		{pkg: "runc", program: "runc"},
		{pkg: "buildah", program: "buildah"},
		{pkg: "debian-archive-keyring", files: []string{
			"/usr/share/keyrings/debian-archive-keyring.gpg",
			"/usr/share/keyrings/debian-archive-keyring.pgp",
		}},
	}
}

func (n need) met() bool {
	if n.program != "" {
		_, err := exec.LookPath(n.program)
		return err == nil
	}
	for _, f := range n.files {
		if _, err := os.Stat(f); err == nil {
			return true
		}
	}
	return false
}

// MissingPackages returns the Debian and Ubuntu packages that the tests need
// and this machine lacks.
func MissingPackages() []string {
	var missing []string
	for _, n := range needs() {
		if !n.met() {
			missing = append(missing, n.pkg)
		}
	}
	return missing
}

// InstallPackages installs what MissingPackages names, as root or by sudo
// without a password. Where it may not, or there is no apt-get, its error is
// the list of what to install.
func InstallPackages(ctx context.Context, w io.Writer) error {
	missing := MissingPackages()
	if len(missing) == 0 {
		fmt.Fprintln(w, "system packages: all there")
		return nil
	}
	prefix, ok := rootPrefix(ctx)
	if _, err := exec.LookPath("apt-get"); err != nil || !ok {
		return fmt.Errorf("cannot install packages here; please run:\n\n    sudo apt-get update && sudo apt-get install --no-install-recommends -y %[1]s\n\n(names as in Debian and Ubuntu: %[1]s)", strings.Join(missing, " "))
	}
	fmt.Fprintf(w, "system packages: installing %s\n", strings.Join(missing, " "))
	install := append([]string{"install", "-y", "--no-install-recommends"}, missing...)
	for _, args := range [][]string{{"update"}, install} {
		argv := slices.Concat(prefix, []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"}, args)
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr = w, w
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
		}
	}
	return nil
}

// rootPrefix returns the words to put before a command that needs root, and
// whether there is a way to be root without a question.
func rootPrefix(ctx context.Context) (prefix []string, ok bool) {
	if os.Geteuid() == 0 {
		return nil, true
	}
	return []string{"sudo", "-n"}, exec.CommandContext(ctx, "sudo", "-n", "true").Run() == nil
}
