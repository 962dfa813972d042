// Command mkimage builds the frontend image from this checkout, without docker
// and without a base image, and pushes it to a registry or writes it to disk.
// `make image` runs it. It also writes parts of it: what RUNs are given, for the
// Dockerfile at the root of the repository, and the lock on that.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

const usage = `mkimage builds the frontend image from this checkout.

    mkimage -push registry.example.com/loopx-frontend:1   push to a registry, with docker's credentials
    mkimage -oci DIR                                      write an OCI image layout
    mkimage -tar FILE                                     write an OCI archive (docker load, skopeo)

The image runs on the platforms of -platforms, those of the machines that build.
For RUNs it has apt's method, compiled for each of -targets, and certificates:

    mkimage -push localhost:5000/loopx-frontend:dev -platforms linux/amd64 -targets linux/amd64
                                                          a quick one, for this machine alone
    mkimage -mount DIR                                    write only what RUNs are given, as DIR/loopx
    mkimage -lock                                         write frontend/mount/lock.tsv, after a change of
                                                          what RUNs are given

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mkimage:", err)
		os.Exit(1)
	}
}

type options struct {
	push, oci, tar     string
	mount              string
	lock               bool
	insecure           bool
	platforms, targets string
	version, revision  string
}

// image reports whether the options ask for an image.
func (o options) image() bool { return o.push != "" || o.oci != "" || o.tar != "" }

// run does what args say. Of an image it prints the digest to stdout.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("mkimage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	flags.StringVar(&o.push, "push", "", "image `reference` to push to")
	flags.BoolVar(&o.insecure, "insecure", false, "push in clear text; loopback registries always are")
	flags.StringVar(&o.oci, "oci", "", "`folder` for an OCI image layout; must not exist")
	flags.StringVar(&o.tar, "tar", "", "`file` for an OCI archive")
	flags.StringVar(&o.mount, "mount", "", "`folder` for what RUNs are given")
	flags.BoolVar(&o.lock, "lock", false, "write the lock on what RUNs are given; it is of all targets")
	flags.StringVar(&o.platforms, "platforms", "linux/amd64,linux/arm64", "platforms that the frontend runs on, comma-separated")
	flags.StringVar(&o.targets, "targets", strings.Join(mount.Platforms(), ","), "platforms of RUNs that apt's method is compiled for, comma-separated")
	flags.StringVar(&o.version, "version", "", "version to build in (default: from git)")
	flags.StringVar(&o.revision, "revision", "", "revision to build in (default: from git)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag; mkimage -help lists them", flags.Arg(0))
	case !o.image() && o.mount == "" && !o.lock:
		return errors.New("nothing to do: give -push, -oci, -tar, -mount or -lock (to make: IMAGE=, OCI= or TAR=); mkimage -help tells more")
	}
	return o.make(ctx, stdout, stderr)
}

// make makes what RUNs are given, then what the options ask for.
func (o options) make(ctx context.Context, stdout, stderr io.Writer) error {
	root, err := setup.Root()
	if err != nil {
		return err
	}
	created, err := image.SourceDate(cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), "0"))
	if err != nil {
		return err
	}
	for platform := range strings.SplitSeq(o.platforms, ",") {
		if _, err := v1.ParsePlatform(platform); err != nil {
			return err
		}
	}
	folders, err := o.folders(ctx, root, stderr)
	if err != nil {
		return err
	}
	if o.mount != "" {
		if err := image.WriteTree(o.mount, folders); err != nil {
			return err
		}
	}
	if !o.image() {
		return nil
	}
	index, err := o.index(ctx, root, created, folders, stderr)
	if err != nil {
		return err
	}
	if err := o.deliver(ctx, index); err != nil {
		return err
	}
	if err := summary(stderr, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, digest)
	return nil
}

// folders makes what RUNs of the targets are given. It agrees with the lock, or
// the lock is written.
func (o options) folders(ctx context.Context, root string, stderr io.Writer) ([]image.Folder, error) {
	method, err := image.Method(root)
	if err != nil {
		return nil, err
	}
	targets := image.Targets{Method: method, Platforms: strings.Split(o.targets, ","), Progress: func(platform string) {
		fmt.Fprintln(stderr, "mkimage: compiling apt's method for", platform)
	}}
	if o.lock {
		targets.Platforms = mount.Platforms()
	}
	folders, err := targets.Folders(ctx)
	if err != nil {
		return nil, err
	}
	if o.lock {
		return folders, image.WriteLock(root, image.LockOf(method.Go, folders))
	}
	return folders, image.CheckLock(folders)
}

// index compiles the frontend and puts the image together.
func (o options) index(ctx context.Context, root string, created time.Time, folders []image.Folder, stderr io.Writer) (v1.ImageIndex, error) {
	tmp, err := os.MkdirTemp("", "mkimage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if o.version == "" {
		o.version = cmp.Or(image.Git(ctx, root, "describe", "--tags", "--always", "--dirty"), "devel")
	}
	if o.revision == "" {
		o.revision = cmp.Or(image.Git(ctx, root, "rev-parse", "HEAD"), "unknown")
	}
	program := image.Frontend(root, o.version, o.revision)
	spec := image.Spec{
		Binaries:   map[string]string{},
		Folders:    folders,
		Entrypoint: image.Entrypoint,
		Labels:     image.Labels(o.version, o.revision),
		Created:    created,
	}
	for platform := range strings.SplitSeq(o.platforms, ",") {
		fmt.Fprintln(stderr, "mkimage: compiling the frontend for", platform)
		out := filepath.Join(tmp, strings.ReplaceAll(platform, "/", "-"))
		if err := errors.Join(program.Compile(ctx, platform, out), image.CheckSize(out, image.MaxBinary)); err != nil {
			return nil, err
		}
		spec.Binaries[platform] = out
	}
	return spec.Index()
}

// summary says what a machine of each platform downloads.
func summary(w io.Writer, index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, desc := range manifest.Manifests {
		img, err := index.Image(desc.Digest)
		if err != nil {
			return err
		}
		m, err := img.Manifest()
		if err != nil {
			return err
		}
		var total, program int64
		for _, layer := range m.Layers {
			total, program = total+layer.Size, layer.Size
		}
		fmt.Fprintf(w, "mkimage: %s: %.1f MB compressed, %.1f MB of it the frontend\n", desc.Platform, float64(total)/1e6, float64(program)/1e6)
	}
	return nil
}

// deliver sends the image where the options say.
func (o options) deliver(ctx context.Context, index v1.ImageIndex) error {
	var errs []error
	if o.push != "" {
		errs = append(errs, image.Push(ctx, o.push, o.insecure, index))
	}
	if o.oci != "" {
		errs = append(errs, image.WriteLayout(o.oci, index))
	}
	if o.tar != "" {
		errs = append(errs, image.WriteArchive(o.tar, index))
	}
	return errors.Join(errs...)
}
