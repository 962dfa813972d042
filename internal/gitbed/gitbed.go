// Package gitbed makes git repositories for tests: commits of any files, without
// a working tree, as fast as git takes them, and trees that git itself would not
// write.
package gitbed

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// TB is the part of [testing.TB] that this package needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	TempDir() string
}

// Repo is a repository in a folder.
type Repo struct {
	Dir string
	t   TB
}

// File is one of a commit. The zero Mode is that of a plain file.
type File struct {
	Mode string // as in a tree: "100755", "120000", "160000"
	Data string // the target of a link, the commit of a submodule
}

// Files are those that a commit adds or changes, by path. A nil one is deleted.
type Files map[string]*File

// Text is a plain file.
func Text(data string) *File { return &File{Data: data} }

// Link is a symbolic link.
func Link(target string) *File { return &File{Mode: "120000", Data: target} }

// New makes an empty repository. args are more of "git init".
func New(t TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{Dir: t.TempDir(), t: t}
	r.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// Environ is an environment without the user's configuration, with fixed names
// and dates, so that the ids of commits repeat.
func Environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.org", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
}

// Git runs git in the repository and returns what it prints, without the last
// line break.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.run(nil, args...)
}

func (r *Repo) run(stdin []byte, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, Environ(), bytes.NewReader(stdin)
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, diag.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Commit adds a commit to a branch, which it makes if there is none, and returns
// its id. parent is where a new branch begins; "" is nowhere. The working tree
// stays as it is.
func (r *Repo) Commit(branch, parent string, files Files) string {
	r.t.Helper()
	return r.CommitBy("test@example.org", branch, parent, files)
}

// CommitBy is Commit with an author.
func (r *Repo) CommitBy(author, branch, parent string, files Files) string {
	r.t.Helper()
	var b bytes.Buffer
	const when = "1767225600 +0000"
	fmt.Fprintf(&b, "commit refs/heads/%s\nauthor test <%s> %s\ncommitter test <%s> %s\ndata 4\ntest\n", branch, author, when, author, when)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		switch {
		case f == nil:
			fmt.Fprintf(&b, "D %s\n", quote(name))
		case f.Mode == "160000":
			fmt.Fprintf(&b, "M 160000 %s %s\n", f.Data, quote(name))
		default:
			mode := f.Mode
			if mode == "" {
				mode = "100644"
			}
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", mode, quote(name), len(f.Data), f.Data)
		}
	}
	r.run(b.Bytes(), "fast-import", "--quiet", "--force")
	return r.Git("rev-parse", "refs/heads/"+branch)
}

// quote spells a path as git fast-import reads it.
func quote(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Entry is one of a tree that is written byte by byte.
type Entry struct{ Mode, Name, ID string }

// RawTree writes a tree as it is given, in this order, whatever git thinks of it,
// and returns its id.
func (r *Repo) RawTree(entries ...Entry) string {
	r.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s\x00", strings.TrimLeft(e.Mode, "0"), e.Name)
		var raw []byte
		if _, err := fmt.Sscanf(e.ID, "%x", &raw); err != nil {
			r.t.Fatalf("%q is no id: %v", e.ID, err)
		}
		b.Write(raw)
	}
	return r.run(b.Bytes(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

// Blob writes a blob and returns its id.
func (r *Repo) Blob(data string) string {
	r.t.Helper()
	return r.run([]byte(data), "hash-object", "-w", "--stdin")
}

// CommitTree makes a commit of a tree and returns its id.
func (r *Repo) CommitTree(tree string, parents ...string) string {
	r.t.Helper()
	args := []string{"commit-tree", tree, "-m", "test"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return r.Git(args...)
}

// Write writes a file of the working tree.
func (r *Repo) Write(name, data string) {
	r.t.Helper()
	file := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatalf("%v", err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		r.t.Fatalf("%v", err)
	}
}
