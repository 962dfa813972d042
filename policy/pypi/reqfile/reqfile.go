// Package reqfile reads requirements files as pip does: physical lines are
// joined before comments are cut, "-r" and "-c" are followed, options are
// taken as pip's option parser takes them. It stops where the requirement
// parser begins: the text of a requirement is handed on unread.
//
// It is pure. Files come from a function that the caller gives, variables from
// a map; the process environment is never read, and nothing is fetched.
//
// The reference is pip 26 (src/pip/_internal/req/req_file.py), for everything
// that the test vectors ask the same as pip 23.2.
package reqfile

import (
	"errors"
	"io/fs"
	"slices"
)

// Options say where files come from and what they may see.
type Options struct {
	// Open returns the content of a file. The path has slashes, is relative
	// to the root, and never leaves it ("..": refused before). Links are the
	// function's business.
	Open func(path string) ([]byte, error)
	// Env are the variables that ${NAME} may take. An empty value counts as
	// unset, as in pip.
	Env map[string]string
	// Constraint reads the first file as "pip -c" would.
	Constraint bool
	// Limits bound the work; a zero field means the default.
	Limits Limits
}

// Limits bound what one Read may take in. What passes one is an *Error of
// kind Limit.
type Limits struct {
	// File and Total are bytes: of one file, and of all readings together.
	// Defaults 32 MiB and 64 MiB.
	File, Total int
	// Files is how often a file is opened, repeats counted. Default 10,000.
	Files int
	// Depth is how deep files may nest. Default 100.
	Depth int
	// Line is the length in bytes of a joined line, without its comment, after
	// variables are expanded. Default 4 MiB.
	Line int
	// Joined is how many physical lines one line may join. Default 100,000.
	Joined int
}

func (l Limits) withDefaults() Limits {
	or := func(n, d int) int {
		if n <= 0 {
			return d
		}
		return n
	}
	return Limits{
		File:   or(l.File, 32<<20),
		Total:  or(l.Total, 64<<20),
		Files:  or(l.Files, 10_000),
		Depth:  or(l.Depth, 100),
		Line:   or(l.Line, 4<<20),
		Joined: or(l.Joined, 100_000),
	}
}

// Read reads the file at path and everything that it includes, in pip's order.
// The first fault ends it, as it ends pip: the error is an *Error, and the Set
// holds what was read before.
func Read(path string, o Options) (Set, error) {
	r := reader{env: o.Env, open: o.Open, limits: o.Limits.withDefaults()}
	clean, ok := inside("", path)
	if !ok {
		return r.set, &Error{File: path, Kind: Outside, Msg: "the path leads out of the folder that is read"}
	}
	err := r.file(include{path: clean, constraint: o.Constraint})
	return r.set, err
}

// OpenFS makes an Open function from a file system. Files larger than max
// bytes are refused before they are read; 0 means the default of Limits.File.
func OpenFS(fsys fs.FS, max int) func(string) ([]byte, error) {
	limit := Limits{File: max}.withDefaults().File
	return func(path string) ([]byte, error) {
		info, err := fs.Stat(fsys, path)
		if err != nil {
			return nil, err
		}
		if info.Size() > int64(limit) {
			return nil, errTooLarge
		}
		return fs.ReadFile(fsys, path)
	}
}

var errTooLarge = errors.New("larger than the limit")

// include is one reading of one file.
type include struct {
	path       string
	from       string
	line       int
	constraint bool
}

type reader struct {
	env    map[string]string
	open   func(string) ([]byte, error)
	limits Limits
	set    Set
	stack  []string
	total  int
	slab   []piece
}

// file reads one file and recurses into those that it includes.
func (r *reader) file(in include) error {
	if err := r.enter(in); err != nil {
		return err
	}
	defer func() { r.stack = r.stack[:len(r.stack)-1] }()
	src, err := r.load(in)
	if err != nil {
		return err
	}
	lines := newLines(src, r.limits.Joined)
	for {
		l, ok := lines.next()
		if !ok {
			return nil
		}
		if lines.over {
			return &Error{File: in.path, Line: l.number, Kind: Limit, Msg: "the line joins more lines than the limit allows"}
		}
		if err := r.line(in, src, l); err != nil {
			return err
		}
	}
}

// enter puts the file on the stack, unless it is there already.
func (r *reader) enter(in include) error {
	fail := func(kind ErrorKind, msg string) error {
		if in.from == "" {
			return &Error{File: in.path, Kind: kind, Msg: msg}
		}
		return &Error{File: in.from, Line: in.line, Kind: kind, Msg: msg}
	}
	switch {
	case in.path == in.from:
		return fail(Cycle, "the file includes itself; take the line out")
	case slices.Contains(r.stack, in.path):
		return fail(Cycle, "includes "+quote(in.path)+", which is being read: the files include each other in a circle")
	case len(r.stack) >= r.limits.Depth:
		return fail(Limit, "files are nested deeper than the limit allows")
	case len(r.set.Files) >= r.limits.Files:
		return fail(Limit, "more files are included than the limit allows")
	}
	r.stack = append(r.stack, in.path)
	r.set.Files = append(r.set.Files, File{Path: in.path, From: in.from, Line: in.line, Constraint: in.constraint})
	return nil
}

// load opens and decodes the file. A file that can't be opened is the fault of
// the line that names it; one that can't be decoded is its own.
func (r *reader) load(in include) (source, error) {
	at := Error{File: in.path}
	if in.from != "" {
		at = Error{File: in.from, Line: in.line}
	}
	data, err := r.open(in.path)
	if err != nil {
		at.Kind, at.Msg, at.err = Unreadable, "cannot read "+quote(in.path)+": "+why(err), err
		if errors.Is(err, errTooLarge) {
			at.Kind = Limit
		}
		return source{}, &at
	}
	r.total += len(data)
	if len(data) > r.limits.File || r.total > r.limits.Total {
		at.Kind, at.Msg = Limit, quote(in.path)+" brings more bytes than the limit allows"
		return source{}, &at
	}
	src, fault := decode(data)
	if fault.msg != "" {
		return source{}, &Error{File: in.path, Line: fault.line, Kind: Encoding, Msg: fault.msg}
	}
	return src, nil
}
