package pep735

import "github.com/loopx/loopx-frontend/policy/pypi/pep503"

// Requirements returns each valid requirement of the table once, in the
// table's order, with all the groups that have it. It does so where the table
// has problems, too.
func (t *Table) Requirements() []Resolved {
	holders := make([][]string, len(t.groups))
	for i, g := range t.groups {
		holders[i] = append(holders[i], g.Name)
	}
	for i, g := range t.groups {
		for _, reached := range t.reach(i)[1:] {
			holders[reached] = append(holders[reached], g.Name)
		}
	}
	var all []Resolved
	for i, g := range t.groups {
		for _, r := range g.own {
			r.Groups = holders[i]
			all = append(all, r)
		}
	}
	return all
}

// Expand returns what installing the groups means: the requirements of each in
// turn, includes in the place where they stand, repeats kept, as packaging
// resolves them. Names are compared in normal form. The error is the first
// *Error of the groups that are asked for and of those they include, or of
// the names in the table.
func (t *Table) Expand(names ...string) ([]Resolved, error) {
	if len(t.problems) > 0 {
		return nil, t.problems[0]
	}
	done := make([][]*Resolved, len(t.groups))
	var all []Resolved
	for _, name := range names {
		i, ok := t.byName[pep503.Normalize(name)]
		if !ok {
			return nil, notAsked(name)
		}
		for _, reached := range t.reach(i) {
			if problems := t.groups[reached].problems; len(problems) > 0 {
				return nil, problems[0]
			}
		}
		resolved, err := t.expand(i, done)
		if err != nil {
			return nil, err
		}
		if len(all)+len(resolved) > MaxResolved {
			return nil, tooLong(name)
		}
		for _, r := range resolved {
			all = append(all, *r)
		}
	}
	return all, nil
}

// expand resolves a group that reaches no cycle. It remembers in done what it
// has resolved, so that each group is walked once.
func (t *Table) expand(i int, done [][]*Resolved) ([]*Resolved, error) {
	if done[i] != nil {
		return done[i], nil
	}
	g := &t.groups[i]
	all := []*Resolved{}
	for _, s := range g.steps {
		if !s.include {
			all = append(all, &g.own[s.index])
			continue
		}
		included, err := t.expand(s.index, done)
		if err != nil {
			return nil, err
		}
		if all = append(all, included...); len(all) > MaxResolved {
			return nil, tooLong(g.Name)
		}
	}
	done[i] = all
	return all, nil
}

// reach returns the group and all that it includes, at whatever depth, each
// once.
func (t *Table) reach(from int) []int {
	seen := make([]bool, len(t.groups))
	seen[from] = true
	reached := []int{from}
	for at := 0; at < len(reached); at++ {
		for _, s := range t.groups[reached[at]].steps {
			if s.include && !seen[s.index] {
				seen[s.index] = true
				reached = append(reached, s.index)
			}
		}
	}
	return reached
}
