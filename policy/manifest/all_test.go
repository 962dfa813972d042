package manifest_test

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

// TestReadAllIsOrdered holds that the result doesn't depend on which file is
// read first.
func TestReadAllIsOrdered(t *testing.T) {
	fsys := fstest.MapFS{
		"Dockerfile":       &fstest.MapFile{Data: []byte("FROM x\nCOPY . .\nRUN pip install -r base.txt -r requirements.txt\n")},
		"base.txt":         &fstest.MapFile{Data: []byte("base\n")},
		"requirements.txt": &fstest.MapFile{Data: []byte("-r base.txt\na\nb =\n")},
		"pyproject.toml":   &fstest.MapFile{Data: []byte("[project]\nname='x'\ndependencies=['z','y']\n")},
	}
	files := manifest.Discover(fsys, ".", manifest.Find{}).Files
	want := show(manifest.ReadAll(fsys, files, manifest.Options{}))
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	for range 3 {
		if diff := cmp.Diff(want, show(manifest.ReadAll(fsys, files, manifest.Options{}))); diff != "" {
			t.Errorf("(-2 processors +1):\n%s", diff)
		}
	}
	if got := manifest.ReadAll(fsys, nil, manifest.Options{}); len(got.Requirements)+len(got.Errors) > 0 {
		t.Errorf("no files give %s", show(got))
	}
}

// TestIncludedInACircle holds that files which include each other are errors,
// though each is a part of the other.
func TestIncludedInACircle(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"requirements-a.txt": &fstest.MapFile{Data: []byte("a\n-r requirements-b.txt\n")},
		"requirements-b.txt": &fstest.MapFile{Data: []byte("b\n-r requirements-a.txt\n")},
	}
	files := manifest.Discover(fsys, ".", manifest.Find{}).Files
	got := manifest.ReadAll(fsys, files, manifest.Options{})
	if len(got.Errors) != 2 {
		t.Errorf("%s", show(got))
	}
}
