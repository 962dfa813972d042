package tree_test

import (
	"errors"
	"flag"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/loopx/loopx-frontend/policy/tree"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// TestRead holds what is read of a hostile tree.
func TestRead(t *testing.T) {
	t.Parallel()
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	files := tree.Tree{Limit: 10, FS: fstest.MapFS{
		"a/file":   {Data: []byte("text"), Mode: 0o644},
		"a/large":  {Data: []byte(strings.Repeat("x", 11)), Mode: 0o644},
		"a/pipe":   {Mode: fs.ModeNamedPipe},
		"inside":   link("a/file"),
		"folder":   link("./a"),
		"a/up":     link("../inside"),
		"outside":  link("../x"),
		"absolute": link("/etc/hostname"),
		"drive":    link("C:/x"),
		"circle":   link("circle"),
		"nowhere":  link("a/gone"),
	}}
	for name, want := range map[string]string{
		"a/file":      "",
		"inside":      "",
		"folder/file": "",
		"a/up":        "",
		"a/large":     "has more than 10 bytes",
		"a/pipe":      tree.ErrIrregular.Error(),
		"a":           tree.ErrIrregular.Error(),
		"outside":     tree.ErrOutside.Error(),
		"absolute":    tree.ErrOutside.Error(),
		"drive":       tree.ErrOutside.Error(),
		"../x":        tree.ErrOutside.Error(),
		"circle":      tree.ErrLinks.Error(),
		"nowhere":     "is not there",
		"gone":        "is not there",
	} {
		text, err := files.Read(name)
		got := ""
		if err != nil {
			got = tree.Why(err)
		}
		if got != want || err == nil && string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if has := files.Has(name); has != (want == "" || name == "a/large") {
			t.Errorf("Has(%s) = %v", name, has)
		}
	}
}

// TestWhy holds that no path of the machine is told.
func TestWhy(t *testing.T) {
	t.Parallel()
	err := &fs.PathError{Op: "open", Path: "/home/x/secret", Err: errors.New("input/output error")}
	if got := tree.Why(err); got != "can't be read: input/output error" {
		t.Error(got)
	}
	if got := tree.Why(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}); got != "may not be read" {
		t.Error(got)
	}
}
