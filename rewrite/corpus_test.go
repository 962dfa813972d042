package rewrite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// corpusFile is one Dockerfile of the corpus that the laws are checked over.
type corpusFile struct {
	name string
	text []byte
}

// buildkitDir is the folder of the BuildKit module that is built against.
var buildkitDir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/moby/buildkit").Output()
	return strings.TrimSpace(string(out)), err
})

// buildkitFiles are the Dockerfiles that BuildKit's own parser is tested with.
func buildkitFiles(tb testing.TB) []corpusFile {
	tb.Helper()
	dir, err := buildkitDir()
	if err != nil {
		tb.Fatal(err)
	}
	var out []corpusFile
	for _, pattern := range []string{"testfiles/*/Dockerfile", "testfiles-negative/*/Dockerfile", "testfile-line/Dockerfile"} {
		names, err := filepath.Glob(filepath.Join(dir, "frontend/dockerfile/parser", pattern))
		if err != nil || len(names) == 0 {
			tb.Fatalf("no files match %s (%v)", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, corpusFile{"buildkit/" + filepath.Base(filepath.Dir(name)), text})
		}
	}
	return out
}

// goldenFiles are the Dockerfiles of the goldens, before and after.
func goldenFiles(tb testing.TB) []corpusFile {
	tb.Helper()
	var out []corpusFile
	for _, name := range goldens(tb) {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "Dockerfile" || f.Name == "want" {
				out = append(out, corpusFile{filepath.Base(name) + "/" + f.Name, f.Data})
			}
		}
	}
	return out
}

func goldens(tb testing.TB) []string {
	tb.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no goldens (%v)", err)
	}
	return names
}

// rowFiles are the Dockerfiles of the Go tables: line endings, byte order
// marks and missing last newlines, which a text file can't be trusted with.
func rowFiles() []corpusFile {
	var out []corpusFile
	for _, row := range byteRows {
		out = append(out, corpusFile{"row/" + row.name, []byte(row.src)})
	}
	return out
}

func corpus(tb testing.TB) []corpusFile {
	tb.Helper()
	return append(append(buildkitFiles(tb), goldenFiles(tb)...), rowFiles()...)
}
