// Command mkimage builds the frontend image from this checkout, without docker
// and without a base image, and pushes it to a registry or writes it to disk.
// `make image` runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

const usage = `mkimage builds the frontend image from this checkout.

    mkimage -push registry.example.com/loopx-frontend:1   push to a registry, with docker's credentials
    mkimage -oci DIR                                      write an OCI image layout
    mkimage -tar FILE                                     write an OCI archive (docker load, skopeo)

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
	push, oci, tar    string
	insecure          bool
	platforms         string
	version, revision string
}

// run builds the image, sends it where args say, and prints its digest.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("mkimage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	flags.StringVar(&o.push, "push", "", "image `reference` to push to")
	flags.BoolVar(&o.insecure, "insecure", false, "push in clear text; loopback registries always are")
	flags.StringVar(&o.oci, "oci", "", "`folder` for an OCI image layout; must not exist")
	flags.StringVar(&o.tar, "tar", "", "`file` for an OCI archive")
	flags.StringVar(&o.platforms, "platforms", "linux/amd64,linux/arm64", "platforms, comma-separated")
	flags.StringVar(&o.version, "version", "", "version to build in (default: from git)")
	flags.StringVar(&o.revision, "revision", "", "revision to build in (default: from git)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case o.push == "" && o.oci == "" && o.tar == "":
		return errors.New("nowhere to go: give -push, -oci or -tar")
	}
	index, err := build(ctx, o)
	if err != nil {
		return err
	}
	if err := deliver(ctx, o, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, digest)
	return nil
}

func build(ctx context.Context, o options) (v1.ImageIndex, error) {
	root, err := setup.Root()
	if err != nil {
		return nil, err
	}
	created, err := sourceDate(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "mkimage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if o.version == "" {
		o.version = git(ctx, root, "devel", "describe", "--tags", "--always", "--dirty")
	}
	if o.revision == "" {
		o.revision = git(ctx, root, "unknown", "rev-parse", "HEAD")
	}
	program := image.Frontend(root, o.version, o.revision)
	spec := image.Spec{
		Binaries:   map[string]string{},
		Entrypoint: image.Entrypoint,
		Labels:     image.Labels(o.version, o.revision),
		Created:    created,
	}
	for platform := range strings.SplitSeq(o.platforms, ",") {
		out := filepath.Join(tmp, strings.ReplaceAll(platform, "/", "-"))
		if err := errors.Join(program.Compile(ctx, platform, out), image.CheckSize(out)); err != nil {
			return nil, err
		}
		spec.Binaries[platform] = out
	}
	return spec.Index()
}

// sourceDate reads SOURCE_DATE_EPOCH (seconds since 1970, see
// reproducible-builds.org/specs/source-date-epoch); empty is 1970 itself.
func sourceDate(value string) (time.Time, error) {
	if value == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a number of seconds", value)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// git asks git, and answers fallback where there is no repository or no commit.
func git(ctx context.Context, root, fallback string, args ...string) string {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return fallback
	}
	return strings.TrimSpace(string(out))
}

func deliver(ctx context.Context, o options, index v1.ImageIndex) error {
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
