package docs_test

import (
	gobuild "go/build"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPackages holds that docs/architecture.md lists each package that has code, once.
func TestPackages(t *testing.T) {
	p := readPage(t, "docs/architecture.md")
	s := sectionOf(t, p, "Packages and imports")
	var listed []string
	line := regexp.MustCompile(`^    (\S+)  `)
	for _, text := range p.lines[s.from:s.to] {
		if m := line.FindStringSubmatch(text); m != nil {
			listed = append(listed, strings.Replace(m[1], "…", "cmd/loopxctl", 1))
		}
	}
	slices.Sort(listed)

	var have []string
	root := repository(t)
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "testdata" || d.Name() == "tools" || dir != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		if pkg, err := gobuild.ImportDir(dir, 0); err == nil && len(pkg.GoFiles) > 0 {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				return err
			}
			have = append(have, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(have)
	if diff := cmp.Diff(have, listed); diff != "" {
		t.Errorf("packages (-there +%s):\n%s", p.path, diff)
	}
}
