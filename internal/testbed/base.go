package testbed

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// BaseImage is a Debian or Ubuntu base without a CA bundle.
type BaseImage struct {
	// Ref is its reference in Registry, for FROM.
	Ref string
	// Layout is a folder in OCI image layout that holds it, for a named context
	// ("oci-layout://…").
	Layout string
	// Image is the image itself.
	Image v1.Image
}

// HostPlatform returns the platform of bases and of the daemon: Linux on this
// machine's architecture.
func HostPlatform() v1.Platform { return v1.Platform{OS: "linux", Architecture: runtime.GOARCH} }

// Base returns the minimal base of a suite (bullseye, bookworm, trixie): what
// debootstrap calls minbase, with the apt sources and settings of Docker's
// official slim image. It has no ca-certificates and no program that fetches but
// apt. In builds it is also known as debian:SUITE-slim and debian:SUITE.
func Base(t TB, suite string) *BaseImage {
	t.Helper()
	return publish(t, recipe{suite: suite}, suite+"-minbase", suite+"-slim", suite)
}

// Fetchers returns Base with curl, wget and git, still without a CA bundle. In
// builds it is also known as debian:SUITE-fetchers.
func Fetchers(t TB, suite string) *BaseImage {
	t.Helper()
	return publish(t, recipe{suite: suite, packages: []string{"curl", "wget", "git"}}, suite+"-fetchers")
}

// BaseWith returns Base with packages, which must not bring a CA bundle. In
// builds it is also known as debian:SUITE-NAME.
func BaseWith(t TB, suite, name string, packages ...string) *BaseImage {
	t.Helper()
	return publish(t, recipe{suite: suite, packages: packages}, suite+"-"+name)
}

// publish makes the base if the cache lacks it and pushes it as library/debian,
// or library/ubuntu, under tags. The first tag is that of the returned
// reference.
func publish(t TB, r recipe, tags ...string) *BaseImage {
	t.Helper()
	dir := must[string](t, "make a base")(r.make(t.Context(), time.Now()))
	path := must[layout.Path](t, "read a base")(layout.FromPath(dir))
	index := must[v1.ImageIndex](t, "read a base")(path.ImageIndex())
	manifest := must[*v1.IndexManifest](t, "read a base")(index.IndexManifest())
	img := must[v1.Image](t, "read a base")(index.Image(manifest.Manifests[0].Digest))
	reg := Registry(t)
	for _, tag := range tags {
		reg.Push(t, "library/"+r.distribution()+":"+tag, img)
	}
	return &BaseImage{Ref: reg.Ref("library/" + r.distribution() + ":" + tags[0]), Layout: dir, Image: img}
}

// recipe says what is in a base.
type recipe struct {
	suite    string
	packages []string // beyond minbase
	ubuntu   bool     // of Ubuntu, not Debian
	foreign  string   // architecture, if not this machine's
}

func (r recipe) architecture() string {
	if r.foreign != "" {
		return r.foreign
	}
	return runtime.GOARCH
}

func (r recipe) distribution() string {
	if r.ubuntu {
		return "ubuntu"
	}
	return "debian"
}

// make returns the folder of the base in the cache and builds it first if it
// isn't there. A base is good for the month (UTC) in which it was made; within
// it, the same packages give the same image.
func (r recipe) make(ctx context.Context, now time.Time) (string, error) {
	month := time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	name := strings.Join([]string{r.suite, month.Format("2006-01"), r.digest()}, "-")
	return setup.Keep(filepath.Join("bases", name), func(tmp string) (string, error) {
		root, layout := filepath.Join(tmp, "root.tar"), filepath.Join(tmp, "layout")
		if err := r.bootstrap(ctx, root, month); err != nil {
			return "", err
		}
		return layout, r.writeLayout(layout, root, month)
	})
}

// layoutVersion changes when writeLayout or withEmptyDev does.
const layoutVersion = 2

// digest names everything but the date that decides the content.
func (r recipe) digest() string {
	sum := sha256.New()
	fmt.Fprint(sum, layoutVersion, runtime.GOARCH, r, r.args("", ""), r.sources(), aptSettings)
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// bootstrap writes the base's root file system, without /dev, as a tar file.
func (r recipe) bootstrap(ctx context.Context, rootTar string, epoch time.Time) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("mmdebstrap needs root: run the tests by `make test`, or as root")
	}
	// Not in the cache: apt reads the keys as its own user.
	tmp, err := os.MkdirTemp("", "loopx-base-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := writeFile(tmp+"/sources", []byte(r.sources()), 0o644); err != nil {
		return err
	}
	if err := writeFile(tmp+"/settings", []byte(aptSettings), 0o644); err != nil {
		return err
	}
	if r.ubuntu {
		if err := writeUbuntuKeyring(ctx, tmp+"/keyring.gpg"); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "mmdebstrap", r.args(tmp, rootTar)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", epoch.Unix()))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mmdebstrap %s (is it installed? `make setup`): %w\n%s", r.suite, err, out)
	}
	return nil
}

// args are those of mmdebstrap. The last hook holds the promise that there is no
// CA bundle.
func (r recipe) args(tmp, rootTar string) []string {
	if r.foreign != "" {
		return append(foreignArgs(r, tmp), r.suite, rootTar)
	}
	args := []string{"--mode=root", "--variant=minbase", "--format=tar", "--skip=output/dev"}
	if len(r.packages) > 0 {
		args = append(args, "--include="+strings.Join(r.packages, ","))
	}
	hooks := []string{
		`rm "$1/etc/apt/sources.list"`,
		fmt.Sprintf("upload '%s/sources' '%s'", tmp, r.sourcesPath()),
		fmt.Sprintf("upload '%s/settings' /etc/apt/apt.conf.d/docker", tmp),
		`echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/docker"`, // no fsync, as in official images
		`test ! -e "$1/etc/ssl/certs/ca-certificates.crt"`,
	}
	for _, hook := range hooks {
		args = append(args, "--customize-hook="+hook)
	}
	if r.ubuntu {
		return append(append(args, ubuntuArgs(r.suite, tmp)...), r.suite, rootTar, ubuntuArchive)
	}
	return append(args, r.suite, rootTar)
}

// aptSettings has the effect of the settings in Docker's official images: no
// translations, compressed indexes, and no package kept after its installation.
const aptSettings = `Acquire::Languages "none";
Acquire::GzipIndexes "true";
APT::AutoRemove::SuggestsImportant "false";
APT::Keep-Downloaded-Packages "false";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`

// oneLine reports whether the suite's official image has one-line sources.
func (r recipe) oneLine() bool {
	return slices.Contains([]string{"bullseye", "xenial", "bionic", "focal", "jammy"}, r.suite)
}

func (r recipe) sourcesPath() string {
	if r.oneLine() {
		return "/etc/apt/sources.list"
	}
	return "/etc/apt/sources.list.d/" + r.distribution() + ".sources"
}

// sources is the apt source file in the shape of the official image of the suite:
// deb822 from bookworm and noble on, one-line before.
func (r recipe) sources() string {
	if r.ubuntu {
		return ubuntuSources(r.suite, r.oneLine())
	}
	form := `Types: deb
URIs: http://deb.debian.org/debian
Suites: %[1]s %[1]s-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://deb.debian.org/debian-security
Suites: %[1]s-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`
	if r.oneLine() {
		form = `deb http://deb.debian.org/debian %[1]s main
deb http://deb.debian.org/debian-security %[1]s-security main
deb http://deb.debian.org/debian %[1]s-updates main
`
	}
	return fmt.Sprintf(form, r.suite)
}

// withEmptyDev reads the tar file with an empty folder /dev put before it:
// Docker's official images have one, and mmdebstrap leaves out either nothing of
// /dev or all of it.
func withEmptyDev(rootTar string, epoch time.Time) tarball.Opener {
	return func() (io.ReadCloser, error) {
		var dev bytes.Buffer
		if err := tar.NewWriter(&dev).WriteHeader(&tar.Header{
			Typeflag: tar.TypeDir, Name: "dev/", Mode: 0o755, ModTime: epoch, Format: tar.FormatUSTAR,
		}); err != nil {
			return nil, err
		}
		f, err := os.Open(rootTar)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(&dev, f), f}, nil
	}
}

// writeLayout makes a one-layer image of the tar file and writes it to dir.
func (r recipe) writeLayout(dir, rootTar string, epoch time.Time) error {
	layer, err := tarball.LayerFromOpener(withEmptyDev(rootTar, epoch), tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: epoch}
	img, err = mutate.Append(img, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: created, CreatedBy: "mmdebstrap " + r.suite},
	})
	if err != nil {
		return err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = created, "linux", r.architecture()
	config.Config.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	config.Config.Cmd = []string{"bash"}
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return err
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendImage(img, layout.WithPlatform(v1.Platform{OS: "linux", Architecture: r.architecture()}))
}
