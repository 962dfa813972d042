package reqfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"sub/ok.txt":    {Data: []byte("-r ../top.txt\n-c ./deep/../c.txt")},
		"sub/c.txt":     {Data: []byte("c<1")},
		"top.txt":       {Data: []byte("t")},
		"sub/self.txt":  {Data: []byte("a\n-r ../sub/./self.txt")},
		"one.txt":       {Data: []byte("-r two.txt")},
		"two.txt":       {Data: []byte("-c one.txt")},
		"abs.txt":       {Data: []byte("# c\n-r /etc/shadow")},
		"up.txt":        {Data: []byte("-r ../../x")},
		"sub/up.txt":    {Data: []byte("-c ../../x")},
		"root.txt":      {Data: []byte("-r .")},
		"empty.txt":     {Data: []byte("-r ''")},
		"nul.txt":       {Data: []byte("-r a\x00b")},
		"folder.txt":    {Data: []byte("-r sub")},
		"missing.txt":   {Data: []byte("\n-r 'no\x1b]such\u202e.txt'")},
		"diamond.txt":   {Data: []byte("-r top.txt\n-r top.txt\n-c top.txt")},
		"big.txt":       {Data: []byte(strings.Repeat("a\n", 60))},
		"includes.txt":  {Data: []byte("-r big.txt")},
		"latin.txt":     {Data: []byte("a\nb\xe9")},
		"toobinary.txt": {Data: []byte("-r latin.txt")},
	}
	tests := []struct {
		path string
		want []string
		err  string
		kind ErrorKind
	}{
		{path: "sub/ok.txt", want: []string{"t", "c<1"}},
		{path: "./sub/../diamond.txt", want: []string{"t", "t", "t"}},
		{path: "sub/self.txt", err: "sub/self.txt:2: the file includes itself; take the line out", kind: Cycle},
		{path: "one.txt", err: `two.txt:1: includes "one.txt", which is being read: the files include each other in a circle`, kind: Cycle},
		{path: "abs.txt", err: "abs.txt:2: the include leads out of the folder that is read", kind: Outside},
		{path: "up.txt", err: "up.txt:1: the include leads out of the folder that is read", kind: Outside},
		{path: "sub/up.txt", err: "sub/up.txt:1: the include leads out of the folder that is read", kind: Outside},
		{path: "root.txt", err: "root.txt:1: the include leads out of the folder that is read", kind: Outside},
		{path: "empty.txt", err: "empty.txt:1: the include leads out of the folder that is read", kind: Outside},
		{path: "nul.txt", err: "nul.txt:1: the include leads out of the folder that is read", kind: Outside},
		{path: "../up.txt", err: "../up.txt: the path leads out of the folder that is read", kind: Outside},
		{path: "/up.txt", err: "/up.txt: the path leads out of the folder that is read", kind: Outside},
		{path: "folder.txt", err: `folder.txt:1: cannot read "sub": it can't be opened as a file`, kind: Unreadable},
		{path: "missing.txt", err: `missing.txt:2: cannot read "no\x1b]such\u202e.txt": it does not exist`, kind: Unreadable},
		{path: "gone.txt", err: `gone.txt: cannot read "gone.txt": it does not exist`, kind: Unreadable},
		{path: "includes.txt", err: `includes.txt:1: cannot read "big.txt": it is larger than the limit`, kind: Limit},
		{path: "toobinary.txt", err: `latin.txt:2: the line is not UTF-8; save the file as UTF-8, or name its encoding in a first line such as "# -*- coding: latin-1 -*-"`, kind: Encoding},
	}
	for _, tt := range tests {
		set, err := Read(tt.path, Options{Open: OpenFS(files, 100)})
		if tt.err == "" {
			if err != nil || !slices.Equal(texts(set), tt.want) {
				t.Errorf("%s: %q, %v; want %q", tt.path, texts(set), err, tt.want)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || err.Error() != tt.err || e.Kind != tt.kind {
			t.Errorf("%s:\n got %v\nwant %s", tt.path, err, tt.err)
		}
	}
}

func TestUnwrap(t *testing.T) {
	t.Parallel()
	_, err := Read("x", Options{Open: OpenFS(fstest.MapFS{}, 0)})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap the cause", err)
	}
	_, err = Read("x", Options{Open: func(string) ([]byte, error) { return nil, fs.ErrPermission }})
	if want := `x: cannot read "x": permission denied`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	chain := map[string][]byte{"requirements.txt": []byte("-r 0")}
	for i := range 200 {
		chain[fmt.Sprint(i)] = fmt.Appendf(nil, "-r %d", i+1)
	}
	// Every file includes the next one twice: 2^40 readings.
	bomb := map[string][]byte{"requirements.txt": []byte("-r 0")}
	for i := range 40 {
		bomb[fmt.Sprint(i)] = fmt.Appendf(nil, "-r %d\n-r %d", i+1, i+1)
	}
	bomb["40"] = []byte("a")
	tests := []struct {
		name   string
		files  map[string][]byte
		limits Limits
		env    map[string]string
	}{
		{name: "depth", files: chain},
		{name: "files", files: bomb},
		{name: "total", files: bomb, limits: Limits{Files: 1 << 30, Total: 1 << 16}},
		{name: "file", files: map[string][]byte{"requirements.txt": []byte("aaaa")}, limits: Limits{File: 3}},
		{name: "line", files: map[string][]byte{"requirements.txt": []byte("a==${V}")}, limits: Limits{Line: 10}, env: map[string]string{"V": "12345678"}},
		{name: "joined", files: map[string][]byte{"requirements.txt": []byte(strings.Repeat("a\\\n", 6))}, limits: Limits{Joined: 5}},
		{name: "joined by default", files: map[string][]byte{"requirements.txt": []byte(strings.Repeat("\\\n", 1_000_000))}},
		{name: "ten million bytes", files: map[string][]byte{"requirements.txt": []byte(strings.Repeat("a", 10_000_000))}},
		{name: "endless variable", files: map[string][]byte{"requirements.txt": []byte(strings.Repeat("${V}", 2000))}, env: map[string]string{"V": "x${V}"}},
	}
	for _, tt := range tests {
		_, err := Read("requirements.txt", Options{Open: opener(tt.files), Limits: tt.limits, Env: tt.env})
		var e *Error
		if !errors.As(err, &e) || e.Kind != Limit {
			t.Errorf("%s: %v, want a limit", tt.name, err)
		}
	}
}

// TestLongComment is a line that is long only by its comment.
func TestLongComment(t *testing.T) {
	t.Parallel()
	set, err := readText(t, map[string]string{"requirements.txt": "a #" + strings.Repeat("#", 10_000_000)}, nil)
	if err != nil || len(set.Entries) != 1 || set.Entries[0].Text != "a" {
		t.Errorf("%d entries, %v", len(set.Entries), err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	set, err := readText(t, map[string]string{"requirements.txt": "\n-c c.txt\n-r r.txt", "c.txt": "-r r.txt", "r.txt": ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{"requirements.txt", "", 0, false},
		{"c.txt", "requirements.txt", 2, true},
		{"r.txt", "c.txt", 1, false},
		{"r.txt", "requirements.txt", 3, false},
	}
	if diff := cmp.Diff(want, set.Files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	set, err = Read("c.txt", Options{Open: OpenFS(fstest.MapFS{"c.txt": {Data: []byte("a")}}, 0), Constraint: true})
	if err != nil || !set.Entries[0].Constraint {
		t.Errorf("%+v, %v: want a constraint", set, err)
	}
}
