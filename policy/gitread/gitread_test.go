package gitread_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func open(t *testing.T, r *gitbed.Repo) *gitread.Repo {
	t.Helper()
	repo, err := gitread.Open(t.Context(), gitread.Options{Dir: r.Dir, Environ: gitbed.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return repo
}

func tree(t *testing.T, r *gitread.Repo, commit string) *gitread.Tree {
	t.Helper()
	tree, err := r.Tree(t.Context(), gitread.Commit(commit))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestFS holds that a tree is a file system as io/fs means it, with SHA-1 objects
// and with SHA-256 ones.
func TestFS(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := gitbed.New(t, "--object-format="+format)
			c := r.Commit("main", "", gitbed.Files{
				"Dockerfile": gitbed.Text("FROM a\n"), "a/b/c.txt": gitbed.Text("c"), "a/empty": gitbed.Text(""),
				"run.sh": {Mode: "100755", Data: "#!/bin/sh\n"},
			})
			fsys := tree(t, open(t, r), c)
			if err := fstest.TestFS(fsys, "Dockerfile", "a/b/c.txt", "a/empty", "run.sh"); err != nil {
				t.Error(err)
			}
			if info, err := fsys.Stat("run.sh"); err != nil || info.Mode() != 0o755 || info.Size() != 10 {
				t.Errorf("%v %v", info, err)
			}
		})
	}
}

// TestLinks holds that links are followed within the tree, and nowhere else.
func TestLinks(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	c := r.Commit("main", "", gitbed.Files{
		"d/file": gitbed.Text("text"), "d/e/f": gitbed.Text("f"),
		"to-file": gitbed.Link("d/file"), "to-folder": gitbed.Link("./d//e/"), "d/e/up": gitbed.Link("../file"),
		"d/round": gitbed.Link("../to-folder/../e/f"), "chain": gitbed.Link("to-file"), "in": gitbed.Link("to-folder/up"),
		"absolute": gitbed.Link("/etc/passwd"), "out": gitbed.Link("../../etc/passwd"), "d/out": gitbed.Link("e/../../../x"),
		"self": gitbed.Link("self"), "a": gitbed.Link("b"), "b": gitbed.Link("a"), "grow": gitbed.Link("grow/x"),
		"dangling": gitbed.Link("none"), "through": gitbed.Link("d/file/x"), "long": gitbed.Link(strings.Repeat("d/../", 1000) + "d/file"),
	})
	fsys := tree(t, open(t, r), c)
	for name, want := range map[string]string{
		"to-file": "text", "to-folder/f": "f", "d/e/up": "text", "chain": "text", "in": "text", "to-folder/up": "text", "d/round": "f",
	} {
		if data, err := fs.ReadFile(fsys, name); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	for name, want := range map[string]error{
		"absolute": gitread.ErrOutside, "out": gitread.ErrOutside, "d/out": gitread.ErrOutside, "self": gitread.ErrLoop, "a": gitread.ErrLoop,
		"grow": gitread.ErrLoop, "dangling": fs.ErrNotExist, "through": fs.ErrNotExist, "long": gitread.ErrTooLarge,
		"../x": fs.ErrInvalid, "/d": fs.ErrInvalid, "d/file/x": fs.ErrNotExist, "d/": fs.ErrInvalid, "": fs.ErrInvalid,
	} {
		if data, err := fs.ReadFile(fsys, name); !errors.Is(err, want) {
			t.Errorf("%s: %q, %v, want %v", name, data, err, want)
		}
	}
	if to, err := fsys.ReadLink("absolute"); err != nil || to != "/etc/passwd" {
		t.Errorf("%q %v", to, err)
	}
	if to, err := fsys.Resolve("to-folder/up"); err != nil || to != "d/file" {
		t.Errorf("%q %v", to, err)
	}
	if info, err := fsys.Lstat("to-folder/up"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("%v %v", info, err)
	}
	var walked []string
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		walked = append(walked, name)
		return err
	})
	if got := strings.Join(walked, " "); strings.Contains(got, "to-folder/") {
		t.Errorf("a link to a folder was walked: %s", got)
	}
}

// TestSubmodule holds that a submodule is told of and not entered.
func TestSubmodule(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	first := r.Commit("main", "", gitbed.Files{"x": gitbed.Text("x")})
	c := r.Commit("main", first, gitbed.Files{"vendor/sub": {Mode: "160000", Data: first}})
	fsys := tree(t, open(t, r), c)
	if e, ok := fsys.Lookup("vendor/sub"); !ok || !e.Submodule() || e.ID != first {
		t.Errorf("%+v", e)
	}
	if list, err := fsys.ReadDir("vendor/sub"); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	if _, err := fsys.Open("vendor/sub/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestMalformed holds that names which git would not check out are told of and
// are not in the file system, so that they hide nothing and are nothing else.
func TestMalformed(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	blob := r.Blob("hostile")
	good := r.Blob("good")
	inner := r.RawTree(gitbed.Entry{Mode: "100644", Name: "x", ID: blob})
	c := r.CommitTree(r.RawTree(
		gitbed.Entry{Mode: "100644", Name: "..", ID: blob}, gitbed.Entry{Mode: "100644", Name: ".", ID: blob},
		gitbed.Entry{Mode: "40000", Name: ".GIT", ID: inner}, gitbed.Entry{Mode: "100644", Name: "a/b", ID: blob},
		gitbed.Entry{Mode: "100644", Name: "d", ID: good}, gitbed.Entry{Mode: "100644", Name: "d", ID: blob},
		gitbed.Entry{Mode: "40000", Name: "d", ID: inner}, gitbed.Entry{Mode: "100644", Name: "/etc/passwd", ID: blob},
		gitbed.Entry{Mode: "100644", Name: "ok", ID: good},
	))
	fsys := tree(t, open(t, r), c)
	want := []string{".", "..", ".GIT/x", "/etc/passwd", "d", "d/x"}
	if diff := cmp.Diff(want, fsys.Malformed()); diff != "" {
		t.Errorf("malformed (-want +got):\n%s", diff)
	}
	var names []string
	for _, e := range fsys.Entries() {
		names = append(names, e.Path)
	}
	// "a/b" is as if it were in a folder: git checks that out as well.
	if diff := cmp.Diff([]string{"a/b", "d", "ok"}, names); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if data, err := fsys.ReadFile("d"); err != nil || string(data) != "good" {
		t.Errorf("%q %v", data, err)
	}
}

// TestLimits holds that a large file is listed and not read.
func TestLimits(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	c := r.Commit("main", "", gitbed.Files{"huge": gitbed.Text(strings.Repeat("x", 1001)), "fits": gitbed.Text(strings.Repeat("x", 1000))})
	repo, err := gitread.Open(t.Context(), gitread.Options{Dir: r.Dir, Environ: gitbed.Environ(), MaxFile: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	fsys := tree(t, repo, c)
	if _, err := fsys.Open("huge"); !errors.Is(err, gitread.ErrTooLarge) {
		t.Error(err)
	}
	if data, err := fsys.ReadFile("fits"); err != nil || len(data) != 1000 {
		t.Error(len(data), err)
	}
}

// TestMissing holds that an object which the repository lacks is an error, and
// nothing is fetched for it.
func TestMissing(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	c := r.CommitTree(r.RawTree(gitbed.Entry{Mode: "100644", Name: "x", ID: strings.Repeat("1", 40)}))
	marker := filepath.Join(t.TempDir(), "fetched")
	r.Git("config", "extensions.partialClone", "origin")
	r.Git("config", "remote.origin.promisor", "true")
	r.Git("config", "remote.origin.url", "ext::sh -c touch% "+marker)
	r.Git("config", "protocol.ext.allow", "always")
	fsys := tree(t, open(t, r), c)
	if _, err := fsys.ReadFile("x"); !errors.Is(err, gitread.ErrMissing) {
		t.Error(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the missing object was fetched")
	}
}

// TestPointer has files that Git LFS keeps elsewhere, and some that only look so.
func TestPointer(t *testing.T) {
	t.Parallel()
	oid := strings.Repeat("a", 64)
	head := "version https://git-lfs.github.com/spec/v1\n"
	if p, ok := gitread.ParsePointer([]byte(head + "oid sha256:" + oid + "\nsize 12\n")); !ok || p.SHA256 != oid || p.Size != 12 {
		t.Error(p, ok)
	}
	for _, text := range []string{"", head, head + "oid sha256:abc\nsize 1\n", head + "oid sha256:" + oid + "\nsize x\n", "FROM a\n" + head, head + "oid sha256:" + oid + "\nsize 1\n" + strings.Repeat("x", 1024)} {
		if _, ok := gitread.ParsePointer([]byte(text)); ok {
			t.Errorf("%q is a pointer", text)
		}
	}
}
