package main

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
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// The tests' base images are on Docker Hub. Stand-ins for them are made of
// Debian packages: busybox as in the official image, and the same with git and
// what else the tests would install from Alpine's archive. A FUSE file system
// comes as the Go module that its image is built from.
const (
	standInSuite    = "bookworm"
	standInPackages = "busybox-static,git,openssh-client,e2fsprogs,fuse3"
	helloFS         = "bazil.org/fuse/examples/hellofs@v0.0.0-20230120002735-62a210ff1fd5"
)

// standIn is one image for the tests' mirror of docker.io.
type standIn struct {
	names []string
	files []file
}

// standInRecipe is all that decides what the images hold.
func standInRecipe() string {
	return fmt.Sprint(standInSuite, standInPackages, helloFS, runtime.GOARCH, busyboxFiles(nil), alpineFiles(nil))
}

// standInDir is the folder of the stand-ins, made once.
func (s *suite) standInDir() string { return filepath.Join(s.dir, "images") }

// busybox is Debian's static one, for use on the host.
func (s *suite) busybox() string { return filepath.Join(s.standInDir(), "busybox") }

// mirror is the folder of the registry that the tests start as their docker.io.
func (s *suite) mirror() string { return filepath.Join(s.work, "mirror") }

// makeStandIns makes the images if the cache lacks them, and the mirror's folder
// with them.
func (s *suite) makeStandIns(ctx context.Context) error {
	dir := s.standInDir()
	if _, err := os.Stat(dir); err != nil {
		if err := buildStandIns(ctx, dir+".tmp"); err != nil {
			return err
		}
		if err := os.Rename(dir+".tmp", dir); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(s.mirror(), 0o755), os.Symlink(filepath.Join(dir, layoutName), filepath.Join(s.mirror(), layoutName)))
}

func buildStandIns(ctx context.Context, dir string) error {
	root := filepath.Join(dir, "root")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "mmdebstrap", "--mode=root", "--variant=extract", "--format=directory",
		"--include="+standInPackages, standInSuite, root)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mmdebstrap: %w\n%s", err, out)
	}
	defer os.RemoveAll(root)
	busybox, err := os.ReadFile(filepath.Join(root, "bin", "busybox"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "busybox"), busybox, 0o755); err != nil {
		return err
	}
	hello, err := compileHelloFS(ctx, dir)
	if err != nil {
		return err
	}
	images, err := standIns(ctx, root, hello)
	if err != nil {
		return err
	}
	return writeStandIns(filepath.Join(dir, layoutName), images)
}

// standIns are the images of the tests, with programs from root.
func standIns(ctx context.Context, root string, hello file) ([]standIn, error) {
	programs, err := busyboxPrograms(ctx, root)
	if err != nil {
		return nil, err
	}
	added, err := dynamicPrograms(root, "usr/bin/git", "usr/bin/ssh-add", "sbin/mkfs.ext4", "bin/fusermount3")
	if err != nil {
		return nil, err
	}
	return []standIn{
		{files: busyboxFiles(programs), names: []string{
			"library/busybox:latest", "library/busybox:stable-musl",
			"amd64/debian:bullseye-20230109-slim", // only looked up: its test is excluded
		}},
		{files: []file{hello}, names: []string{"tonistiigi/hellofs:latest"}},
		{files: alpineFiles(append(programs, added...)), names: []string{"library/alpine:latest"}},
	}, nil
}

func compileHelloFS(ctx context.Context, dir string) (file, error) {
	if err := goInstall(ctx, dir, helloFS); err != nil {
		return file{}, err
	}
	body, err := os.ReadFile(filepath.Join(dir, "hellofs"))
	return file{path: "hellofs", mode: 0o755, body: string(body)}, err
}

// busyboxFiles is the content of the official busybox image around its programs.
func busyboxFiles(programs []file) []file {
	folder := func(name string, mode int64) file { return file{path: name + "/", mode: mode} }
	return slices.Concat([]file{
		folder("bin", 0o755), folder("dev", 0o755), folder("etc", 0o755), folder("home", 0o755), folder("lib", 0o755),
		folder("root", 0o700), folder("tmp", 0o1777), folder("usr", 0o755), folder("usr/bin", 0o755), folder("usr/sbin", 0o755),
		folder("var", 0o755), folder("var/spool", 0o755), folder("var/spool/mail", 0o755), folder("var/www", 0o755),
		{path: "etc/passwd", mode: 0o644, body: "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/bin/false\n" +
			"nobody:x:65534:65534:nobody:/home:/bin/false\n"},
		{path: "etc/group", mode: 0o644, body: "root:x:0:\ndaemon:x:1:\nwheel:x:10:root\nusers:x:100:\nnobody:x:65534:\n"},
		{path: "etc/shadow", mode: 0o640, body: "root:*:::::::\n"},
		// Debian's busybox lacks these two.
		{path: "bin/addgroup", mode: 0o755, body: addgroup},
		{path: "bin/adduser", mode: 0o755, body: adduser},
	}, programs)
}

// addgroup and adduser take the options that the tests give.
const (
	addgroup = `#!/bin/sh -e
[ "$1" = -g ]
echo "$3:x:$2:" >>/etc/group
`
	adduser = `#!/bin/sh -e
group= id=$(awk -F: '$3 >= 1000 && $3 < 60000 && $3 > last { last = $3 } END { print last ? last + 1 : 1000 }' /etc/passwd)
while getopts Du:G: option; do
	case $option in
	D) ;;
	u) id=$OPTARG ;;
	G) group=$(awk -F: -v name="$OPTARG" '$1 == name { print $3 }' /etc/group) ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
[ -n "$group" ] || { group=$id; echo "$1:x:$id:" >>/etc/group; }
echo "$1:x:$id:$group::/home/$1:/bin/sh" >>/etc/passwd
mkdir "/home/$1"
chown "$id:$group" "/home/$1"
`
)

// alpineFiles is busyboxFiles with what the tests look for in Alpine. There is no
// network: apk says yes, as the programs are there. The test with ssh counts the
// connections to the agent that ssh would make.
func alpineFiles(programs []file) []file {
	return append(busyboxFiles(programs),
		file{path: "etc/alpine-release", mode: 0o644, body: "3.18.0\n"},
		file{path: "mnt/", mode: 0o755},
		file{path: "sbin/", mode: 0o755},
		file{path: "sbin/apk", mode: 0o755, body: "#!/bin/sh\n"},
		file{path: "usr/bin/ssh-keyscan", mode: 0o755, body: "#!/bin/sh\n"},
		file{path: "usr/bin/ssh", mode: 0o755, body: "#!/bin/sh\nexec ssh-add -l\n"},
	)
}

// writeStandIns writes the images as a layout that names each of them.
func writeStandIns(dir string, images []standIn) error {
	to, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	for _, s := range images {
		img, err := s.image()
		if err != nil {
			return err
		}
		for _, name := range s.names {
			if err := to.AppendImage(img, layout.WithAnnotations(map[string]string{annotationRef: name})); err != nil {
				return err
			}
		}
	}
	return nil
}

// image is the stand-in with the configuration of both official images.
func (s standIn) image() (v1.Image, error) {
	var buf bytes.Buffer
	if err := writeTar(&buf, s.files); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil })
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: time.Unix(0, 0).UTC()}
	img, err := mutate.Append(empty.Image,
		mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: "ADD rootfs.tar / # buildkit"}},
		mutate.Addendum{History: v1.History{Created: created, CreatedBy: `CMD ["/bin/sh"]`, EmptyLayer: true}},
	)
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", runtime.GOARCH, created
	config.Config.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	config.Config.Cmd = []string{"/bin/sh"}
	return mutate.ConfigFile(img, config)
}
