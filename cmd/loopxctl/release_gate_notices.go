package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/feed"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/notice"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/scan"
	files "github.com/loopx/loopx-frontend/policy/tree"
)

// recentNotices are the records of the advisories, and when a gate passed last.
type recentNotices struct {
	since   time.Time
	commit  string
	records []osv.Record
}

// remember reads when a gate passed last, and has the records kept as the
// advisories are read.
func (c *gateCommand) remember(ctx context.Context) error {
	here := "."
	if c.dir != "" {
		here = c.dir
	}
	root, err := c.floorsRoot(ctx, []string{here}, false)
	if err != nil {
		return err
	}
	c.folder = root.dir
	if err := root.Close(); err != nil {
		return err
	}
	if c.recent.since, c.recent.commit, err = c.since(ctx, c.folder); err != nil {
		return err
	}
	c.floors.opener = c.recent.open
	return nil
}

// open reads the database. Of the records nothing is kept that only people read.
func (n *recentNotices) open(ctx context.Context, source string, o feed.Options) (*osv.Database, osv.Snapshot, error) {
	return feed.OpenEach(ctx, source, o, func(r osv.Record) {
		r.Details = ""
		n.records = append(n.records, r)
	})
}

// unknown are the records that the last gate can't have known: it may have gone by
// advisories of that age.
func (n *recentNotices) unknown(age time.Duration) []osv.Record {
	if n.since.IsZero() {
		return n.records
	}
	return notice.RecordsSince(n.records, n.since.Add(-age))
}

// notices evaluates the records that have changed since the last gate that passed,
// and are about something that is declared. r is what the checks found.
func (g *gateTree) notices(r *scan.Result) {
	t := g.to
	t.Notices.Since, t.Notices.Commit = g.recent.since, g.recent.commit
	records := about(g.recent.unknown(g.age), notice.Declared(g.reading))
	if len(records) == 0 {
		return
	}
	in := notice.Input{Records: records, BuildArgs: g.Manifests.BuildArgs, Rebuilt: g.Now}
	all := files.Tree{FS: g.Tree, Limit: dockerfile.MaxSize}
	in.Floors = floors.Input{
		Reading: g.reading, Config: g.Config, Database: g.Database, Snapshot: g.Snapshot, Today: g.Now,
		Instruction: dockerfile.Instructions(all.Read, g.Manifests.BuildArgs),
	}
	for _, name := range r.Outcome(scan.Dockerfile).Files {
		if text, err := all.Read(name); err == nil { // else it is a problem of the outcome
			in.Dockerfiles = append(in.Dockerfiles, notice.Dockerfile{Name: name, Text: text})
		}
	}
	t.Notices.Records = g.evaluated(notice.Check(in), r)
}

// about leaves out the records that are about Python projects alone, none of which
// is declared.
func about(records []osv.Record, declared []string) []osv.Record {
	known := map[string]bool{}
	for _, name := range declared {
		known[pep503.Normalize(name)] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(r osv.Record) bool {
		return !slices.ContainsFunc(r.Affected, func(a osv.Affected) bool {
			return a.Ecosystem != "" && (!a.IsPyPI() || known[pep503.Normalize(a.Name)])
		})
	})
}

// evaluated says what became of each notice that is about something here.
func (g *gateTree) evaluated(n *notice.Report, r *scan.Result) []gate.Notice {
	found := g.accepted(n, r)
	var all []gate.Notice
	for i := range n.Notices {
		one := &n.Notices[i]
		var told []lens.Shadowed
		for k := range one.Answers {
			if one.Answers[k].Rule() != "" {
				told, found = append(told, found[0]), found[1:]
			}
		}
		if one.State != notice.Unchecked && one.State != notice.Withdrawn {
			all = append(all, evaluation(one, told))
		}
	}
	for _, f := range found { // places that could not be read
		if f.Acknowledged == nil {
			all = append(all, gate.Notice{ID: f.Rule, Subject: placeOf(f), Unproved: f.Message})
		}
	}
	return all
}

// accepted are the findings of notices, with those lifted that a reviewer signed
// for: as a notice, or as what the floors say of the same place.
func (g *gateTree) accepted(n *notice.Report, r *scan.Result) []lens.Shadowed {
	found := n.Findings()
	var entries []ack.Entry
	for _, e := range r.Entries {
		entries = append(entries, e.Entry)
	}
	ack.Acknowledge(found, n.Subjects(), entries, g.Trust, g.Now)
	signed := map[string]*lens.Acknowledgement{}
	for _, f := range r.Outcome(scan.Floors).Findings {
		if f.Acknowledged != nil {
			signed[placeOf(f)] = f.Acknowledged
		}
	}
	for i := range found {
		if f := &found[i]; f.Acknowledged == nil {
			f.Acknowledged = signed[placeOf(*f)]
		}
	}
	return found
}

// placeOf is "FILE:LINE", "" for a finding about none.
func placeOf(f lens.Shadowed) string {
	if f.Location == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", f.Location.File, f.Location.Start.Line)
}

// evaluation is what became of one notice, by the findings that tell of it.
func evaluation(n *notice.Notice, told []lens.Shadowed) gate.Notice {
	out := gate.Notice{ID: n.ID, Modified: n.Modified}
	var names []string
	for _, a := range n.Answers {
		if !slices.Contains(names, a.Package) && a.Package != "" {
			names = append(names, a.Package)
		}
	}
	out.Subject = strings.Join(names, ", ")
	for _, f := range told {
		switch {
		case f.Acknowledged != nil:
			continue
		case f.Severity == policy.Blocker:
			out.Affected, out.Todo = true, f.Message
		case out.Unproved == "":
			out.Unproved = f.Message
		}
		out.Places = append(out.Places, placeOf(f))
	}
	return out
}
