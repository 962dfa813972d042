package rewrite

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// stage is what a stage's instructions have made so far of what the next one
// depends on.
type stage struct {
	name    string // the name, or the index from 0
	base    string // the name under which FROM finds it, or ""
	env     environ
	image   environ // what ENV has set: the configuration of the image
	shell   []string
	workdir string // "" if not known
	user    string // "" for the one of the base image
	// platform is the one that FROM names, "" for that of the build.
	platform string
	// persisted says that the image keeps what apt needs; block are the lines for
	// it, nil if they are to be inserted.
	persisted bool
	block     *block
	apt       aptSources
	// triggers are the stage's ONBUILD instructions.
	triggers []*instruction
}

// walk dispatches the instructions in the order of the file.
func (p *planner) walk() {
	var st *stage
	index := 0
	for _, in := range p.file.list {
		if c, ok := in.cmd.(*instructions.Stage); ok {
			p.close(st)
			p.scope(in, &p.global)
			p.checkBase(in, c)
			st = p.open(c, index)
			index++
		} else if c, ok := in.cmd.(*instructions.ArgCommand); ok && st == nil {
			p.scope(in, &p.global)
			p.checkText(in)
			p.globalArg(in, c)
		} else if p.scope(in, &st.env); !p.inBlock(st, in) {
			p.dispatch(st, in)
		}
	}
	p.close(st)
}

// scope remembers what an instruction sees.
func (p *planner) scope(in *instruction, env *environ) {
	p.scopes = append(p.scopes, scope{in, env.vars})
}

// rescope says that an instruction sees other variables: ONBUILD is written
// where others hold than where it runs.
func (p *planner) rescope(in *instruction, env *environ) {
	i := slices.IndexFunc(p.scopes, func(s scope) bool { return s.in == in })
	p.scopes[i].env = env.vars
}

// open starts a stage. One that is built from another continues with what that
// stage left, where ENV wins over an ARG that came after it.
func (p *planner) open(c *instructions.Stage, index int) *stage {
	st := &stage{shell: []string{"/bin/sh", "-c"}}
	x := expansion{env: &p.global, escape: p.file.escape}
	if from, ok := x.expand(textmap.Synthetic(c.BaseName)); ok {
		if base, ok := p.stages[from.String()]; ok {
			copied := *base
			st = &copied
			st.triggers = nil
			for _, v := range base.image.vars {
				st.env.set(v.Name, v.Value)
			}
		}
	}
	if platform, ok := x.expand(textmap.Synthetic(c.Platform)); ok && c.Platform != "" {
		st.platform = platform.String()
	}
	st.name, st.base = strconv.Itoa(index), strings.ToLower(c.Name)
	if c.Name != "" {
		st.name = c.Name
	}
	return st
}

// close ends a stage. Its ONBUILD triggers run first of all in whatever is
// built from it, so they see what the whole stage has set.
func (p *planner) close(st *stage) {
	if st == nil {
		return
	}
	for _, in := range st.triggers {
		if t := triggered(in); t != nil {
			p.outer[t] = in
			p.rescope(in, &st.env)
			p.dispatch(st, t)
		}
	}
	if st.base != "" {
		p.stages[st.base] = st
	}
}

func (p *planner) dispatch(st *stage, in *instruction) {
	p.checkText(in)
	switch c := in.cmd.(type) {
	case *instructions.ArgCommand:
		p.arg(st, in, c)
	case *instructions.EnvCommand:
		p.env(st, in, c)
	case *instructions.RunCommand:
		p.run(st, in, c)
	case *instructions.AddCommand:
		p.add(st, in, c)
	case *instructions.CopyCommand:
		p.copy(st, in)
	case *instructions.ShellCommand:
		st.shell = c.Shell
	case *instructions.WorkdirCommand:
		p.workdir(st, c)
	case *instructions.UserCommand:
		st.user = c.User
	case *instructions.OnbuildCommand:
		st.triggers = append(st.triggers, in)
	case *instructions.CmdCommand, *instructions.EntrypointCommand, *instructions.HealthCheckCommand:
		p.runtime(st, in)
	case *instructions.LabelCommand, *instructions.MaintainerCommand:
		p.label(st, in)
	}
}

// workdir is WORKDIR; a relative path is known if the one before is.
func (p *planner) workdir(st *stage, c *instructions.WorkdirCommand) {
	x := expansion{env: &st.env, escape: p.file.escape}
	dir, ok := x.expand(textmap.Synthetic(c.Path))
	st.workdir = st.path(dir.String(), ok)
}

// path returns the absolute path of name, or "" if it isn't known.
func (st *stage) path(name string, known bool) string {
	switch {
	case !known || strings.Contains(name, "${"):
		return ""
	case strings.HasPrefix(name, "/"):
		return path.Clean(name)
	case st.workdir == "":
		return ""
	}
	return path.Join(st.workdir, name)
}
