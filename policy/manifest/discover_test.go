package manifest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

func names(d manifest.Discovery) []string {
	var out []string
	for _, f := range d.Files {
		out = append(out, f.Name)
	}
	return out
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"pyproject.toml", "b/requirements.txt", "a/setup.cfg", "a/Dockerfile", "README.md", "tool.py",
		".git/requirements.txt", "node_modules/x/requirements.txt", "vendor/requirements.txt", "lib/site-packages/x/setup.py",
		".tox/py/requirements.txt", ".nox/requirements.txt", "x.egg-info/requirements.txt", "__pycache__/requirements.txt",
		"env/pyvenv.cfg", "env/requirements.txt", "notenv/requirements.txt", "conda/conda-meta/history", "conda/requirements.txt",
		"build/lib/x.py", "build/requirements.txt", "docker/build/Dockerfile", "dist/x.whl", "dist/requirements.txt",
		"ignored/requirements.txt", "kept/requirements.txt", "sub/ignored.txt", "sub/deep/requirements.txt", "sub/deep/requirements-kept.txt",
	} {
		fsys[name] = &fstest.MapFile{}
	}
	fsys[".gitignore"] = &fstest.MapFile{Data: []byte("/ignored/\nkept/*\n!kept/requirements.txt\n")}
	fsys["sub/.gitignore"] = &fstest.MapFile{Data: []byte("deep/*.txt\n!requirements-kept.txt\n")}
	fsys["tool.py"].Data = []byte("# /// script\n# ///\n")
	got := manifest.Discover(fsys, ".", manifest.Find{})
	want := []string{
		"a/Dockerfile", "a/setup.cfg", "b/requirements.txt", "docker/build/Dockerfile", "kept/requirements.txt", "notenv/requirements.txt",
		"pyproject.toml", "sub/deep/requirements-kept.txt",
	}
	if diff := cmp.Diff(want, names(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := manifest.Discover(fsys, ".", manifest.Find{Scripts: true}); !slices.Contains(names(got), "tool.py") {
		t.Errorf("no script in %v", names(got))
	}
	if got := manifest.Discover(fsys, "a", manifest.Find{}); !slices.Equal(names(got), []string{"a/Dockerfile", "a/setup.cfg"}) {
		t.Errorf("a has %v", names(got))
	}
	if got := manifest.Discover(fsys, "gone", manifest.Find{}); len(got.Errors) != 1 {
		t.Errorf("a folder that is not there: %+v", got)
	}
}

// TestLinks holds that links are followed inside of the root and nowhere else.
func TestLinks(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "root")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	write("secret/requirements.txt", "top-secret==1\n")
	write("root/real/deps.txt", "inside==1\n")
	write("root/requirements.txt", "-r out/requirements.txt\n")
	write("root/requirements-abs.txt", "-r abs.txt\n")
	write("root/requirements-in.txt", "-r in/deps.txt\n")
	write("root/requirements-loop.txt", "-r loop\n")
	write("root/requirements-dir.txt", "-r real\n")
	link("../secret", "out")
	link(filepath.Join(top, "secret/requirements.txt"), "abs.txt")
	link("../secret/requirements.txt", "dev-requirements.txt")
	link("real", "in")
	link("loop", "loop")
	link("real/deps.txt", "linked-requirements.txt")
	fsys := os.DirFS(root)
	found := manifest.Discover(fsys, ".", manifest.Find{})
	want := []string{
		"real/deps.txt", "requirements-abs.txt", "requirements-dir.txt", "requirements-in.txt", "requirements-loop.txt", "requirements.txt",
	}
	if diff := cmp.Diff(want, names(found)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var noted []string
	for _, n := range found.Notes {
		noted = append(noted, n.File)
	}
	if diff := cmp.Diff([]string{"abs.txt", "dev-requirements.txt", "out"}, noted); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	got := manifest.ReadAll(fsys, found.Files, manifest.Options{})
	if diff := cmp.Diff([]string{"inside"}, requirementNames(got)); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	var failed []string
	for _, e := range got.Errors {
		failed = append(failed, e.File)
	}
	if diff := cmp.Diff([]string{"requirements-abs.txt", "requirements-dir.txt", "requirements-loop.txt", "requirements.txt"}, failed); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func requirementNames(r manifest.Reading) []string {
	var out []string
	for _, q := range r.Requirements {
		if !slices.Contains(out, q.Name) {
			out = append(out, q.Name)
		}
	}
	return out
}
