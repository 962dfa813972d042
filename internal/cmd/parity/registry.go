package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// registryName is the name by which the tests start a registry, as
// "registry serve CONFIG".
const registryName = "registry"

// layoutName is the folder beside CONFIG with images to serve from the start, as
// an OCI image layout: annotationRef tells the name of each.
const layoutName = "layout"

const annotationRef = "org.opencontainers.image.ref.name"

// registryMain serves an image registry from memory on a port of 127.0.0.1, until
// it is killed. It stands in for the program of that name from the distribution
// project, of which the tests use the command line and one line on stderr.
func registryMain(args []string, stderr io.Writer) int {
	if len(args) != 2 || args[0] != "serve" {
		fmt.Fprintln(stderr, "usage: registry serve CONFIG")
		return exitTrouble
	}
	if err := serveRegistry(filepath.Join(filepath.Dir(args[1]), layoutName), stderr); err != nil {
		fmt.Fprintln(stderr, "registry:", err)
		return exitTrouble
	}
	return exitEqual
}

func serveRegistry(images string, stderr io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	quiet := log.New(io.Discard, "", 0)
	server := &http.Server{ErrorLog: quiet, Handler: registry.New(registry.Logger(quiet), registry.WithReferrersSupport(true))}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	if err := pushLayout(l.Addr().String(), images); err != nil {
		return err
	}
	// The form of the distribution project's line.
	fmt.Fprintf(stderr, "level=info msg=\"listening on %s\"\n", l.Addr())
	return <-failed
}

// pushLayout pushes the images of a layout to host. It is no error if there is no
// layout.
func pushLayout(host, dir string) error {
	index, err := layout.ImageIndexFromPath(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, desc := range manifest.Manifests {
		img, err := index.Image(desc.Digest)
		if err != nil {
			return err
		}
		if err := push(host+"/"+desc.Annotations[annotationRef], img); err != nil {
			return err
		}
	}
	return nil
}

func push(reference string, img v1.Image) error {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return err
	}
	return remote.Write(ref, img, remote.WithContext(context.Background()))
}
