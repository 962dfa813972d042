package manifest_test

import (
	"fmt"
	"testing/fstest"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

// A project's declarations, each with its place and what it admits.
func Example() {
	fsys := fstest.MapFS{
		"pyproject.toml": {Data: []byte("[build-system]\nrequires = [\"setuptools>=70\"]\n")},
		"Dockerfile":     {Data: []byte("FROM python\nRUN pip install setuptools>=83.0.0\n")},
	}
	found := manifest.Discover(fsys, ".", manifest.Find{})
	for _, q := range manifest.ReadAll(fsys, found.Files, manifest.Options{}).Requirements {
		at := q.Span.Start
		fmt.Printf("%s:%d:%d %s %s admits %s", q.File, at.Line, at.Column, q.Table, q.Name, q.Admits[0].Set())
		if q.Lost.Text != "" {
			fmt.Printf(", and the shell has taken %s", q.Lost.Text)
		}
		fmt.Println()
	}
	// Output:
	// Dockerfile:2:17 pip install setuptools admits every version, and the shell has taken >=83.0.0
	// pyproject.toml:2:14 build-system.requires setuptools admits [70, ∞)
}
