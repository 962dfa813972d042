package image

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Limits on compiled programs, in bytes.
const (
	// MaxBinary is the most that the frontend's binary may weigh. BuildKit
	// v0.34.2's own, built the same way, has 20.0 MB.
	MaxBinary = 25_000_000
	// MaxMethod is the most that apt's method may weigh: the image has one for
	// every platform that a RUN may be of.
	MaxMethod = 8_000_000
)

// Program is a main package to compile for an image.
type Program struct {
	// Root is the folder of the module in which the package is resolved.
	Root string
	// Package is its import path, or a path relative to Root that begins with "./".
	Package string
	// Variables are string variables for the linker to set: "main.version" to value.
	Variables [][2]string
	// Go is the Go release to compile with, "go1.26.8", which the go command
	// downloads if it is another one; empty is the go command's own.
	Go string
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

// Method returns apt's acquire method, for the checkout at root. Its bytes are
// part of the cache keys of RUNs: it has no version in it, and is compiled by
// the Go release that go.mod names whatever Go is installed.
func Method(root string) (Program, error) {
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Program{}, err
	}
	release := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(gomod)
	if release == nil {
		return Program{}, fmt.Errorf("%s/go.mod names no Go release", root)
	}
	return Program{Root: root, Package: "./cmd/loopx-apt", Go: "go" + string(release[1])}, nil
}

// Compile builds the program for a platform ("linux/arm64", "linux/arm/v7") as
// the file out: static, stripped, and free of this machine's paths and of its
// settings for the go command.
func (p Program) Compile(ctx context.Context, platform, out string) error {
	target, err := v1.ParsePlatform(platform)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", p.ldflags(), "-o", out, p.Package)
	cmd.Dir = p.Root
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false",
		"CGO_ENABLED=0", "GOOS="+target.OS, "GOARCH="+target.Architecture)
	cmd.Env = append(cmd.Env, cpu(*target)...)
	if p.Go != "" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+p.Go)
	}
	noteSources(p.Root)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s for %s: %w\n%s", p.Package, platform, err, output)
	}
	return nil
}

// noteSources looks at the files that programs are compiled from. The go command
// keeps the results of tests, and runs a test again when a file that the test's
// own process looked at has changed: what a compiler reads it does not see.
func noteSources(root string) {
	for _, name := range []string{"go.mod", "go.sum", "cmd", "frontend", "rewrite"} {
		_ = filepath.WalkDir(filepath.Join(root, name), func(path string, _ fs.DirEntry, err error) error {
			_, _ = os.Stat(path)
			return nil
		})
	}
}

// cpu returns the variable that says which CPUs of the architecture the program
// runs on: those of the variant, else all that Go supports (for arm, v7, which is
// what containerd's platforms.Normalize makes of it). See `go help environment`.
func cpu(p v1.Platform) []string {
	variant := func(fallback string) string {
		if p.Variant == "" {
			return fallback
		}
		return p.Variant
	}
	switch p.Architecture {
	case "386":
		return []string{"GO386=sse2"}
	case "amd64":
		return []string{"GOAMD64=" + variant("v1")}
	case "arm":
		return []string{"GOARM=" + strings.TrimPrefix(variant("v7"), "v")}
	case "arm64":
		return []string{"GOARM64=v8.0"}
	case "mips64le":
		return []string{"GOMIPS64=hardfloat"}
	case "ppc64le":
		return []string{"GOPPC64=power8"}
	case "riscv64":
		return []string{"GORISCV64=rva20u64"}
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

// CheckSize returns an error if the file has more bytes than most.
func CheckSize(binary string, most int64) error {
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	if info.Size() > most {
		return fmt.Errorf("%s has %d bytes, more than %d", filepath.Base(binary), info.Size(), most)
	}
	return nil
}
