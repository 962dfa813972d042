package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// MaxBinary is the most that the frontend's binary may weigh, in bytes: 25 MB.
// BuildKit v0.34.2's own, built the same way, has 20.0 MB.
const MaxBinary = 25_000_000

// Program is a main package to compile for an image.
type Program struct {
	// Root is the folder of the module in which the package is resolved.
	Root string
	// Package is its import path, or a path relative to Root that begins with "./".
	Package string
	// Variables are string variables for the linker to set: "main.version" to value.
	Variables [][2]string
}

// Frontend returns the program of this project's own frontend image, for the
// checkout at root.
func Frontend(root, version, revision string) Program {
	return Program{Root: root, Package: "./cmd/loopx-frontend", Variables: [][2]string{
		{"main.version", version}, {"main.revision", revision},
	}}
}

// Stock returns the program of BuildKit's own frontend image, in the version
// that the go.mod at root names.
func Stock(root string) Program {
	return Program{Root: root, Package: "github.com/moby/buildkit/frontend/dockerfile/cmd/dockerfile-frontend"}
}

// Compile builds the program for a platform ("linux/arm64") as the file out:
// static, stripped, and free of this machine's paths.
func (p Program) Compile(ctx context.Context, platform, out string) error {
	target, err := v1.ParsePlatform(platform)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", p.ldflags(), "-o", out, p.Package)
	cmd.Dir = p.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+target.OS, "GOARCH="+target.Architecture)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s for %s: %w\n%s", p.Package, platform, err, output)
	}
	return nil
}

func (p Program) ldflags() string {
	flags := []string{"-s", "-w"}
	for _, v := range p.Variables {
		flags = append(flags, fmt.Sprintf("-X '%s=%s'", v[0], v[1]))
	}
	return strings.Join(flags, " ")
}

// CheckSize returns an error if the file is larger than MaxBinary.
func CheckSize(binary string) error {
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	if info.Size() > MaxBinary {
		return fmt.Errorf("%s has %d bytes, more than %d", filepath.Base(binary), info.Size(), MaxBinary)
	}
	return nil
}
