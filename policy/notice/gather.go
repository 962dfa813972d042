package notice

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// gathered is a notice with its records.
type gathered struct {
	Notice
	records []*osv.Record
}

// gather puts the records of one vulnerability together. Aliases hold in both
// directions and from one to the next (the OSV schema, "aliases field");
// withdrawn records join nothing, since a wrong alias is a reason to withdraw one.
func gather(all []osv.Record) []gathered {
	records := latest(all)
	g := joined{parent: map[string]string{}}
	for _, r := range records {
		g.of(r.ID)
		if r.IsWithdrawn() {
			continue
		}
		for _, name := range names(r) {
			g.parent[g.of(name)] = g.of(r.ID)
		}
	}
	byRoot := map[string][]*osv.Record{}
	for _, r := range records {
		root := g.of(r.ID)
		if r.IsWithdrawn() {
			root = "withdrawn " + r.ID
		}
		byRoot[root] = append(byRoot[root], r)
	}
	var out []gathered
	for _, root := range slices.Sorted(maps.Keys(byRoot)) {
		out = append(out, describe(byRoot[root]))
	}
	slices.SortFunc(out, func(a, b gathered) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// latest keeps, of the records of one id, the one that was modified last, sorted
// by id.
func latest(all []osv.Record) []*osv.Record {
	byID := map[string]*osv.Record{}
	for i := range all {
		if old := byID[all[i].ID]; old == nil || all[i].Modified.After(old.Modified) {
			byID[all[i].ID] = &all[i]
		}
	}
	return slices.SortedFunc(maps.Values(byID), func(a, b *osv.Record) int { return strings.Compare(a.ID, b.ID) })
}

// names are the aliases of a record. What a distribution's record about a CVE
// calls its upstream is that CVE: DEBIAN-CVE-2024-6119 is CVE-2024-6119.
func names(r *osv.Record) []string {
	all := slices.Clone(r.Aliases)
	for _, up := range r.Upstream {
		if up != "" && strings.HasSuffix(r.ID, "-"+up) {
			all = append(all, up)
		}
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// joined are sets of names that mean one thing.
type joined struct{ parent map[string]string }

// of returns the name that stands for all of a set.
func (g *joined) of(name string) string {
	up, ok := g.parent[name]
	if !ok {
		g.parent[name] = name
		return name
	}
	for up != name {
		g.parent[name] = g.parent[up]
		name, up = up, g.parent[up]
	}
	return name
}

// describe makes the notice of its records.
func describe(records []*osv.Record) gathered {
	n := gathered{records: records}
	for _, r := range records {
		n.Records = append(n.Records, r.ID)
		n.IDs = append(n.IDs, r.ID)
		n.IDs = append(n.IDs, names(r)...)
		n.Summary, n.Rating = cmp.Or(n.Summary, r.Summary), cmp.Or(n.Rating, r.Rating)
		n.Malicious = n.Malicious || strings.HasPrefix(r.ID, "MAL-")
		if n.Published.IsZero() || !r.Published.IsZero() && r.Published.Before(n.Published) {
			n.Published = r.Published
		}
		if r.Modified.After(n.Modified) {
			n.Modified = r.Modified
		}
		for _, ref := range r.References {
			if ref.Type == "ADVISORY" || ref.Type == "WEB" {
				n.Page = cmp.Or(n.Page, ref.URL)
			}
		}
	}
	n.ID = records[0].ID
	slices.Sort(n.IDs)
	n.IDs = slices.Compact(n.IDs)
	return n
}

// withdrawn reports whether the notice has been taken back.
func (n *gathered) withdrawn() bool { return n.records[0].IsWithdrawn() }
