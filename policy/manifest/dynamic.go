package manifest

import (
	"io/fs"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/setupcfg"
)

// dynamic follows what project.dynamic leaves to the build backend, as far as a
// table says where it is.
func (p *project) dynamic() {
	p.strings(p.document, p.root.Get("project", "dynamic"), "project.dynamic", func(v *tomltree.Value) {
		switch v.Text {
		case "dependencies":
			p.dynamicList(v, "project.dependencies", p.root.Get("project", "dependencies"))
		case "optional-dependencies":
			p.dynamicList(v, "project.optional-dependencies", p.root.Get("project", "optional-dependencies"))
		}
	})
}

// dynamicList follows one of the two lists. static is the part of it that
// stands in the file, which PEP 808 allows.
func (p *project) dynamicList(v *tomltree.Value, table string, static *tomltree.Value) {
	key := v.Text
	followed := p.setuptoolsDynamic(key) || p.hatchHook(key) || p.root.Get("tool", "poetry", "dependencies") != nil
	if followed {
		return
	}
	message := table + " is set when the project is built, and no table says from where: "
	switch {
	case p.Has(beside(p.name, "setup.py")) || p.Has(beside(p.name, "setup.cfg")):
		message += "what setup.cfg and setup.py beside it say is read, as far as it can be without running it"
	case static != nil:
		message += "only the part in this file is checked; list the rest here too"
	default:
		message += "list it in this file"
	}
	p.note(p.name, p.spanOf(v), Unprovable, table, message)
}

// setuptoolsDynamic follows tool.setuptools.dynamic. It reports whether that
// says anything about the key.
func (p *project) setuptoolsDynamic(key string) bool {
	v := p.root.Get("tool", "setuptools", "dynamic", key)
	if v == nil {
		return false
	}
	if key == "dependencies" {
		p.directive(v, Runtime, "project.dependencies")
		return true
	}
	p.table(p.document, v, "tool.setuptools.dynamic.optional-dependencies", func(e *tomltree.Entry) {
		p.directive(e.Value, Optional, "optional-dependencies."+e.Key)
	})
	return true
}

// directive is {file = …} or {attr = …}.
func (p *project) directive(v *tomltree.Value, scope Scope, table string) {
	switch file := v.Get("file"); {
	case file.Is(tomltree.String):
		p.dynamicFile(file, scope, table)
	case file != nil:
		p.strings(p.document, file, table, func(name *tomltree.Value) { p.dynamicFile(name, scope, table) })
	case v.Get("attr") != nil:
		p.note(p.name, p.spanOf(v), Unprovable, table, table+" is an attribute of a Python module, which is not run: list it in this file")
	default:
		p.failAt(p.document, v, "%s is set by neither file nor attr: setuptools asks for one of them", label(table))
	}
}

// dynamicFile reads a file of requirements as setuptools does: a requirement a
// line, and no options.
func (p *project) dynamicFile(v *tomltree.Value, scope Scope, table string) {
	q := Requirement{Scope: scope, Table: table, Sets: set(p.name, table)}
	p.lineFile(beside(p.name, v.Text), q, p.spanOf(v).Start, p.name, false)
}

// lineFile reads a file that setuptools takes requirements from. asked is where
// it is named.
func (r *reader) lineFile(name string, q Requirement, asked Position, by string, semicolons bool) {
	if !fs.ValidPath(name) || !r.Has(name) {
		r.fail(by, asked, "the file "+shorten(name)+", which is named here, is not there or leads out of the folder that is read")
		return
	}
	f, ok := r.follow(name)
	if !ok {
		return
	}
	items, err := setupcfg.FileItems([]byte(f.text), semicolons)
	if err != nil {
		r.fail(name, Position{}, err.Error())
		return
	}
	q.File = name
	for _, item := range items {
		r.specifier(q, item.Text, itemPlaces{f, item.Line, item.Start, item.Exact}, nil)
	}
}

// hatchHook follows the requirements files of the plugin
// hatch-requirements-txt. Source: its README.
func (p *project) hatchHook(key string) bool {
	hook := p.root.Get("tool", "hatch", "metadata", "hooks", "requirements_txt")
	if hook == nil {
		return false
	}
	if key == "dependencies" {
		return p.hookFiles(hook, Runtime, "project.dependencies")
	}
	extras := hook.Get("optional-dependencies")
	p.table(p.document, extras, "tool.hatch.metadata.hooks.requirements_txt.optional-dependencies", func(e *tomltree.Entry) {
		p.strings(p.document, e.Value, "optional-dependencies."+e.Key, func(v *tomltree.Value) {
			p.dynamicFile(v, Optional, "optional-dependencies."+e.Key)
		})
	})
	return extras != nil
}

func (p *project) hookFiles(hook *tomltree.Value, scope Scope, table string) bool {
	if one := hook.Get("filename"); one.Is(tomltree.String) {
		p.dynamicFile(one, scope, table)
		return true
	}
	files := hook.Get("files")
	p.strings(p.document, files, table, func(v *tomltree.Value) { p.dynamicFile(v, scope, table) })
	return files != nil
}
