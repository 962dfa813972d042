package manifest

import (
	"io/fs"

	"github.com/loopx/loopx-frontend/policy/pypi/reqfile"
	"github.com/loopx/loopx-frontend/policy/tree"
)

// maxFile is how many bytes of a file are read, unless Options say otherwise.
const maxFile = 32 << 20

// Options say what reading depends on beside the files. The zero value is a
// good start.
type Options struct {
	// Kind is what the file is, "" to go by its name.
	Kind Kind
	// Env are the values of the variables in requirements files; one that is
	// not here is not known.
	Env map[string]string
	// BuildArgs replace the defaults of a Dockerfile's ARG instructions.
	BuildArgs map[string]string
	// Context is the folder of the build context that a Dockerfile's COPY
	// sources lie in. "" is its own folder, or the root for what is not there.
	Context string
	// MaxFile is how many bytes a file may have, 32 MiB if it is 0.
	MaxFile int64
}

// Read reads one file and what it follows: files that it includes, or takes its
// dependencies from. The name is a slash path relative to the root of fsys.
// Everything that is wrong is in the result's Errors; what could be read is
// there all the same.
//
// A file system that can't read links ([fs.ReadLinkFS]) must not lead out of
// its root by itself: that of os.Root does not.
func Read(fsys fs.FS, name string, o Options) Reading {
	if o.MaxFile <= 0 {
		o.MaxFile = maxFile
	}
	r := reader{Tree: tree.Tree{FS: fsys, Limit: o.MaxFile}, opts: o}
	kind, known := o.Kind, true
	if kind == "" {
		kind, known = KindOf(name)
	}
	if !known {
		r.fail(name, Position{}, "the name tells no kind of file that declares dependencies: say which it is")
		return r.out
	}
	r.read(name, kind)
	return r.out
}

// reader collects what one file, with those that it follows, declares.
type reader struct {
	tree.Tree
	opts  Options
	out   Reading
	full  bool // there are too many requirements
	lists map[listKey]reqfile.Set
}

// source is the text of a file.
type source struct {
	name string
	text string
	*lines
}

// open reads a file's text. What is wrong with the file is reported.
func (r *reader) open(name string) (*source, bool) {
	data, err := r.Tree.Read(name)
	if err != nil {
		r.fail(name, Position{}, "the file "+tree.Why(err))
		return nil, false
	}
	text := string(data)
	return &source{name, text, newLines(text)}, true
}

// follow reads the text of a file that another one names, and remembers that.
func (r *reader) follow(name string) (*source, bool) {
	f, ok := r.open(name)
	if ok {
		r.followed(name)
	}
	return f, ok
}

func (r *reader) read(name string, kind Kind) {
	switch kind {
	case RequirementsFile, ConstraintsFile:
		r.requirementsFile(name, kind)
		return
	}
	f, ok := r.open(name)
	if !ok {
		return
	}
	switch kind {
	case Project:
		r.project(f)
	case PixiProject, HatchProject, UvProject:
		r.toolFile(f, kind)
	case SetupConfig:
		r.setupConfig(f)
	case SetupScript:
		r.setupScript(f)
	case PipfileProject:
		r.pipfile(f)
	case PipfileLock:
		r.pipfileLock(f)
	case UvLock, PoetryLock, PdmLock, PyLock:
		r.lock(f, kind)
	case DockerfileKind:
		r.dockerfile(f)
	case Script:
		r.script(f)
	default:
		r.fail(name, Position{}, "there is no kind of file called "+shorten(string(kind)))
	}
}

// maxRequirements is how many requirements one file, with those that it
// follows, may declare.
const maxRequirements = 100_000

// add lists a requirement.
func (r *reader) add(q Requirement) {
	switch n := len(r.out.Requirements); {
	case n < maxRequirements:
		r.out.Requirements = append(r.out.Requirements, q)
	case n == maxRequirements && !r.full:
		r.full = true
		r.fail(q.File, q.Span.Start, "there are too many requirements: what follows is not read")
	}
}

// maxSaid is how many errors, and how many notes, one reading has: who has more
// to mend reads again.
const maxSaid = 10_000

func (r *reader) fail(file string, at Position, message string) {
	if len(r.out.Errors) < maxSaid {
		r.out.Errors = append(r.out.Errors, &Error{file, at, message})
	}
}

func (r *reader) note(file string, at Span, a Answer, table, message string) {
	if len(r.out.Notes) < maxSaid {
		r.out.Notes = append(r.out.Notes, Note{file, at, a, table, message})
	}
}
