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

// toolModules are the folders of the modules that name tools. actionlint is in one
// of its own: it does not compile with the YAML package that buildx needs.
func toolModules() []string { return []string{"tools", "tools/actionlint"} }

// BuildTools builds every tool that these modules name and the cache lacks, and
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
	var all []tool
	for _, module := range toolModules() {
		pkgs, err := toolPackages(ctx, filepath.Join(root, module))
		if err != nil {
			return "", err
		}
		all = append(all, pkgs...)
	}
	for i, t := range all {
		if err := t.build(ctx, w, filepath.Join(dir, path.Base(t.pkg)), fmt.Sprintf("[%d/%d]", i+1, len(all))); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(w, "tools: all %d there\n", len(all))
	return dir, nil
}

// tool is a package of a program, and the folder of the module that pins it.
type tool struct{ pkg, module string }

// toolPackages lists the packages of the tool directives of a module.
func toolPackages(ctx context.Context, module string) ([]tool, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}}", "tool")
	cmd.Dir, cmd.Stderr = module, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tools of %s: %w", filepath.Join(module, "go.mod"), err)
	}
	var all []tool
	for _, pkg := range slices.Sorted(strings.FieldsSeq(string(out))) {
		all = append(all, tool{pkg, module})
	}
	return all, nil
}

// build builds the program as bin unless bin exists. The binary appears under its
// name only when it is complete.
func (t tool) build(ctx context.Context, w io.Writer, bin, step string) error {
	if _, err := os.Stat(bin); err == nil {
		return nil
	}
	name := filepath.Base(bin)
	fmt.Fprintf(w, "tools: %s building %s (once; the big ones take minutes)\n", step, name)
	start := time.Now()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin+".tmp", t.pkg)
	cmd.Dir = t.module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w", t.pkg, err)
	}
	fmt.Fprintf(w, "tools: %s built %s in %s\n", step, name, time.Since(start).Round(time.Second))
	return os.Rename(bin+".tmp", bin)
}
