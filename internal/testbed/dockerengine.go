package testbed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// engineSuite is the Debian release whose docker.io is Docker Engine 20.10, the
// last with a BuildKit (0.8) that knows no CurrentFrontend.
const engineSuite = "bookworm"

// enginePackages are the packages that are downloaded, with the files that are
// wanted of each. containerd's shims are for containers; builds have none.
func enginePackages() map[string][]string {
	return map[string][]string{
		"docker.io":          {"usr/sbin/dockerd", "usr/bin/docker"},
		"containerd":         {"usr/bin/containerd"},
		"libdevmapper1.02.1": {"lib/*/libdevmapper.so.1.02.1"},
	}
}

// dockerEngine returns the folder in the cache with the programs of Docker
// Engine 20.10, and fills it first if it isn't there: about 63 MB to download.
//
// The packages are unpacked and not installed: the machine gets no service, no
// group and no file outside the cache, whatever release of Debian or Ubuntu it
// runs. apt checks the archive's signature.
func dockerEngine(ctx context.Context) (string, error) {
	return setup.Keep("docker-engine-"+engineSuite, func(tmp string) (string, error) {
		if err := downloadEngine(ctx, tmp); err != nil {
			return "", fmt.Errorf("download Docker Engine: %w", err)
		}
		bin := filepath.Join(tmp, "bin")
		if err := os.Mkdir(bin, 0o755); err != nil {
			return "", err
		}
		if err := unpackEngine(ctx, tmp+"/debs", tmp+"/root", bin); err != nil {
			return "", fmt.Errorf("unpack Docker Engine: %w", err)
		}
		return bin, nil
	})
}

// downloadEngine puts the packages into the folder debs of tmp, by an apt with
// sources and lists of its own.
func downloadEngine(ctx context.Context, tmp string) error {
	keyring, err := archiveKeyring()
	if err != nil {
		return err
	}
	source := fmt.Sprintf("deb [signed-by=%s] https://deb.debian.org/debian %s main\n", keyring, engineSuite)
	conf := fmt.Sprintf(`Dir::Etc::SourceList "%[1]s/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "%[1]s/lists";
Dir::State::status "/dev/null";
Dir::Cache "%[1]s/cache";
Acquire::Languages "none";
APT::Sandbox::User "root";
`, tmp)
	debs := filepath.Join(tmp, "debs")
	if err := errors.Join(
		writeFile(tmp+"/sources.list", []byte(source), 0o644),
		writeFile(tmp+"/apt.conf", []byte(conf), 0o644),
		os.MkdirAll(tmp+"/lists/partial", 0o755),
		os.MkdirAll(tmp+"/cache/archives/partial", 0o755),
		os.Mkdir(debs, 0o755),
	); err != nil {
		return err
	}
	download := append([]string{"download"}, slices.Sorted(maps.Keys(enginePackages()))...)
	for _, args := range [][]string{{"update"}, download} {
		cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-qq", "-o", "APT::Update::Error-Mode=any"}, args...)...)
		cmd.Dir, cmd.Env = debs, append(os.Environ(), "APT_CONFIG="+tmp+"/apt.conf")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// archiveKeyring returns the file with the keys of Debian's archive.
func archiveKeyring() (string, error) {
	for _, ext := range []string{".gpg", ".pgp"} {
		if file := "/usr/share/keyrings/debian-archive-keyring" + ext; exists(file) {
			return file, nil
		}
	}
	return "", errors.New("debian-archive-keyring is not installed: run `make setup`")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unpackEngine unpacks the packages in debs to the folder root and moves what is
// wanted of them to the folder bin.
func unpackEngine(ctx context.Context, debs, root, bin string) error {
	files, err := filepath.Glob(debs + "/*.deb")
	if err != nil {
		return err
	}
	for _, deb := range files {
		if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", deb, root).CombinedOutput(); err != nil {
			return fmt.Errorf("dpkg-deb -x %s: %w\n%s", filepath.Base(deb), err, out)
		}
	}
	for _, pattern := range enginePackages() {
		for _, p := range pattern {
			found, err := filepath.Glob(filepath.Join(root, p))
			if err != nil || len(found) != 1 {
				return fmt.Errorf("%d files are called %s (%v)", len(found), p, err)
			}
			if err := os.Rename(found[0], filepath.Join(bin, filepath.Base(p))); err != nil {
				return err
			}
		}
	}
	return nil
}
