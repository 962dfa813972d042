package image_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/internal/image"
	"github.com/loopx/loopx-frontend/internal/testbed/setup"
)

// The Dockerfile says the same as this package.
func TestDockerfileAgrees(t *testing.T) {
	t.Parallel()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	stages, args := dockerfile(t, root)
	last := stages[len(stages)-1]
	labels := map[string]string{}
	var copies []string
	for _, cmd := range last.Commands {
		switch c := cmd.(type) {
		case *instructions.LabelCommand:
			for _, kv := range c.Labels {
				labels[kv.Key] = unquote(kv.Value)
			}
		case *instructions.EntrypointCommand:
			if diff := cmp.Diff([]string{image.Entrypoint}, []string(c.CmdLine)); diff != "" {
				t.Errorf("entry point (-want +got):\n%s", diff)
			}
		case *instructions.CopyCommand:
			copies = append(copies, strings.Join([]string{c.From, c.SourcePaths[0], c.DestPath}, " "))
		}
	}
	if diff := cmp.Diff(image.Labels("$VERSION", "$REVISION"), labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	// The program is last: the layer below it stays from release to release.
	if diff := cmp.Diff([]string{"mount /out/ /", "build /out/ /"}, copies); diff != "" {
		t.Errorf("copies (-want +got):\n%s", diff)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if release := args[0].Args[0].ValueString(); !bytes.Contains(gomod, []byte("\ngo "+release+"\n")) {
		t.Errorf("the Dockerfile builds with Go %s, go.mod says another", release)
	}
}

// What RUNs are given is written by the program that writes it for this
// package's image, for all targets, once for all platforms of the frontend.
func TestDockerfileMount(t *testing.T) {
	t.Parallel()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	stages, _ := dockerfile(t, root)
	i := slices.IndexFunc(stages, func(s instructions.Stage) bool { return s.Name == "mount" })
	if i < 0 || len(stages[i].Commands) != 1 {
		t.Fatal("there is no stage mount with one instruction")
	}
	run, ok := stages[i].Commands[0].(*instructions.RunCommand)
	if !ok || !strings.HasSuffix(strings.Join(run.CmdLine, " "), "go run ./internal/cmd/mkimage -mount /out") {
		t.Errorf("the stage's instruction is %v", stages[i].Commands[0])
	}
}

func dockerfile(t *testing.T, root string) ([]instructions.Stage, []instructions.ArgCommand) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	ast, err := parser.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	stages, args, err := instructions.Parse(ast.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages, args
}

func unquote(s string) string { return strings.Trim(s, `"`) }
