package walk

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// tree makes files below a new folder: "NAME" is empty, "NAME=TEXT" is not,
// "NAME -> TARGET" is a link, "NAME/" a folder.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, file := range files {
		name, target, link := strings.Cut(file, " -> ")
		name, text, _ := strings.Cut(name, "=")
		at := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(at)
		if strings.HasSuffix(name, "/") {
			dir = at
		}
		err := os.MkdirAll(dir, 0o777)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(target, at)
		case dir != at:
			err = os.WriteFile(at, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// paths are those of the files, from root.
func paths(t *testing.T, found Found) []string {
	t.Helper()
	var all []string
	for _, f := range found.Files {
		all = append(all, f.Path)
	}
	return all
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		files   []string
		options Options
		want    []string
		notes   int
		ignored int
	}{
		{
			"in order",
			[]string{"b/Dockerfile", "a/z/Dockerfile", "a/Dockerfile", "Dockerfile", "a.Dockerfile"},
			Options{},
			[]string{"Dockerfile", "a/Dockerfile", "a/z/Dockerfile", "a.Dockerfile", "b/Dockerfile"},
			0, 0,
		},
		{"a folder of this name", []string{"Dockerfile/x", "Dockerfile/Dockerfile"}, Options{}, []string{"Dockerfile/Dockerfile"}, 0, 0},
		{
			"written by others",
			[]string{".git/Dockerfile", "x/.hg/Dockerfile", ".svn/Dockerfile", "x/node_modules/Dockerfile", "vendor/Dockerfile", "x/vendored/Dockerfile"},
			Options{NoIgnore: true},
			[]string{"x/vendored/Dockerfile"},
			0, 0,
		},
		{"a link inside", []string{"real/Dockerfile", "Dockerfile -> real/Dockerfile"}, Options{}, []string{"real/Dockerfile"}, 0, 0},
		{"a link to another name", []string{"x/built", "Dockerfile -> x/built"}, Options{}, []string{"x/built"}, 0, 0},
		{"a link to what is excluded", []string{"x/built", "Dockerfile -> x/built"}, Options{Exclude: []string{"x"}}, nil, 0, 0},
		{"a link out", []string{"Dockerfile -> /etc/hostname", "x/Dockerfile -> ../../.."}, Options{}, nil, 2, 0},
		{"a link to nowhere", []string{"Dockerfile -> nowhere"}, Options{}, []string{"Dockerfile"}, 0, 0},
		{"a circle of links", []string{"Dockerfile -> Dockerfile", "x -> .", "y/z -> .."}, Options{}, []string{"Dockerfile"}, 0, 0},
		{
			"ignored",
			[]string{".gitignore=out\n*.Dockerfile\n!keep.Dockerfile", "out/Dockerfile", "a.Dockerfile", "x/keep.Dockerfile"},
			Options{},
			[]string{"x/keep.Dockerfile"},
			0, 1,
		},
		{"not ignored", []string{".gitignore=out", "out/Dockerfile"}, Options{NoIgnore: true}, []string{"out/Dockerfile"}, 0, 0},
		{"ignored below", []string{"x/.gitignore=/Dockerfile", "x/Dockerfile", "x/y/Dockerfile", "Dockerfile"}, Options{}, []string{"Dockerfile", "x/y/Dockerfile"}, 0, 1},
		{"a link for .gitignore", []string{"rules=*", ".gitignore -> rules", "Dockerfile"}, Options{}, []string{"Dockerfile"}, 0, 0},
		{"included", []string{"Dockerfile", "x/a.df", "x/b.df", ".df"}, Options{Include: []string{"*.df"}, Exclude: []string{"b.*"}}, []string{".df", "x/a.df"}, 0, 0},
		{"included by path", []string{"x/Dockerfile", "y/x/Dockerfile"}, Options{Include: []string{"/x/*"}}, []string{"x/Dockerfile"}, 0, 0},
		{"excluded", []string{"x/Dockerfile", "y/Dockerfile", "y/x/Dockerfile"}, Options{Exclude: []string{"x/"}}, []string{"y/Dockerfile"}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found, err := Find([]string{tree(t, tc.files...)}, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, paths(t, found)); diff != "" || len(found.Notes) != tc.notes || found.Ignored != tc.ignored {
				t.Errorf("%s%q, %d ignored", diff, found.Notes, found.Ignored)
			}
		})
	}
}

// TestFindNames holds how files are called, and that none is found twice.
func TestFindNames(t *testing.T) {
	t.Chdir(tree(t, "a/Dockerfile", "a/b/Dockerfile", "-", "link -> a"))
	for _, tc := range []struct{ in, want []string }{
		{[]string{"."}, []string{"a/Dockerfile", "a/b/Dockerfile"}},
		{[]string{"./a", "a/b", "."}, []string{"a/Dockerfile", "a/b/Dockerfile"}},
		{[]string{"a/b/Dockerfile", "a"}, []string{"a/b/Dockerfile", "a/Dockerfile"}},
		{[]string{"a/../a/b", "link"}, []string{"a/b/Dockerfile", "link/Dockerfile"}},
		{[]string{"missing", "-", "missing"}, []string{"missing", "-", "missing"}},
	} {
		found, err := Find(tc.in, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found.Files {
			got = append(got, f.Name)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: %s", tc.in, diff)
		}
	}
	found, err := Find([]string{"."}, Options{Include: []string{"-"}})
	if err != nil || len(found.Files) != 1 || found.Files[0].Name != "./-" {
		t.Errorf("a file called -: %+v, %v", found, err)
	}
}

// TestFindWithout holds that the folder of an output is not an input.
func TestFindWithout(t *testing.T) {
	t.Parallel()
	root := tree(t, "Dockerfile", "out/Dockerfile", "x/out/Dockerfile", "link -> out")
	found, err := Find([]string{root}, Options{Without: filepath.Join(root, "link")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Dockerfile", "x/out/Dockerfile"}, paths(t, found)); diff != "" {
		t.Error(diff)
	}
}

// TestIgnoredAbove holds that the .gitignore files above a folder count up to the
// top of its repository.
func TestIgnoredAbove(t *testing.T) {
	t.Parallel()
	root := tree(t, ".gitignore=*", "app/.git/", "app/.gitignore=/x/y/Dockerfile\nz.Dockerfile", "app/x/.gitignore=!z.Dockerfile",
		"app/x/y/Dockerfile", "app/x/y/z.Dockerfile", "app/x/y/deeper/Dockerfile")
	found, err := Find([]string{filepath.Join(root, "app/x/y")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"deeper/Dockerfile", "z.Dockerfile"}, paths(t, found)); diff != "" || found.Ignored != 1 {
		t.Error(diff, found.Ignored)
	}
}

// TestUnreadable holds that a folder that can't be read, or not to its end, is told
// of in its place, and the others are read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	root := tree(t, "a/Dockerfile", "b/Dockerfile", "c/Dockerfile")
	w := walker{seen: map[string]bool{}, root: root, real: root, readDir: func(name string) ([]fs.DirEntry, error) {
		list, err := os.ReadDir(name)
		switch filepath.Base(name) {
		case "a":
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		case "b":
			return list, &fs.PathError{Op: "readdirent", Path: name, Err: errors.New("input/output error")}
		}
		return list, err
	}}
	w.folder(".", nil)
	var got []string
	for _, f := range w.out.Files {
		text := f.Path
		if f.Problem != nil {
			text += ": " + f.Problem.Message
		}
		got = append(got, text)
	}
	want := []string{
		"a: the folder cannot be read: permission denied",
		"b: the folder cannot be read: input/output error", "b/Dockerfile", "c/Dockerfile",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "/", " ", "[", "a[", "!a", "#a", "a\nb", `a\`} {
		if _, err := Find(nil, Options{Exclude: []string{bad}}); err == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
		if _, err := Find(nil, Options{Include: []string{"a", bad}}); err == nil || !strings.Contains(err.Error(), "--include") {
			t.Errorf("%q is taken for a pattern: %v", bad, err)
		}
	}
}
