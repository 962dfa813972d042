package manifest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

// writeProjects makes a tree of manifests of all kinds with twenty requirements
// each.
func writeProjects(b *testing.B, n int) fs.FS {
	b.Helper()
	root := b.TempDir()
	for i := range n {
		name, text := benchManifest(i)
		name = filepath.Join(root, fmt.Sprintf("p%d", i), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return os.DirFS(root)
}

func benchManifest(i int) (name, text string) {
	var lines []string
	for k := range 20 {
		lines = append(lines, fmt.Sprintf("package-%d[extra]>=1.%d,!=2.%d.*,<3; python_version >= \"3.9\"", i*20+k, k, k))
	}
	quoted := "'" + strings.Join(lines, "',\n  '") + "'"
	switch i % 5 {
	case 0:
		return "requirements.txt", strings.Join(lines, "\n") + "\n"
	case 1:
		return "pyproject.toml", "[build-system]\nrequires = []\n[project]\nname = \"p\"\ndependencies = [\n  " + quoted + "\n]\n"
	case 2:
		return "setup.cfg", "[options]\ninstall_requires =\n    " + strings.Join(lines, "\n    ") + "\n"
	case 3:
		var b strings.Builder
		for k := range 20 {
			fmt.Fprintf(&b, "[[package]]\nname = \"package-%d\"\nversion = \"1.%d.0\"\nsource = { registry = \"https://pypi.org/simple\" }\n", k, k)
			b.WriteString("wheels = [\n  { url = \"https://e.com/a.whl\", hash = \"sha256:0123456789\", size = 12 },\n]\n\n")
		}
		return "uv.lock", b.String()
	}
	return "Dockerfile", "FROM python:3.13\nRUN pip install --no-cache-dir \\\n  " + strings.ReplaceAll(quoted, ",\n", " \\\n") + "\n"
}

// BenchmarkReadAll discovers and reads 1,000 manifests with 20,000
// requirements; each op is all of them.
func BenchmarkReadAll(b *testing.B) {
	fsys := writeProjects(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		found := manifest.Discover(fsys, ".", manifest.Find{})
		got := manifest.ReadAll(fsys, found.Files, manifest.Options{})
		if len(got.Requirements) != 20_000 || len(got.Errors) > 0 {
			b.Fatalf("%d files, %d requirements, %v", len(found.Files), len(got.Requirements), got.Errors)
		}
	}
}

// BenchmarkRead reads one manifest of each kind.
func BenchmarkRead(b *testing.B) {
	for i := range 5 {
		name, text := benchManifest(i)
		fsys := one(name, text)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := manifest.Read(fsys, name, manifest.Options{}); len(got.Requirements) != 20 {
					b.Fatal(show(got))
				}
			}
		})
	}
}
