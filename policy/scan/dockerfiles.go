package scan

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/tree"
	"github.com/loopx/loopx-frontend/rewrite"
)

// Names returns the paths of the files of a tree that have the name of a
// Dockerfile, sorted. Folders of version control, and of what others have
// written (node_modules, vendor), are left out; a link to a file counts as what it
// is. What could not be listed is a problem.
func Names(fsys fs.FS) (names []string, problems []report.Problem) {
	_ = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error { // the function returns no error
		switch {
		case err != nil:
			problems = append(problems, report.Problem{File: name, Message: "the folder " + tree.Why(err)})
		case e.IsDir() && othersWrote(e.Name()):
			return fs.SkipDir
		case !e.IsDir() && dockerfile.IsName(path.Base(name)):
			names = append(names, name)
		}
		return nil
	})
	return names, problems
}

// othersWrote reports whether a folder of this name holds what others have written,
// or no files of a tree at all.
func othersWrote(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", "node_modules", "vendor"}, name)
}

// planned is a Dockerfile and its plan.
type planned struct {
	dockerfile.Source
	problem *report.Problem
}

// plans reads and plans every Dockerfile, once, several at a time.
func (s *scan) plans(ctx context.Context) ([]planned, []report.Problem, error) {
	if s.planned != nil {
		return s.planned, s.unlisted, nil
	}
	names := s.in.Dockerfiles
	if names == nil {
		names, s.unlisted = Names(s.in.Tree)
	}
	all := make([]planned, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		group.Go(func() error {
			if ctx.Err() == nil {
				all[i] = s.plan(name)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	s.planned = all
	return all, s.unlisted, nil
}

// plan reads and plans one file.
func (s *scan) plan(name string) planned {
	p := planned{Source: dockerfile.Source{Name: name, Path: name}}
	files := tree.Tree{FS: s.in.Tree, Limit: dockerfile.MaxSize}
	var err error
	if p.Text, err = files.Read(name); err != nil {
		p.problem = &report.Problem{File: name, Message: "the file " + tree.Why(err)}
		return p
	}
	if p.Plan, err = rewrite.New(p.Text, s.in.Rewrite); err != nil {
		p.problem = &report.Problem{File: name, Message: err.Error()}
		if at, ok := errors.AsType[*rewrite.ParseError](err); ok {
			p.problem.Line, p.problem.Message = at.Line, at.Message
		}
	}
	return p
}

// dockerfiles tells what the rules of package rewrite find.
func (s *scan) dockerfiles(ctx context.Context, o *Outcome) error {
	return s.each(ctx, o, func(p planned) {
		found := p.Findings()
		o.Findings = append(o.Findings, found...)
		o.Subjects = append(o.Subjects, p.Subjects(found)...)
	})
}

// rewrite tells which files the rewriting would change.
func (s *scan) rewrite(ctx context.Context, o *Outcome) error {
	return s.each(ctx, o, func(p planned) {
		if slices.ContainsFunc(p.Plan.Findings, func(f rewrite.Finding) bool { return len(f.Edits) > 0 }) {
			o.Changed = append(o.Changed, p.Path)
		}
	})
}

// each calls do for each Dockerfile that could be planned, and tells of the
// others.
func (s *scan) each(ctx context.Context, o *Outcome, do func(planned)) error {
	all, unlisted, err := s.plans(ctx)
	if err != nil {
		return err
	}
	o.Problems = append(o.Problems, unlisted...)
	for _, p := range all {
		o.Files = append(o.Files, p.Path)
		if p.problem != nil {
			o.Problems = append(o.Problems, *p.problem)
			continue
		}
		do(p)
	}
	slices.SortStableFunc(o.Problems, func(a, b report.Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return nil
}
