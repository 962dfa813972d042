package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/rewrite"
)

// BenchmarkCheck plans 10,000 Dockerfiles, on all processors: BuildKit's own
// testfiles, the goldens of package rewrite and the cases here, over and over.
// The bar is 10 s on two processors.
func BenchmarkCheck(b *testing.B) {
	files := dockerfiles(b)
	const total = 10_000
	for b.Loop() {
		var wg sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for w := range workers {
			wg.Go(func() {
				for i := w; i < total; i += workers {
					_, _ = rewrite.New(files[i%len(files)], rewrite.Config{}) // some are meant not to parse
				}
			})
		}
		wg.Wait()
	}
	b.ReportMetric(float64(len(files)), "different")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/10000")
}

func dockerfiles(b *testing.B) [][]byte {
	b.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/moby/buildkit").Output()
	if err != nil {
		b.Fatal(err)
	}
	var files [][]byte
	names, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "frontend/dockerfile/parser/testfiles/*/Dockerfile"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, text)
	}
	archives, _ := filepath.Glob("../testdata/*.txtar")
	cases, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range append(archives, cases...) {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "Dockerfile" || f.Name == "good" || f.Name == "bad" {
				files = append(files, f.Data)
			}
		}
	}
	if len(files) < 100 {
		b.Fatalf("only %d files", len(files))
	}
	return files
}
