package rewrite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// settle makes the list of edits out of the findings' own. This is the one
// place where edits are checked: they lie in the file, add and remove no line
// ending, and don't overlap. Equal edits count once. Findings whose edits fail
// lose all of them, since a fix is taken whole or not at all, and become
// NotEdited; so do both sides of a conflict.
func settle(src string, all []candidate, fetches []located) ([]Edit, []Finding) {
	for i := range all {
		if c := &all[i]; !valid(src, c.Edits) {
			c.drop("its edit would break the file's lines")
		} else if !valid(src, c.Fix) {
			c.Fix = nil
		} else if other := compared(*c, fetches); other != nil {
			c.drop(fmt.Sprintf("line %d compares text with the same value", other.in.span.Start.Line))
		}
	}
	dropConflicts(all)
	var edits []Edit
	findings := make([]Finding, 0, len(all))
	for _, c := range all {
		edits = append(edits, c.Edits...)
		findings = append(findings, c.Finding)
	}
	slices.SortFunc(edits, compareEdits)
	slices.SortStableFunc(findings, compareFindings)
	findings = slices.CompactFunc(findings, func(a, b Finding) bool {
		return compareFindings(a, b) == 0 && slices.Equal(a.Edits, b.Edits)
	})
	return slices.Compact(edits), findings
}

// drop takes a candidate's edits away.
func (c *candidate) drop(why string) { c.Finding = notEdited(c.Range, *c.fetch, why) }

// valid reports whether one finding's edits are in bounds and disjoint and
// keep the line law.
func valid(src string, edits []Edit) bool {
	edits = slices.SortedFunc(slices.Values(edits), compareEdits)
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return false
		}
		if strings.ContainsAny(e.New, "\r\n\x00") || strings.ContainsAny(src[e.Start:e.End], "\r\n") {
			return false
		}
		at = e.End
	}
	return true
}

// compared returns another use of the value that c edits, where that value is
// matched against other text: to edit it would change what is matched.
func compared(c candidate, fetches []located) *located {
	if c.fetch == nil || c.fetch.Arg != words.VarArg {
		return nil
	}
	for i := range fetches {
		f := &fetches[i]
		if f.Arg != words.VarArg || f.Decision.Action != route.Keep || f.Role != route.Match {
			continue
		}
		if slices.ContainsFunc(c.Edits, func(e Edit) bool { return e.Start <= f.End && f.Start <= e.End }) {
			return f
		}
	}
	return nil
}

// dropConflicts drops every finding with an edit that overlaps a different
// edit of another finding.
func dropConflicts(all []candidate) {
	type owned struct {
		Edit
		owner int
	}
	var list []owned
	for i, c := range all {
		for _, e := range c.Edits {
			list = append(list, owned{e, i})
		}
	}
	slices.SortFunc(list, func(a, b owned) int {
		return cmp.Or(compareEdits(a.Edit, b.Edit), a.owner-b.owner)
	})
	bad := map[int]bool{}
	for i, a := range list {
		for _, b := range list[i+1:] {
			if b.Start > a.Start && b.Start >= a.End {
				break
			}
			if a.Edit != b.Edit {
				bad[a.owner], bad[b.owner] = true, true
			}
		}
	}
	for i := range bad {
		all[i].drop("another fetch needs a different edit of the same text")
	}
}

func compareEdits(a, b Edit) int {
	return cmp.Or(a.Start-b.Start, a.End-b.End, strings.Compare(a.New, b.New))
}
