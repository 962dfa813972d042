package manifest

import (
	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// project is a pyproject.toml.
type project struct {
	*reader
	*document
	first int // the index of its first requirement

	names map[string][]int // the indexes of its requirements
	known int              // how many requirements are in names
	said  map[string]bool  // the names, with their table, that once has told
}

// ofName returns the indexes of the project's requirements of a normalized
// name.
func (p *project) ofName(name string) []int {
	if p.names == nil {
		p.names, p.known = map[string][]int{}, p.first
	}
	for ; p.known < len(p.out.Requirements); p.known++ {
		q := p.out.Requirements[p.known]
		p.names[q.Name] = append(p.names[q.Name], p.known)
	}
	return p.names[name]
}

// once is ofName for the key of a table: nothing for another spelling of a name
// that is there already.
func (p *project) once(table string, e *tomltree.Entry) []int {
	name := normal(e.Key)
	key := table + "." + name
	if p.said[key] {
		return nil
	}
	if p.said == nil {
		p.said = map[string]bool{}
	}
	p.said[key] = true
	return p.ofName(name)
}

// project reads a pyproject.toml with the tables of the tools that are known.
func (r *reader) project(f *source) {
	d, ok := r.toml(f, true)
	if !ok {
		return
	}
	p := project{reader: r, document: d, first: len(r.out.Requirements)}
	tool := d.root.Get("tool")
	p.buildSystem()
	p.metadata()
	p.dynamic()
	p.groups()
	p.poetry(tool.Get("poetry"))
	p.pdm(tool.Get("pdm"))
	p.hatch(tool.Get("hatch"), "tool.hatch.")
	p.uv(tool.Get("uv"), "tool.uv.")
	p.flit(tool.Get("flit"))
	p.groupList(tool.Get("rye", "dev-dependencies"), "tool.rye.dev-dependencies", "dev")
	p.pixi(tool.Get("pixi"), "tool.pixi.")
	p.self()
}

// toolFile reads the file of its own that a tool may have in place of its table
// in pyproject.toml.
func (r *reader) toolFile(f *source, kind Kind) {
	d, ok := r.toml(f, kind == HatchProject)
	if !ok {
		return
	}
	p := project{reader: r, document: d, first: len(r.out.Requirements)}
	switch kind {
	case PixiProject:
		p.pixi(d.root, "")
	case HatchProject:
		p.hatch(d.root, "")
	case UvProject:
		p.uv(d.root, "")
	}
}

// buildSystem is PEP 518's table.
func (p *project) buildSystem() {
	v := p.root.Get("build-system")
	switch {
	case v == nil:
		p.noBuildSystem()
	case !v.Is(tomltree.Table):
		p.failAt(p.document, v, "build-system is %s: write a table", v.Kind)
	case v.Get("requires") == nil:
		p.failAt(p.document, v, "build-system has no requires, which PEP 518 asks for: list what the build needs")
	default:
		p.list(p.document, v.Get("requires"), Build, "build-system.requires")
	}
}

// noBuildSystem notes a project that doesn't say what builds it. One that says
// that it is never built needs nothing.
func (p *project) noBuildSystem() {
	for _, never := range [][]string{{"tool", "uv", "package"}, {"tool", "poetry", "package-mode"}} {
		if v := p.root.Get(never...); v.Is(tomltree.Bool) && !v.True() {
			return
		}
	}
	p.note(p.name, p.span(0, 0), Policy, "build-system.requires",
		"build requirements are not declared, so any setuptools may build the project: add [build-system] with requires")
}

// metadata is PEP 621's table.
func (p *project) metadata() {
	v := p.root.Get("project")
	if v == nil {
		return
	}
	if !v.Is(tomltree.Table) {
		p.failAt(p.document, v, "project is %s: write a table", v.Kind)
		return
	}
	p.list(p.document, v.Get("dependencies"), Runtime, "project.dependencies")
	p.table(p.document, v.Get("optional-dependencies"), "project.optional-dependencies", func(e *tomltree.Entry) {
		p.list(p.document, e.Value, Optional, "optional-dependencies."+e.Key)
	})
	p.requiresPython(v.Get("requires-python"), "project.requires-python")
}

// requiresPython reads a specifier of versions of Python.
func (p *project) requiresPython(v *tomltree.Value, what string) { p.pythonOf(p.document, v, what) }

func (r *reader) pythonOf(d *document, v *tomltree.Value, what string) {
	if v == nil {
		return
	}
	if !v.Is(tomltree.String) {
		r.failAt(d, v, "%s is %s: write a string", what, v.Kind)
		return
	}
	s, err := pep440.ParseSpecifiers(v.Text)
	if err != nil {
		r.failAt(d, v, "%s is no specifier: %s", what, err)
		return
	}
	r.out.Python = append(r.out.Python, Python{d.name, d.spanOf(v), v.Text, s.Set()})
}

// projectName is the normalized name of the project, "" if it has none.
func (p *project) projectName() string {
	name := p.root.Get("project", "name").Str()
	if name == "" {
		name = p.root.Get("tool", "poetry", "name").Str()
	}
	return pep503.Normalize(name)
}

// self marks the requirements that are the project's own extras: all extras in
// one is written so.
func (p *project) self() {
	name := p.projectName()
	if name == "" {
		return
	}
	all := p.out.Requirements[p.first:]
	for i := range all {
		if q := &all[i]; q.File == p.name && q.Name == name && q.Scope != Build && q.Source.Kind == Index {
			q.Source = Source{Kind: Self, By: "project.name"}
			q.Admits = nil
		}
	}
}
