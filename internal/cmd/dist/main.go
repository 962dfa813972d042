// Command dist makes the files of a release from this checkout: loopxctl for
// several platforms, the frontend's image as an OCI archive, a bill of materials,
// the licences of what is built in, and checksums. `make dist` runs it. The same
// source, Go release and version give the same bytes.
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
	"regexp"
	"strings"
	"time"

	"github.com/distribution/reference"

	"github.com/loopx/loopx-frontend/frontend/mount"
	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

const usage = `dist makes the files of a release from this checkout.

    dist -version v1.2.3                            all platforms, into ./dist
    dist -image registry.example.com/loopx-frontend  the same, and loopxctl knows from where its
                                                    builds pull the frontend's image, by digest

Times in the files are SOURCE_DATE_EPOCH, else that of the last commit.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is what is made.
type release struct {
	root      string   // of the checkout
	out       string   // folder for the files
	version   string   // as it is in the names of files
	revision  string   // commit
	repo      string   // that the image will be pushed to; "" if nobody said
	platforms []string // of loopxctl
	frontends string   // platforms of the image, with commas
	targets   string   // platforms of RUNs, with commas
	time      time.Time
	progress  io.Writer
}

// run does what args say.
func run(ctx context.Context, args []string, progress io.Writer) error {
	r := release{progress: progress}
	var platforms string
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.Usage = func() { fmt.Fprint(progress, usage); flags.PrintDefaults() }
	flags.StringVar(&r.out, "out", "dist", "`folder` for the files; an earlier release's is replaced")
	flags.StringVar(&r.version, "version", "", "version to build in (default: from git)")
	flags.StringVar(&r.repo, "image", "", "`reference`, with or without a tag, that the image will be pushed to")
	flags.StringVar(&platforms, "platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "platforms of loopxctl, comma-separated")
	flags.StringVar(&r.frontends, "frontends", "linux/amd64,linux/arm64", "platforms of the frontend's image, comma-separated")
	flags.StringVar(&r.targets, "targets", strings.Join(mount.Platforms(), ","), "platforms of RUNs that the image has apt's method for, comma-separated")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag; dist -help lists them", flags.Arg(0))
	}
	r.platforms = strings.Split(platforms, ",")
	if err := r.complete(ctx); err != nil {
		return err
	}
	return r.make(ctx)
}

// complete checks what the flags say, and asks git for the rest.
func (r *release) complete(ctx context.Context) (err error) {
	if r.root, err = setup.Root(); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	r.version = cmp.Or(r.version, image.Git(ctx, r.root, "describe", "--tags", "--always", "--dirty"), "devel")
	r.revision = cmp.Or(image.Git(ctx, r.root, "rev-parse", "HEAD"), "unknown")
	if !regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._+-]*$`).MatchString(r.version) {
		return fmt.Errorf("-version %q: it is a part of file names, so it has letters, digits and ._+- only", r.version)
	}
	for _, platform := range r.platforms {
		if system, cpu, found := strings.Cut(platform, "/"); !found || system == "" || cpu == "" || strings.Contains(cpu, "/") {
			return fmt.Errorf("-platforms: %q is no platform such as linux/amd64", platform)
		}
	}
	if r.repo != "" {
		if _, err := reference.ParseNormalizedNamed(r.repo); err != nil || strings.Contains(r.repo, "@") {
			return fmt.Errorf("-image %q is no reference without a digest, such as registry.example.com/loopx-frontend", r.repo)
		}
	}
	r.time, err = image.SourceDate(cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), image.Git(ctx, r.root, "log", "-1", "--format=%ct"), "0"))
	return err
}
