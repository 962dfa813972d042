package manifest

import (
	"github.com/loopx/loopx-frontend/policy/manifest/tomltree"
	"github.com/loopx/loopx-frontend/policy/pypi/pep735"
)

// groups is PEP 735's table: each requirement once, where it stands, with the
// groups that include it.
func (p *project) groups() {
	values := map[int]*tomltree.Value{}
	var all []pep735.Group
	p.table(p.document, p.root.Get("dependency-groups"), "dependency-groups", func(e *tomltree.Entry) {
		g := pep735.Group{Name: e.Key, At: e.Start, NotList: !e.Value.Is(tomltree.Array)}
		for _, item := range e.Value.Items() {
			values[item.Start] = item
			g.Entries = append(g.Entries, groupEntry(item))
		}
		all = append(all, g)
	})
	table := pep735.New(all)
	for _, bad := range table.Problems() {
		p.fail(p.name, p.at(p.inFile(bad.At)), bad.Msg)
	}
	sets := map[string][]string{}
	for _, found := range table.Requirements() {
		v := values[found.Entry.At]
		q := p.template(v, Groups, "dependency-groups."+found.Group)
		if sets[found.Group] == nil {
			for _, g := range found.Groups {
				sets[found.Group] = append(sets[found.Group], set(p.name, "dependency-groups."+g)...)
			}
		}
		q.Groups, q.Sets = found.Groups, sets[found.Group]
		p.specifier(q, v.Text, p.content(v), &found.Requirement)
	}
}

func groupEntry(item *tomltree.Value) pep735.Entry {
	e := pep735.Entry{At: item.Start}
	switch {
	case item.Is(tomltree.String):
		e.Kind, e.Text = pep735.Requirement, item.Text
	case !item.Is(tomltree.Table):
		e.Kind = pep735.OtherType
	case len(item.Entries()) != 1 || item.Get("include-group") == nil:
		e.Kind = pep735.OtherTable
	case !item.Get("include-group").Is(tomltree.String):
		e.Kind = pep735.OtherType
	default:
		e.Kind, e.Text = pep735.Include, item.Get("include-group").Text
	}
	return e
}
