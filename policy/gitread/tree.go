package gitread

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Entry is a file of a tree, a symbolic link or a submodule.
type Entry struct {
	// Path is from the root, with slashes, as the tree has it.
	Path string
	// Mode is one of the constants, or what else the tree has.
	Mode string
	ID   string // of the object
	// Size is in bytes: -1 if the object is missing, 0 of a submodule.
	Size int64
}

// Link reports whether the entry is a symbolic link.
func (e Entry) Link() bool { return e.Mode == ModeLink }

// Submodule reports whether the entry is a commit of another repository.
func (e Entry) Submodule() bool { return e.Mode == ModeSubmodule }

// Tree is the tree of a commit. As a file system it has files as they were
// committed, without filters; what attributes or ignore files say leaves nothing
// out. Symbolic links are followed within the tree, never out of it
// ([ErrOutside]). A submodule is an empty folder. Files are read when they are
// asked for, and only up to the limit ([ErrTooLarge]).
//
// It is safe for use by several goroutines.
type Tree struct {
	// Commit is whose tree it is.
	Commit Commit

	repo      *Repo
	entries   []Entry // by path
	malformed []string
	nodes     map[string]*node
}

// node is a file or a folder.
type node struct {
	name     string // the last part of the path
	entry    *Entry // nil for a folder
	children []*node
}

// Tree reads the list of all files of a commit. The error is an [*Error].
func (r *Repo) Tree(ctx context.Context, c Commit) (*Tree, error) {
	out, err := r.git.fields(ctx, "ls-tree", "-r", "-z", "--long", "--full-tree", string(c))
	if err != nil {
		return nil, failed("the files of "+c.Short()+" cannot be listed", err)
	}
	if len(out) > MaxEntries {
		return nil, &Error{Message: fmt.Sprintf("%s has %d files; %d are the most that are read", c.Short(), len(out), MaxEntries)}
	}
	t := &Tree{Commit: c, repo: r, nodes: map[string]*node{".": {name: "."}}}
	for _, record := range out {
		e, err := parseEntry(record)
		if err != nil {
			return nil, err
		}
		t.entries = append(t.entries, e)
	}
	slices.SortStableFunc(t.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	for i := range t.entries {
		if !t.add(&t.entries[i]) {
			t.malformed = append(t.malformed, t.entries[i].Path)
		}
	}
	for _, n := range t.nodes {
		slices.SortFunc(n.children, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	}
	return t, nil
}

// parseEntry reads "MODE TYPE ID SIZE<tab>PATH".
func parseEntry(record string) (Entry, error) {
	head, file, ok := strings.Cut(record, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || !id.MatchString(words[2]) {
		return Entry{}, &Error{Message: "git ls-tree prints " + plain.Text(record)}
	}
	e := Entry{Path: file, Mode: words[0], ID: words[2]}
	if words[3] == "-" {
		return e, nil
	}
	size, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil { // "BAD"
		size = -1
	}
	e.Size = size
	return e, nil
}

// add makes the node of an entry, and the folders above it. It refuses what is
// no path below the root, what git would not check out, and what is there twice.
func (t *Tree) add(e *Entry) bool {
	if !checkedOut(e.Path) || t.nodes[e.Path] != nil {
		return false
	}
	for dir := path.Dir(e.Path); ; dir = path.Dir(dir) {
		if n := t.nodes[dir]; n != nil {
			if n.entry != nil { // a file and a folder of one name
				return false
			}
			break
		}
	}
	t.put(e.Path, &node{name: path.Base(e.Path), entry: e})
	return true
}

func (t *Tree) put(name string, n *node) {
	t.nodes[name] = n
	dir := path.Dir(name)
	above := t.nodes[dir]
	if above == nil {
		above = &node{name: path.Base(dir)}
		t.put(dir, above)
	}
	above.children = append(above.children, n)
}

// checkedOut reports whether git would check a path out: no part of it is empty,
// ".", ".." or ".git" in any case (verify_path in git's read-cache.c).
func checkedOut(name string) bool {
	if !fs.ValidPath(name) && !validBytes(name) || name == "." {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// validBytes is [fs.ValidPath] for a name that is not UTF-8, as git has them.
func validBytes(name string) bool { return fs.ValidPath(strings.ToValidUTF8(name, "\uFFFD")) }

// Entries are all files, links and submodules, by path, but for those of
// [Tree.Malformed]. The caller must not change them.
func (t *Tree) Entries() []Entry {
	if t.malformed == nil {
		return t.entries
	}
	var all []Entry
	for i := range t.entries {
		if e := &t.entries[i]; t.nodes[e.Path] != nil && t.nodes[e.Path].entry == e {
			all = append(all, *e)
		}
	}
	return all
}

// Malformed are the paths of entries that git would not check out, or that are
// in the tree twice: a tool has written the tree, not git.
func (t *Tree) Malformed() []string { return t.malformed }

// Lookup returns the entry of a path, without following links.
func (t *Tree) Lookup(name string) (Entry, bool) {
	if n := t.nodes[name]; n != nil && n.entry != nil {
		return *n.entry, true
	}
	return Entry{}, false
}
