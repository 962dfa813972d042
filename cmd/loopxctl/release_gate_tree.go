package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/scan"
	files "github.com/loopx/loopx-frontend/policy/tree"
)

// gateTree reads what is judged of the tree.
type gateTree struct {
	*gateCommand
	*scanned
	to *gate.Tree
	// age is how old advisories may be.
	age time.Duration
	// reading is what the tree declares of Python.
	reading manifest.Reading
}

// read fills the tree. What is committed is looked at, where git can be asked:
// the working tree holds more, and is compared with it.
func (g *gateTree) read(ctx context.Context) error {
	t := g.to
	repo, err := gitread.Open(ctx, gitread.Options{Dir: g.project.dir, Environ: g.environ})
	if err != nil {
		t.NoGit = gitTold(err)
		return g.check(ctx)
	}
	defer repo.Close()
	if err := g.committed(ctx, repo); err != nil {
		return err
	}
	return g.check(ctx)
}

// check makes the checks.
func (g *gateTree) check(ctx context.Context) error {
	t := g.to
	t.Repository, _ = g.id(ctx, g.project.top.dir) // "" is told as not known
	t.Rules = scan.Rules()
	r, err := scan.Run(ctx, g.Input, scan.Dockerfile, scan.Rewrite, scan.Floors, scan.Lens, scan.Acknowledgements)
	if err != nil {
		return &fault.Error{Message: "stopped: " + err.Error()}
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		t.Ran = append(t.Ran, string(o.Check))
		t.Findings = append(t.Findings, o.Findings...)
		t.Validations = append(t.Validations, o.Validations...)
		for _, p := range o.Problems {
			same := func(o report.Problem) bool { return o.File == p.File && o.Line == p.Line && o.File != "" }
			if !slices.ContainsFunc(t.Problems, same) { // two checks read the Dockerfiles
				t.Problems = append(t.Problems, p)
			}
		}
	}
	g.lifted(r.Entries)
	g.to.Pins = g.pinnedBases(r.Outcome(scan.Dockerfile).Files)
	if g.Database != nil {
		t.Database = &g.Snapshot
	}
	g.reading = manifest.Discover(g.Tree, ".", manifest.Find{}).Read(g.Tree, g.Manifests)
	t.Declared = len(g.reading.Requirements) > 0
	g.notices(r)
	return nil
}

// committed asks git for the commit, and looks at its tree.
func (g *gateTree) committed(ctx context.Context, repo *gitread.Repo) error {
	t := g.to
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		t.NoGit = gitTold(err)
		return nil
	}
	t.Commit = string(head.Commit)
	tags, err := repo.Tags(ctx, head.Commit)
	if err != nil {
		return unasked(err)
	}
	for _, tag := range tags {
		t.Tags = append(t.Tags, tag.Name)
	}
	files, err := repo.Uncommitted(ctx)
	if err != nil {
		return unasked(err)
	}
	for _, f := range files {
		t.Changed = append(t.Changed, fmt.Sprintf("%s: %s", f.Path, f.Why))
	}
	all, err := repo.Tree(ctx, head.Commit)
	if err != nil {
		return unasked(err)
	}
	if err := g.lookAt(all, repo.Top()); err != nil {
		return err
	}
	return g.policyCommitted()
}

// policyCommitted tells of a policy that is read from the tree and is not that of
// the commit, where git says nothing of it: git may have been told to ignore it, or
// what it is a link to.
func (g *gateTree) policyCommitted() error {
	if g.floors.config != "" || g.project.config == "" {
		return nil
	}
	name, used, err := g.floors.policyFile(g.project.floorsRoot)
	if err != nil {
		return err
	}
	lines := func(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }
	committed := files.Tree{FS: g.Tree, Limit: config.MaxFile}
	text, err := committed.Read(g.project.config)
	if t := g.to; (err != nil || lines(text) != lines(used)) && len(t.Changed) == 0 {
		t.Changed = []string{fmt.Sprintf("%s: used, and not in the commit", name)}
	}
	return nil
}

// lookAt makes the tree of the commit the one that is checked.
func (g *gateTree) lookAt(all fs.FS, top string) error {
	g.Tree = all
	prefix := newBase(top, "").path(g.project.dir + "/.")
	if prefix != "." && prefix != "" {
		below, err := fs.Sub(all, prefix)
		if err != nil {
			return fault.Of(g.project.dir, "cannot be read", err)
		}
		g.Tree = below
	}
	if len(g.include)+len(g.exclude) == 0 {
		g.Dockerfiles = nil // all that are committed, ignored or not
		return nil
	}
	g.Dockerfiles = slices.DeleteFunc(g.Dockerfiles, func(name string) bool {
		_, err := fs.Stat(g.Tree, name)
		return errors.Is(err, fs.ErrNotExist) // it is told as not committed
	})
	return nil
}

// gitTold is what git says, in one line.
func gitTold(err error) string {
	if e, ok := errors.AsType[*gitread.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// unasked is an error of git about a repository that is one.
func unasked(err error) error {
	f := &fault.Error{Message: gitTold(err)}
	if e, ok := errors.AsType[*gitread.Error](err); ok {
		f.Todo = e.Todo
	}
	return f
}

// lifted adds the acknowledgements that lift something here.
func (g *gateTree) lifted(entries []scan.Acknowledged) {
	t := g.to
	for _, e := range entries {
		if e.State.Counts() {
			t.Acknowledgements = append(t.Acknowledgements, gate.Acknowledgement{
				Place: fmt.Sprintf("%s:%d", ack.Path, e.Line), Rule: e.Rule, Principal: e.Principal, Expires: e.Expires, DaysLeft: e.DaysLeft,
			})
		}
	}
}

// pinnedBases are the digests that Dockerfiles of the tree pin.
func (s *scanned) pinnedBases(names []string) map[string][]string {
	pins := map[string][]string{}
	all := files.Tree{FS: s.Tree, Limit: dockerfile.MaxSize}
	for _, name := range names {
		if text, err := all.Read(name); err == nil { // else it is a problem of the check that reads it
			gate.MergePins(pins, gate.Pins(string(text)))
		}
	}
	return pins
}
