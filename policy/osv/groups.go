package osv

// groups are sets of names that mean one vulnerability. Aliases hold in both
// directions and from one to the next (the schema, "aliases field").
type groups struct {
	index  map[string]int
	parent []int
}

// newGroups joins the names of each record. Withdrawn records join nothing: a
// wrong alias is a reason to withdraw one.
func newGroups(entries []*entry) *groups {
	g := &groups{index: make(map[string]int, 3*len(entries))}
	for _, e := range entries {
		if !e.withdrawn.IsZero() {
			continue
		}
		root := g.of(e.id)
		for _, name := range e.names {
			other := g.of(name)
			g.parent[other] = root
		}
	}
	return g
}

// of returns the number that stands for all names of one vulnerability.
func (g *groups) of(name string) int {
	i, ok := g.index[name]
	if !ok {
		i = len(g.parent)
		g.index[name] = i
		g.parent = append(g.parent, i)
	}
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}
