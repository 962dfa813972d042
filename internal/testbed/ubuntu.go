package testbed

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
)

// Ubuntu returns the minimal base of a suite of Ubuntu for amd64: minbase with
// apt, in the state of the suite's release, and with the apt sources of Docker's
// official image, main and universe only. So full-upgrade has much to do, and
// its apt is the oldest of the suite: 1.2.10 in xenial, 2.7.14 in noble. It has
// no ca-certificates. In builds it is also known as ubuntu:SUITE.
func Ubuntu(t TB, suite string) *BaseImage {
	t.Helper()
	return publish(t, recipe{suite: suite, ubuntu: true}, suite)
}

// ubuntuArchive is where a base is made from.
const ubuntuArchive = "https://archive.ubuntu.com/ubuntu"

// ubuntuArgs are those of mmdebstrap that only Ubuntu needs: there apt has the
// priority "important".
//
// In xenial systemd is essential and makes users when it is configured, for
// which chfn needs PAM, which is configured later. PAM's own files are left
// alone if they are there already.
func ubuntuArgs(suite, tmp string) []string {
	args := []string{"--keyring=" + tmp + "/keyring.gpg", "--components=main,universe", "--include=apt,ubuntu-keyring"}
	if suite == "xenial" {
		args = append(args, `--extract-hook=for f in account auth password session; do echo "$f required pam_permit.so" >"$1/etc/pam.d/common-$f"; done`)
	}
	return args
}

func ubuntuSources(suite string, oneLine bool) string {
	form := `Types: deb
URIs: http://archive.ubuntu.com/ubuntu/
Suites: %[1]s %[1]s-updates %[1]s-backports
Components: main universe
Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg

Types: deb
URIs: http://security.ubuntu.com/ubuntu/
Suites: %[1]s-security
Components: main universe
Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg
`
	if oneLine {
		form = `deb http://archive.ubuntu.com/ubuntu/ %[1]s main universe
deb http://archive.ubuntu.com/ubuntu/ %[1]s-updates main universe
deb http://archive.ubuntu.com/ubuntu/ %[1]s-backports main universe
deb http://security.ubuntu.com/ubuntu/ %[1]s-security main universe
`
	}
	return fmt.Sprintf(form, suite)
}

// The package ubuntu-keyring of focal, whose keys sign all suites from xenial
// on. Debian's stable releases have no such package. The sum is that of the
// package lists of focal-updates, which are signed.
const (
	ubuntuKeyring    = ubuntuArchive + "/pool/main/u/ubuntu-keyring/ubuntu-keyring_2020.02.11.4_all.deb"
	ubuntuKeyringSum = "2684fae16e90a9ff3cb4dc08a8af5bd9973d38763b60e5f458dea0b403a39788"
	ubuntuKeyringGPG = "usr/share/keyrings/ubuntu-archive-keyring.gpg"
)

// writeUbuntuKeyring writes the keys of Ubuntu's archive.
func writeUbuntuKeyring(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ubuntuKeyring, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	deb, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(deb)); sum != ubuntuKeyringSum {
		return fmt.Errorf("%s: %s, its SHA-256 is %s", ubuntuKeyring, res.Status, sum)
	}
	keys, err := fileInDeb(ctx, deb, ubuntuKeyringGPG)
	if err != nil {
		return fmt.Errorf("%s: %w", ubuntuKeyring, err)
	}
	return writeFile(path, keys, 0o644)
}

// fileInDeb returns the content of a file of a Debian package.
func fileInDeb(ctx context.Context, deb []byte, name string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", "/dev/stdin")
	cmd.Stdin = bytes.NewReader(deb)
	files, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(bytes.NewReader(files)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("it has no %s", name)
		}
		if err != nil {
			return nil, err
		}
		if strings.TrimPrefix(h.Name, "./") == name {
			return io.ReadAll(r)
		}
	}
}
