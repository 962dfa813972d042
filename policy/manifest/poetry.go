package manifest

import (
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/poetry"
)

// poetry is tool.poetry. Source: Poetry's documentation, "The pyproject.toml
// file" and "Dependency specification".
func (p *project) poetry(v *tomltree.Value) {
	if v == nil {
		return
	}
	p.poetryMain(v.Get("dependencies"))
	p.poetryExtras(v.Get("extras"))
	p.poetryGroup(v.Get("dev-dependencies"), "tool.poetry.dev-dependencies", []string{"dev"})
	holders := includers(v.Get("group"))
	if g := v.Get("group"); len(g.Entries()) > maxGroups {
		p.note(p.name, p.spanOf(g), Check, "tool.poetry.group", fmt.Sprintf("there are more than %d groups, and it is not told of all which others include them", maxGroups))
	}
	p.table(p.document, v.Get("group"), "tool.poetry.group", func(e *tomltree.Entry) {
		p.poetryGroup(e.Value.Get("dependencies"), "tool.poetry.group."+e.Key+".dependencies", holders[normal(e.Key)])
	})
	p.table(p.document, v.Get("requires-plugins"), "tool.poetry.requires-plugins", func(e *tomltree.Entry) {
		p.named(p.document, e, Build, "tool.poetry.requires-plugins", inPoetry())
	})
}

// poetryMain is the dependencies of the project itself. Beside PEP 621's list
// an entry without a version only says where Poetry takes one of that list's
// from.
func (p *project) poetryMain(v *tomltree.Value) {
	const table = "tool.poetry.dependencies"
	listed := p.root.Get("project", "dependencies") != nil && !p.isDynamic("dependencies")
	p.table(p.document, v, table, func(e *tomltree.Entry) {
		switch {
		case normal(e.Key) == "python":
			p.poetryPython(e.Value)
		case listed && e.Value.Is(tomltree.Table) && e.Value.Get("version") == nil:
			p.enrich(e, table)
		default:
			p.named(p.document, e, Runtime, table, inPoetry())
		}
	})
}

func (p *project) isDynamic(key string) bool {
	return slices.ContainsFunc(p.root.Get("project", "dynamic").Items(), func(v *tomltree.Value) bool { return v.Str() == key })
}

// enrich says where Poetry takes requirements of PEP 621's list from, and
// whether it takes pre-releases. What
// others install is still what the requirement admits.
func (p *project) enrich(e *tomltree.Entry, table string) {
	var from Requirement
	from.addressIn(e.Value)
	pre := e.Value.Get("allow-prereleases").True()
	for _, i := range p.once(table, e) {
		q := &p.out.Requirements[i]
		if q.Scope != Runtime && q.Scope != Optional {
			continue
		}
		q.Pre = q.Pre || pre
		if q.Source.Kind == Index && from.Source.Kind != Index {
			q.Source = from.Source
			q.Source.By = table
		}
	}
}

// poetryPython is the interpreter among the dependencies, which is no package.
func (p *project) poetryPython(v *tomltree.Value) {
	if v.Is(tomltree.Table) {
		v = v.Get("version")
	}
	if !v.Is(tomltree.String) {
		return
	}
	p.pythonUnion(p.document, v, "tool.poetry.dependencies.python")
}

// pythonUnion reads a constraint of Poetry on versions of Python.
func (r *reader) pythonUnion(d *document, v *tomltree.Value, what string) {
	c, err := poetry.Parse(v.Text)
	if err != nil {
		r.failAt(d, v, "%s is no constraint: %s", what, err)
		return
	}
	r.out.Python = append(r.out.Python, Python{d.name, d.spanOf(v), v.Text, c.Set()})
}

// poetryConstraint reads a constraint as the union of its branches.
func poetryConstraint(text string) ([]pep440.Specifiers, error) {
	c, err := poetry.Parse(text)
	if err != nil {
		return nil, err
	}
	var out []pep440.Specifiers
	for _, b := range c.Branches {
		out = append(out, b.Specifiers())
	}
	return out, nil
}

// poetryExtras names the optional dependencies that each extra asks for: it
// declares nothing by itself.
func (p *project) poetryExtras(v *tomltree.Value) {
	const table = "tool.poetry.extras"
	extras := map[string][]string{} // by the name of a dependency
	p.table(p.document, v, table, func(e *tomltree.Entry) {
		p.strings(p.document, e.Value, table+"."+e.Key, func(item *tomltree.Value) {
			name := normal(item.Text)
			if n := len(extras[name]); n == 0 || extras[name][n-1] != e.Key {
				extras[name] = append(extras[name], e.Key)
			}
			if len(p.ofName(name)) == 0 {
				p.note(p.name, p.spanOf(item), Check, table+"."+e.Key, label(item.Text)+" is not among the dependencies, so the extra doesn't install it")
			}
		})
	})
	for i := range p.out.Requirements[p.first:] {
		if q := &p.out.Requirements[p.first+i]; q.Table == "tool.poetry.dependencies" {
			q.Groups = extras[q.Name]
		}
	}
}

func (p *project) poetryGroup(v *tomltree.Value, table string, groups []string) {
	n := len(p.out.Requirements)
	p.table(p.document, v, table, func(e *tomltree.Entry) {
		if normal(e.Key) != "python" {
			p.named(p.document, e, Groups, table, inPoetry())
		}
	})
	for i := range p.out.Requirements[n:] {
		p.out.Requirements[n+i].Groups = groups
	}
}

// maxGroups is of how many groups the includes are followed.
const maxGroups = 200

// includers returns for each group, by normalized name, the names of the groups
// that have its requirements: itself, and those that include it.
func includers(v *tomltree.Value) map[string][]string {
	includes := map[string][]string{}
	for _, e := range v.Entries()[:min(maxGroups, len(v.Entries()))] {
		all := map[string]bool{}
		for _, item := range e.Value.Get("include-groups").Items() {
			if name := normal(item.Str()); !all[name] && len(all) < maxGroups {
				all[name] = true
				includes[normal(e.Key)] = append(includes[normal(e.Key)], name)
			}
		}
	}
	out := map[string][]string{}
	for _, e := range v.Entries() {
		out[normal(e.Key)] = append(out[normal(e.Key)], e.Key)
	}
	for _, e := range v.Entries() {
		for name := range reached(includes, normal(e.Key)) {
			if name != normal(e.Key) {
				out[name] = append(out[name], e.Key)
			}
		}
	}
	return out
}

// reached is what a group includes, at whatever depth.
func reached(includes map[string][]string, from string) map[string]bool {
	out := map[string]bool{}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, name := range includes[next[0]] {
			if !out[name] {
				out[name] = true
				next = append(next, name)
			}
		}
	}
	return out
}
