package review

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

// News visits what the verdict is about: new findings, reopened ones, and those
// about the change.
func (r *Result) News() iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for _, f := range r.New {
			if !yield(f) {
				return
			}
		}
		for _, f := range r.Unchanged {
			if f.Reopened && !yield(f) {
				return
			}
		}
		for _, f := range r.About {
			if !yield(f) {
				return
			}
		}
	}
}

// compare tells new, fixed and unchanged findings apart, by their fingerprints. Of
// several alike, as many are new as there are more than before: those in lines
// that the change adds before the others.
func (r *Result) compare(base, head *side) {
	before, after := byFingerprint(base.findings), byFingerprint(head.findings)
	for fingerprint, alike := range after {
		old := before[fingerprint]
		slices.SortStableFunc(alike, func(a, b found) int { return r.added(a) - r.added(b) })
		kept := min(len(old), len(alike))
		reopened := blocking(alike[:kept]) - blocking(old)
		for _, f := range alike[:kept] {
			again := f.Blocks() && reopened > 0
			if again {
				reopened--
			}
			r.Unchanged = append(r.Unchanged, Finding{f.Shadowed, again, f.Blocks() && !among(old, f.instruction)})
		}
		for _, f := range alike[kept:] {
			r.New = append(r.New, Finding{Shadowed: f.Shadowed})
		}
	}
	for fingerprint, old := range before {
		for _, f := range old[min(len(old), len(after[fingerprint])):] {
			r.Fixed = append(r.Fixed, Finding{Shadowed: f.Shadowed})
		}
	}
	for _, list := range [][]Finding{r.New, r.Fixed, r.Unchanged} {
		slices.SortStableFunc(list, order)
	}
}

// among reports whether one of findings alike is in this instruction.
func among(old []found, instruction string) bool {
	return slices.ContainsFunc(old, func(f found) bool { return f.instruction == instruction })
}

func byFingerprint(all []found) map[string][]found {
	groups := map[string][]found{}
	for _, f := range all {
		groups[f.Fingerprint] = append(groups[f.Fingerprint], f)
	}
	return groups
}

func blocking(all []found) int {
	n := 0
	for _, f := range all {
		if f.Blocks() {
			n++
		}
	}
	return n
}

// added is 1 for a finding in a line that the change adds, else 0.
func (r *Result) added(f found) int {
	if at := f.Location; at != nil && gitread.Has(r.Lines[at.File].Added, at.Start.Line) {
		return 1
	}
	return 0
}

func order(a, b Finding) int {
	p, q := place(a), place(b)
	return cmp.Or(
		strings.Compare(p.File, q.File), cmp.Compare(p.Start.Line, q.Start.Line), cmp.Compare(p.Start.Column, q.Start.Column),
		strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message), strings.Compare(a.Fingerprint, b.Fingerprint),
	)
}

func place(f Finding) policy.Location {
	if f.Location == nil {
		return policy.Location{}
	}
	return *f.Location
}

// maxLines is of how many changed files the lines are asked for: a command has an
// end.
const maxLines = 500

// lines asks for what a diff shows of the changed files that have findings.
func lines(ctx context.Context, in *Input, head *side) (map[string]gitread.Lines, error) {
	if in.Lines == nil {
		return nil, nil
	}
	found := map[string]bool{}
	for _, f := range head.findings {
		if f.Location != nil {
			found[f.Location.File] = true
		}
	}
	var files []gitread.Change
	for _, c := range in.Changed {
		if found[c.Path] && len(files) < maxLines {
			files = append(files, c)
		}
	}
	return in.Lines(ctx, files)
}

// maxSource is how much of a file's text is kept, in bytes.
const maxSource = 1 << 20

// sources are the texts of the files with news, so that their lines can be shown.
func sources(head *side, r *Result) map[string]string {
	all := map[string]string{}
	for f := range r.News() {
		if f.Location == nil {
			continue
		}
		name := f.Location.File
		if _, known := all[name]; known {
			continue
		}
		if data, err := head.view.ReadFile(name); err == nil && len(data) <= maxSource {
			all[name] = string(data)
		}
	}
	return all
}
