package pep735

import (
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// MaxGroups is how many groups a table may have; more is an error. It bounds
// what includes can cost.
const MaxGroups = 500

// MaxResolved is how many requirements Expand may give; more is an error, for
// a few includes of includes can make any number of them.
const MaxResolved = 10_000

// Table is the whole of [dependency-groups].
type Table struct {
	groups []group
	// byName has normalized names; of two groups with one name the first.
	byName map[string]int
	// problems are those that concern the table as a whole.
	problems []*Error
}

type group struct {
	Group
	// own are the requirements that stand in the group itself, in order.
	own []Resolved
	// steps are the group's valid entries, in order.
	steps []step
	// problems are what is wrong with the group and its entries.
	problems []*Error
}

// step is an entry of a group: either an index in own, or an included group.
type step struct {
	include bool
	index   int
	entry   Entry
}

// Resolved is a requirement of a group.
type Resolved struct {
	Requirement pep508.Requirement
	// Entry is where it stands, once, whatever includes it.
	Entry Entry
	// Group is the name of the group where it stands, as written.
	Group string
	// Groups are the names of all groups that have it: Group, then those
	// that include it, in the table's order. It is shared, and nil in what
	// Expand gives.
	Groups []string
}

// New reads the table's groups in their order. What is wrong with them is in
// Problems; what is right is read all the same.
func New(groups []Group) *Table {
	t := &Table{byName: map[string]int{}}
	if len(groups) > MaxGroups {
		t.problems = append(t.problems, tooManyGroups(groups[MaxGroups]))
		return t
	}
	for i, g := range groups {
		t.groups = append(t.groups, group{Group: g})
		name := pep503.Normalize(g.Name)
		if first, ok := t.byName[name]; ok {
			t.problems = append(t.problems, duplicateName(groups[first], g))
			continue
		}
		t.byName[name] = i
	}
	for i := range t.groups {
		t.read(&t.groups[i])
	}
	t.findCycles()
	return t
}

// Problems returns everything that is wrong: what concerns names first, then
// group by group. It is empty for a valid table.
func (t *Table) Problems() []*Error {
	all := t.problems
	for _, g := range t.groups {
		all = append(all[:len(all):len(all)], g.problems...)
	}
	return all
}

// read parses a group's entries.
func (t *Table) read(g *group) {
	if g.NotList {
		g.problems = append(g.problems, notList(g.Group))
		return
	}
	for _, e := range g.Entries {
		switch e.Kind {
		case Requirement:
			g.addRequirement(e)
		case Include:
			t.addInclude(g, e)
		default:
			g.problems = append(g.problems, badEntry(g.Group, e))
		}
	}
}

func (g *group) addRequirement(e Entry) {
	r, err := pep508.Parse(e.Text)
	if err != nil {
		g.problems = append(g.problems, badRequirement(g.Group, e, err))
		return
	}
	g.steps = append(g.steps, step{index: len(g.own), entry: e})
	g.own = append(g.own, Resolved{Requirement: r, Entry: e, Group: g.Name})
}

func (t *Table) addInclude(g *group, e Entry) {
	index, ok := t.byName[pep503.Normalize(e.Text)]
	if !ok {
		g.problems = append(g.problems, notFound(g.Group, e))
		return
	}
	g.steps = append(g.steps, step{include: true, index: index, entry: e})
}

// findCycles reports each include that leads back to a group on the way to
// it. MaxGroups bounds how deep the way is.
func (t *Table) findCycles() {
	const (
		unseen = iota
		onTheWay
		done
	)
	state := make([]int, len(t.groups))
	var visit func(int)
	visit = func(i int) {
		state[i] = onTheWay
		g := &t.groups[i]
		for _, s := range g.steps {
			switch {
			case !s.include:
			case state[s.index] == unseen:
				visit(s.index)
			case state[s.index] == onTheWay:
				g.problems = append(g.problems, cycle(g.Group, s.entry, t.groups[s.index].Group))
			}
		}
		state[i] = done
	}
	for i := range t.groups {
		if state[i] == unseen {
			visit(i)
		}
	}
}
