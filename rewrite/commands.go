package rewrite

import (
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Command is what one RUN executes, with what is known where it runs. Each byte
// of its texts is mapped to the file.
type Command struct {
	words.Input
	// Range is the instruction's; for the trigger in ONBUILD RUN the ONBUILD's.
	Range Range
	Stage string // name, or index from 0
	// Shell is true if Args is a shell, its options and one text for it. An
	// exec form has no shell, and nothing in it is expanded.
	Shell bool
	// Dir is the working directory, below [BaseDir] if it depends on the base
	// image's, and "" if a variable that is not known decides.
	Dir string
	// Given are the names in Env whose values --build-arg can replace.
	Given map[string]bool
	// Files are what COPY, ADD and bind mounts have put into the stage's file
	// system so far, in their order: the later one wins.
	Files []Placed
}

// BaseDir stands for the working directory of a base image, which the text of
// the Dockerfile doesn't tell.
const BaseDir = "/?"

// Placed is one file or folder that the build context, another image or the
// Dockerfile itself gives.
type Placed struct {
	// From is the path in the build context, without a slash before it, and ""
	// for the whole context. It may hold wildcards.
	From string
	// Elsewhere says where it is from if not from the build context: a stage, an
	// image, a URL, a heredoc.
	Elsewhere string
	// To is the absolute path in the image, "" if the text doesn't tell. A
	// folder gives its content, a file lies there or in a folder of that name:
	// the text doesn't tell which.
	To string
}

// Commands lists what the RUN instructions of a Dockerfile execute, in the order
// in which BuildKit reads them: ONBUILD RUN comes at the end of its stage. Only
// BuildArgs of cfg counts. src is not changed.
//
// It returns a *ParseError exactly where BuildKit's parser fails.
func Commands(src []byte, cfg Config) ([]Command, error) {
	o, err := NewOutline(src, cfg)
	return o.Commands, err
}

// NewOutline returns the stages of a Dockerfile and what [Commands] lists. Only
// BuildArgs of cfg counts. src is not changed.
//
// It returns a *ParseError exactly where BuildKit's parser fails.
func NewOutline(src []byte, cfg Config) (Outline, error) {
	table, err := route.NewTable(route.Config{})
	if err != nil {
		return Outline{}, err
	}
	file, err := parse(newSource(string(src)))
	if err != nil {
		return Outline{}, err
	}
	r := commandReader{planner: newPlanner(file, cfg, table, nil), files: map[*stage][]Placed{}}
	r.walk()
	return r.out, nil
}

// commandReader walks the instructions as a planner does, for what the RUNs
// execute alone.
type commandReader struct {
	*planner
	files map[*stage][]Placed
	out   Outline
}

func (r *commandReader) walk() {
	var st *stage
	index := 0
	for _, in := range r.file.list {
		if c, ok := in.cmd.(*instructions.Stage); ok {
			r.close(st)
			r.stage(in, c, index)
			st = r.open(c, index)
			index++
		} else if c, ok := in.cmd.(*instructions.ArgCommand); ok && st == nil {
			r.globalArg(in, c)
		} else {
			r.read(st, in)
		}
	}
	r.close(st)
}

// open starts a stage with the files of the one that it is built from.
func (r *commandReader) open(c *instructions.Stage, index int) *stage {
	st := r.planner.open(c, index)
	x := expansion{env: &r.global, escape: r.file.escape}
	if from, ok := x.expand(textmap.Synthetic(c.BaseName)); ok {
		if base := r.stages[strings.ToLower(from.String())]; base != nil {
			files := r.files[base]
			r.files[st] = files[:len(files):len(files)]
			return st
		}
	}
	st.workdir = BaseDir
	return st
}

// close reads the stage's triggers and lets others be built from it.
func (r *commandReader) close(st *stage) {
	if st == nil {
		return
	}
	for _, in := range st.triggers {
		if t := triggered(in); t != nil {
			r.outer[t] = in
			r.read(st, t)
		}
	}
	st.triggers = nil
	r.planner.close(st)
}

func (r *commandReader) read(st *stage, in *instruction) {
	switch c := in.cmd.(type) {
	case *instructions.ArgCommand:
		r.arg(st, in, c)
	case *instructions.EnvCommand:
		r.env(st, in, c)
	case *instructions.ShellCommand:
		st.shell = c.Shell
	case *instructions.WorkdirCommand:
		r.workdir(st, c)
	case *instructions.OnbuildCommand:
		st.triggers = append(st.triggers, in)
	case *instructions.CopyCommand:
		r.uses(st, in)
		r.place(st, in, c.From, c.Parents)
	case *instructions.AddCommand:
		r.place(st, in, "", false)
	case *instructions.RunCommand:
		r.uses(st, in)
		r.run(st, in, c)
	}
}

func (r *commandReader) run(st *stage, in *instruction, c *instructions.RunCommand) {
	out := Command{
		Input: argv(st.shell, c, r.body(in)),
		Range: in.span, Stage: st.name, Shell: c.PrependShell, Dir: st.workdir,
		Given: map[string]bool{}, Files: r.files[st],
	}
	if len(out.Args) == 0 {
		return
	}
	out.Env = st.env.vars
	for _, v := range st.env.vars {
		if _, fixed := st.image.get(v.Name); !fixed {
			out.Given[v.Name] = true
		}
	}
	out.Files = append(out.Files[:len(out.Files):len(out.Files)], r.mounts(st, c)...)
	r.out.Commands = append(r.out.Commands, out)
}

// mounts are the bind mounts of a RUN. A value that needs a variable which is
// not known stands as ${NAME}, so it leads nowhere.
func (r *commandReader) mounts(st *stage, c *instructions.RunCommand) []Placed {
	x := expansion{env: &st.env, escape: r.file.escape}
	err := c.Expand(func(word string) (string, error) {
		if t, ok := x.expand(textmap.Synthetic(word)); ok {
			return t.String(), nil
		}
		return word, nil
	})
	if err != nil {
		return nil
	}
	var out []Placed
	for _, m := range instructions.GetMounts(c) {
		if m.Type == instructions.MountTypeBind {
			out = append(out, Placed{From: inContext(m.Source), Elsewhere: m.From, To: st.path(m.Target, true)})
		}
	}
	return out
}

// place adds the sources of COPY or ADD.
func (r *commandReader) place(st *stage, in *instruction, from string, parents bool) {
	sources, dest := r.operands(st, in)
	for _, o := range sources {
		p := Placed{From: inContext(o.text.String()), Elsewhere: from, To: st.path(dest, true)}
		switch {
		case o.doc != nil:
			p.From, p.Elsewhere = o.doc.Name, "a heredoc of the Dockerfile"
		case strings.Contains(o.text.String(), "://") && in.is(command.Add):
			p.Elsewhere = "a URL"
		case parents && p.To != "":
			p.To = path.Join(p.To, p.From)
		}
		r.files[st] = append(r.files[st], p)
	}
}

// inContext is a path in the build context: nothing leads out of it.
func inContext(name string) string {
	return strings.TrimPrefix(path.Join("/", name), "/")
}

// Sources returns what the file of this absolute path in the image may be, the
// likeliest first: each with its own path in From. Which of them there are only
// the build context tells.
func (c Command) Sources(name string) []Placed {
	var out []Placed
	for i := len(c.Files) - 1; i >= 0; i-- {
		for _, from := range c.Files[i].sources(name) {
			p := c.Files[i]
			p.From, p.To = from, name
			out = append(out, p)
		}
	}
	return out
}

func (p Placed) sources(name string) []string {
	rest, below := strings.CutPrefix(name, strings.TrimSuffix(p.To, "/")+"/")
	switch {
	case p.To == "":
		return nil
	case name == p.To:
		return []string{p.From}
	case !below:
		return nil
	case strings.ContainsAny(p.From, "*?["):
		from := path.Join(path.Dir(p.From), rest)
		if matched, err := path.Match(p.From, from); err != nil || !matched {
			return nil
		}
		return []string{from}
	case rest == path.Base(p.From):
		return []string{p.From, path.Join(p.From, rest)}
	}
	return []string{path.Join(p.From, rest)}
}
