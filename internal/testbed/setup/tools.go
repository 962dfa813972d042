package setup

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Tool returns the path of a tool built by BuildTools. The error of a missing
// one says what to do.
func Tool(name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := toolsDir(root)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, name)
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("%s is not built (%s): run `make setup`", name, bin)
	}
	return bin, nil
}

// BuildTools builds every tool that tools/go.mod names and the cache lacks, and
// says on w what it does. It returns their folder. Two processes may call it at
// the same time: the second waits for the first.
func BuildTools(ctx context.Context, w io.Writer) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir, err := toolsDir(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := Lock(filepath.Join(dir, ".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	pkgs, err := toolPackages(ctx, root)
	if err != nil {
		return "", err
	}
	for i, pkg := range pkgs {
		if err := buildTool(ctx, w, root, pkg, filepath.Join(dir, path.Base(pkg)), fmt.Sprintf("[%d/%d]", i+1, len(pkgs))); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(w, "tools: all %d there\n", len(pkgs))
	return dir, nil
}

// toolPackages lists the packages of the tool directives in tools/go.mod.
func toolPackages(ctx context.Context, root string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}}", "tool")
	cmd.Dir, cmd.Stderr = filepath.Join(root, "tools"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tools of tools/go.mod: %w", err)
	}
	return slices.Sorted(strings.FieldsSeq(string(out))), nil
}

// buildTool builds pkg as bin unless bin exists. The binary appears under its
// name only when it is complete.
func buildTool(ctx context.Context, w io.Writer, root, pkg, bin, step string) error {
	if _, err := os.Stat(bin); err == nil {
		return nil
	}
	name := filepath.Base(bin)
	fmt.Fprintf(w, "tools: %s building %s (once; the big ones take minutes)\n", step, name)
	start := time.Now()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin+".tmp", pkg)
	cmd.Dir = filepath.Join(root, "tools")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w", pkg, err)
	}
	fmt.Fprintf(w, "tools: %s built %s in %s\n", step, name, time.Since(start).Round(time.Second))
	return os.Rename(bin+".tmp", bin)
}
