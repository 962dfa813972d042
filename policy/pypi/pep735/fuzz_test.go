package pep735

import (
	"fmt"
	"slices"
	"testing"
)

// tableOf makes a table of bytes: a byte starts a group, or adds a requirement,
// an include, or something else to the last one.
func tableOf(data []byte) []Group {
	var groups []Group
	for at, b := range data {
		name := string(rune('a' + b/8%8))
		if b%8 == 0 || len(groups) == 0 {
			groups = append(groups, Group{Name: name, At: at, NotList: b == 248})
			continue
		}
		e := Entry{At: at, Text: name}
		switch b % 8 {
		case 1, 2, 3:
			e.Kind = Include
		case 4:
			e.Kind = OtherTable
		case 5:
			e.Text = "not a requirement"
		default:
			e.Text = fmt.Sprintf("%s>=%d", name, at)
		}
		last := &groups[len(groups)-1]
		last.Entries = append(last.Entries, e)
	}
	return groups
}

// FuzzTable holds that the two ways to resolve agree, and that a group can be
// expanded if and only if nothing is wrong with what it includes.
func FuzzTable(f *testing.F) {
	f.Add([]byte{0, 6, 9, 8, 6, 17, 16, 7})
	f.Add([]byte{0, 9, 8, 1})
	f.Add([]byte{0, 0})
	f.Add([]byte{0, 4, 5, 57, 248, 6})
	f.Fuzz(func(t *testing.T, data []byte) {
		groups := tableOf(data)
		table := New(groups)
		once := table.Requirements()
		clean := len(table.Problems()) == 0
		for _, g := range groups {
			expanded, err := table.Expand(g.Name)
			if err != nil {
				if clean && err.(*Error).Problem != TooMany {
					t.Fatalf("%+v has no problem, but %s: %v", groups, g.Name, err)
				}
				continue
			}
			for _, r := range once {
				in := slices.ContainsFunc(expanded, func(e Resolved) bool { return e.Entry == r.Entry })
				if in != slices.Contains(r.Groups, g.Name) {
					t.Fatalf("%+v: %s is in %s: %t, but its groups are %q", groups, r.Requirement, g.Name, in, r.Groups)
				}
			}
		}
	})
}
