package manifest

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// uv is tool.uv, or a uv.toml. Source: uv's settings reference.
func (p *project) uv(v *tomltree.Value, prefix string) {
	p.groupList(v.Get("dev-dependencies"), prefix+"dev-dependencies", "dev")
	for _, key := range []string{"constraint-dependencies", "override-dependencies", "build-constraint-dependencies"} {
		p.list(p.document, v.Get(key), Constraints, prefix+key)
	}
	p.table(p.document, v.Get("extra-build-dependencies"), prefix+"extra-build-dependencies", func(e *tomltree.Entry) {
		p.extraBuild(e.Value, prefix+"extra-build-dependencies."+e.Key)
	})
	if v.Get("prerelease").Str() == "allow" {
		p.allowPre()
	}
	p.uvSources(v.Get("sources"), prefix+"sources")
}

// extraBuild is a list of requirements, or of tables that hold one.
func (p *project) extraBuild(v *tomltree.Value, table string) {
	if !v.Is(tomltree.Array) {
		p.list(p.document, v, Build, table)
		return
	}
	for _, item := range v.Items() {
		if r := item.Get("requirement"); r.Is(tomltree.String) {
			item = r
		}
		if !item.Is(tomltree.String) {
			p.failAt(p.document, item, "%s holds %s: write a string, or a table with a requirement", label(table), item.Kind)
			continue
		}
		p.specifier(p.template(item, Build, table), item.Text, p.content(item), nil)
	}
}

// groupList is a list that belongs to one named group.
func (p *project) groupList(v *tomltree.Value, table, group string) {
	n := len(p.out.Requirements)
	p.list(p.document, v, Groups, table)
	for i := range p.out.Requirements[n:] {
		p.out.Requirements[n+i].Groups = []string{group}
	}
}

// allowPre lets the pre-releases into all that the file declares, but for what
// isolated builds install.
func (p *project) allowPre() {
	for i := range p.out.Requirements[p.first:] {
		if q := &p.out.Requirements[p.first+i]; q.Scope != Build {
			q.Pre = true
		}
	}
}

// uvSources says where uv takes requirements of this file from. What others
// install is still what the requirement admits, so that is kept.
func (p *project) uvSources(v *tomltree.Value, table string) {
	p.table(p.document, v, table, func(e *tomltree.Entry) {
		from, always := uvSource(e.Value)
		if from.Kind == Index {
			return
		}
		from.By = table
		for _, i := range p.once(table, e) {
			q := &p.out.Requirements[i]
			if q.Source.Kind != Index {
				continue
			}
			if always {
				q.Source = from
			} else {
				p.note(p.name, p.keySpan(e), Check, table, "uv takes "+label(e.Key)+" from elsewhere under some conditions: what the requirement admits is checked all the same")
			}
		}
	})
}

// uvSource is one source, or a list of them with markers; always is false if it
// holds under conditions only.
func uvSource(v *tomltree.Value) (from Source, always bool) {
	items := v.Items()
	if v.Is(tomltree.Table) {
		items = []*tomltree.Value{v}
	}
	always = len(items) == 1
	for _, item := range items {
		if item.Get("marker") != nil || item.Get("extra") != nil || item.Get("group") != nil {
			always = false
		}
		switch {
		case item.Get("workspace").True():
			from = Source{Kind: Workspace}
		case item.Get("path") != nil:
			from = Source{Kind: Path, Place: shorten(item.Get("path").Str())}
		case item.Get("git") != nil:
			from = Source{Kind: VCS, Place: shorten(item.Get("git").Str()), Hint: shorten(revision(item))}
		case item.Get("url") != nil:
			from = Source{Kind: Archive, Place: shorten(item.Get("url").Str())}
		}
	}
	return from, always
}

// revision is what a table says of a repository's state.
func revision(v *tomltree.Value) string {
	for _, key := range []string{"tag", "rev", "branch", "ref", "reference", "revision"} {
		if s := v.Get(key).Str(); s != "" {
			return s
		}
	}
	return ""
}

// flit is flit's own metadata, of before PEP 621. Source: flit's documentation,
// "The pyproject.toml config file", old style.
func (p *project) flit(v *tomltree.Value) {
	v = v.Get("metadata")
	p.list(p.document, v.Get("requires"), Runtime, "tool.flit.metadata.requires")
	p.groupList(v.Get("dev-requires"), "tool.flit.metadata.dev-requires", "dev")
	p.table(p.document, v.Get("requires-extra"), "tool.flit.metadata.requires-extra", func(e *tomltree.Entry) {
		p.list(p.document, e.Value, Optional, "tool.flit.metadata.requires-extra."+e.Key)
	})
	p.requiresPython(v.Get("requires-python"), "tool.flit.metadata.requires-python")
}

// hatch is tool.hatch, or a hatch.toml. Source: Hatch's documentation, "Build
// configuration" and "Environment configuration".
func (p *project) hatch(v *tomltree.Value, prefix string) {
	p.hatchBuild(v.Get("build"), prefix+"build.")
	p.table(p.document, v.Get("envs"), prefix+"envs", func(e *tomltree.Entry) {
		for _, key := range []string{"dependencies", "extra-dependencies"} {
			p.hatchList(e.Value.Get(key), Groups, prefix+"envs."+e.Key+"."+key, e.Key)
		}
		p.hatchOverrides(e.Value.Get("overrides"), prefix+"envs."+e.Key+".overrides", e.Key)
	})
}

// hatchBuild is the build's own dependencies, those of its targets and those of
// the hooks of both.
func (p *project) hatchBuild(v *tomltree.Value, prefix string) {
	p.hatchList(v.Get("dependencies"), Build, prefix+"dependencies", "")
	p.table(p.document, v.Get("hooks"), prefix+"hooks", func(e *tomltree.Entry) {
		p.hatchList(e.Value.Get("dependencies"), Build, prefix+"hooks."+e.Key+".dependencies", "")
	})
	p.table(p.document, v.Get("targets"), prefix+"targets", func(e *tomltree.Entry) {
		p.hatchBuild(e.Value, prefix+"targets."+e.Key+".")
	})
}

// hatchOverrides are lists that hold under a condition: by an environment
// variable, a matrix, a platform.
func (p *project) hatchOverrides(v *tomltree.Value, prefix, env string) {
	v.Walk(func(keys []string, v *tomltree.Value) bool {
		if len(keys) == 0 || !v.Is(tomltree.Array) {
			return true
		}
		if strings.HasSuffix(keys[len(keys)-1], "dependencies") {
			p.hatchList(v, Groups, prefix+"."+strings.Join(keys, "."), env)
			return false
		}
		return true
	})
}

// hatchList is a list of requirements in which Hatch replaces fields such as
// {matrix:version}, or of tables that hold one under a condition.
func (p *project) hatchList(v *tomltree.Value, scope Scope, table, env string) {
	if v != nil && !v.Is(tomltree.Array) {
		p.list(p.document, v, scope, table)
		return
	}
	for _, item := range v.Items() {
		if value := item.Get("value"); value.Is(tomltree.String) {
			item = value
		}
		if !item.Is(tomltree.String) {
			p.failAt(p.document, item, "%s holds %s: write strings", label(table), item.Kind)
			continue
		}
		q := p.template(item, scope, table)
		if env != "" {
			q.Groups = []string{env}
		}
		if _, err := pep508.Parse(item.Text); err != nil && strings.Contains(item.Text, "{") {
			p.guess(q, item.Text, p.content(item))
			continue
		}
		p.specifier(q, item.Text, p.content(item), nil)
	}
}

// pdm is tool.pdm. Source: PDM's documentation, "Manage dependencies" and
// "Lock file".
func (p *project) pdm(v *tomltree.Value) {
	p.table(p.document, v.Get("dev-dependencies"), "tool.pdm.dev-dependencies", func(e *tomltree.Entry) {
		table := "tool.pdm.dev-dependencies." + e.Key
		p.strings(p.document, e.Value, table, func(item *tomltree.Value) {
			q := p.template(item, Groups, table)
			q.Groups = []string{e.Key}
			if path, editable := strings.CutPrefix(item.Text, "-e "); editable {
				at := shifted{p.content(item), len(item.Text) - len(path)}
				p.address(q, path, at)
				return
			}
			p.specifier(q, item.Text, p.content(item), nil)
		})
	})
	resolution := v.Get("resolution")
	p.table(p.document, resolution.Get("overrides"), "tool.pdm.resolution.overrides", func(e *tomltree.Entry) {
		p.named(p.document, e, Constraints, "tool.pdm.resolution.overrides", overriding())
	})
	if resolution.Get("allow-prereleases").True() {
		p.allowPre()
	}
}

// shifted are the places of a text without its first bytes.
type shifted struct {
	places
	by int
}

func (s shifted) place(i, j int) (Span, bool) { return s.places.place(i+s.by, j+s.by) }

// pixi is tool.pixi, or a pixi.toml: its dependencies from PyPI. Those from
// conda are of another ecosystem. Source: Pixi's manifest reference.
func (p *project) pixi(v *tomltree.Value, prefix string) {
	p.pixiTables(v, prefix, "default")
	p.table(p.document, v.Get("feature"), prefix+"feature", func(e *tomltree.Entry) {
		p.pixiTables(e.Value, prefix+"feature."+e.Key+".", e.Key)
	})
}

func (p *project) pixiTables(v *tomltree.Value, prefix, group string) {
	n := len(p.out.Requirements)
	p.pixiTable(v, prefix)
	p.table(p.document, v.Get("target"), prefix+"target", func(e *tomltree.Entry) {
		p.pixiTable(e.Value, prefix+"target."+e.Key+".")
	})
	for i := range p.out.Requirements[n:] {
		p.out.Requirements[n+i].Groups = []string{group}
	}
	if e := v.Entry("dependencies"); e != nil && e.Value.Is(tomltree.Table) {
		p.note(p.name, p.keySpan(e), NotApplicable, prefix+"dependencies", "these are packages of conda, which have versions of their own: they are not checked")
	}
	p.table(p.document, v.Get("pypi-options", "dependency-overrides"), prefix+"pypi-options.dependency-overrides", func(e *tomltree.Entry) {
		p.named(p.document, e, Constraints, prefix+"pypi-options.dependency-overrides", standard())
	})
}

func (p *project) pixiTable(v *tomltree.Value, prefix string) {
	p.table(p.document, v.Get("pypi-dependencies"), prefix+"pypi-dependencies", func(e *tomltree.Entry) {
		p.named(p.document, e, Groups, prefix+"pypi-dependencies", standard())
	})
}
