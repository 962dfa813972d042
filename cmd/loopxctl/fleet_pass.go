package main

import (
	"context"
	"errors"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/progress"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/rewrite"
)

// pass is one go over the files of a command: each is read and planned, judged,
// and written. What goes wrong with one is told in its place and does not stop
// the others.
type pass struct {
	*program
	command string
	fleet   *fleet
	cfg     rewrite.Config
	policy  report.Policy
	files   []*report.File
	// lines prints each file as one line of JSON, and forgets it.
	lines bool
	// prepare is called of each file that could be planned, write of each that is
	// judged, in any order and at the same time as of others; nil for neither.
	prepare func(i int, f *report.File) error
	write   func(*report.File)
	// accept says whose signatures lift a blocker; nil if nothing is judged. shown
	// and terse are as [acceptance.judge] has them.
	accept       *acceptance
	shown, terse bool

	// The answer:
	tally report.Tally
	root  *base // of the files; nil where nobody needs to know it
	ready map[*report.File]bool
}

// errUnwritten is that standard output takes no more; run tells why, for what is
// left in the buffer.
var errUnwritten = errors.New("standard output is closed")

// run makes a report of the files. With lines, the files in it know no more than
// their names and what went wrong.
func (g *pass) run(ctx context.Context) (*report.Report, error) {
	r := &report.Report{Command: g.command, Notes: g.configNotes, Files: g.files}
	for _, f := range g.files {
		f.Policy = g.policy
	}
	g.tally.Ignored = g.fleet.ignored
	if g.fleet.recursive || g.lines {
		return r, g.many(ctx)
	}
	return r, g.few(ctx, r)
}

// few goes over files that were named: git is asked only if a finding, or an
// acknowledgement, needs it.
func (g *pass) few(ctx context.Context, r *report.Report) (err error) {
	if err := inOrder(ctx, len(g.files), g.plan, nothing); err != nil {
		return err
	}
	if g.accept != nil {
		if g.root, err = g.accept.judge(ctx, r, g.shown, g.terse); err != nil {
			return err
		}
	}
	return inOrder(ctx, len(g.files), g.finish, func(i int) error {
		g.tally.Add(g.files[i])
		return nil
	})
}

// many goes over a fleet. The files that an acknowledgement names come first, so
// that all others can be told of, in order, as they are done.
func (g *pass) many(ctx context.Context) error {
	if g.accept != nil {
		if err := g.acknowledged(ctx); err != nil {
			return err
		}
	}
	bar := progress.New(g.fleet.progress.value, g.stderr, g.env, len(g.files))
	defer bar.Hide()
	err := inOrder(ctx, len(g.files), func(i int) error {
		if err := g.judged(i); err != nil {
			return err
		}
		return g.finish(i)
	}, func(i int) error {
		f := g.files[i]
		g.tally.Add(f)
		bar.Step(f.Verdict())
		if !g.lines {
			return nil
		}
		return g.line(f, bar)
	})
	if err == nil && g.lines {
		err = report.SummaryLine(&g.out, g.command, g.configNotes, &g.tally)
	}
	return err
}

// line prints a file, and forgets it.
func (g *pass) line(f *report.File, bar *progress.Bar) error {
	if err := report.FileLine(&g.out, g.command, f); err != nil {
		return err
	}
	*f = report.File{Name: f.Name, Problem: f.Problem}
	bar.Hide()
	if _, err := g.stdout.Write(g.out.Bytes()); err != nil {
		return errUnwritten
	}
	g.out.Reset()
	return nil
}

// acknowledged finds the root of the files, and judges those that an
// acknowledgement names.
func (g *pass) acknowledged(ctx context.Context) error {
	g.root = g.accept.base(ctx, namesOf(g.files))
	_, _, entries, err := readAcknowledgements(g.root.dir)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, e := range entries {
		named[e.File] = true
	}
	var which []int
	r := &report.Report{Command: g.command}
	for i, f := range g.files {
		if f.Path = g.root.path(f.Name); f.Path != "" && named[f.Path] {
			which, r.Files = append(which, i), append(r.Files, f)
		}
	}
	err = inOrder(ctx, len(which), func(i int) error { return g.judged(which[i]) }, nothing)
	if err != nil || len(which) == 0 {
		return err
	}
	g.ready = map[*report.File]bool{}
	for _, f := range r.Files {
		g.ready[f] = true
	}
	return g.accept.lift(ctx, g.root.dir, ofDockerfiles(r), g.terse)
}

// judged plans a file and makes its findings, if that was not done.
func (g *pass) judged(i int) error {
	f := g.files[i]
	if g.ready[f] {
		return nil
	}
	err := g.plan(i)
	if g.accept != nil {
		f.Judge()
	}
	return err
}

// plan reads a file and plans it.
func (g *pass) plan(i int) error {
	f := g.files[i]
	g.load(f, g.cfg)
	if f.Plan == nil || g.prepare == nil {
		return nil
	}
	return g.prepare(i, f)
}

// finish writes a file.
func (g *pass) finish(i int) error {
	if g.write != nil {
		g.write(g.files[i])
	}
	return nil
}

// verdict is the exit code of a command that judges: changed says that a change
// counts too.
func (g *pass) verdict(changed bool) int {
	switch {
	case g.tally.Failed > 0:
		return exitFailed
	case g.tally.Blocked > 0, changed && g.tally.Changed > 0:
		return exitBlocked
	}
	return exitClean
}
