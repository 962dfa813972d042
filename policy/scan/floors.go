package scan

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/foreign"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/tree"
)

// floors tells which declared ranges admit vulnerable versions.
func (s *scan) floors(ctx context.Context, o *Outcome) error {
	found := manifest.Discover(s.in.Tree, ".", manifest.Find{Scripts: s.in.Scripts})
	files := tree.Tree{FS: s.in.Tree, Limit: dockerfile.MaxSize}
	in := floors.Input{
		Reading: found.Read(s.in.Tree, s.in.Manifests), Config: s.config(), Database: s.in.Database, Snapshot: s.in.Snapshot,
		Today: s.in.Now, Instruction: dockerfile.Instructions(files.Read, s.in.Manifests.BuildArgs),
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	checked := floors.Check(in)
	o.Findings, o.Subjects, o.Problems = checked.Findings(), checked.Subjects(), checked.Problems()
	for _, f := range found.Files {
		o.Files = append(o.Files, f.Name)
	}
	return nil
}

// config is the policy of the floors.
func (s *scan) config() *config.Config {
	if s.in.Config == nil {
		return &config.Config{}
	}
	return s.in.Config
}

// advisories tells whether the database is there, and how old it is.
func (s *scan) advisories(_ context.Context, o *Outcome) error {
	most := s.config().Database.Oldest()
	switch {
	case s.in.Database == nil:
		o.Problems = append(o.Problems, report.Problem{Message: "there is no advisory database: run loopxctl floors update"})
	case s.in.Snapshot.Older(s.in.Now, most):
		o.Problems = append(o.Problems, report.Problem{Message: s.old(most)})
	default:
		age, _ := s.in.Snapshot.Age(s.in.Now)
		o.Notes = append(o.Notes, fmt.Sprintf("advisories of %s, %s old", plain.Text(s.in.Snapshot.Source), floors.Days(age)))
	}
	return nil
}

// old says that the database is too old, or of no known age.
func (s *scan) old(most time.Duration) string {
	const todo = "run loopxctl floors update"
	age, ok := s.in.Snapshot.Age(s.in.Now)
	if !ok {
		return "the age of the advisory database is not known: " + todo
	}
	return fmt.Sprintf("the advisory database is %s old, and the limit is %s: %s", floors.Days(age), floors.Days(most), todo)
}

// lens classifies what other tools found.
func (s *scan) lens(ctx context.Context, o *Outcome) error {
	for _, r := range s.in.Reports {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.Files = append(o.Files, r.Name)
		if err := read(r, o); err != nil {
			o.Problems = append(o.Problems, report.Problem{File: r.Name, Message: plain.Text(err.Error())})
		}
	}
	return nil
}

// read adds what one report says.
func read(r Report, o *Outcome) (err error) {
	src, err := r.Open()
	if err != nil {
		return fmt.Errorf("the file %s", tree.Why(err))
	}
	defer func(c io.Closer) { _ = c.Close() }(src) // it was only read
	in, err := foreign.Read(src)
	if err != nil {
		return err
	}
	for _, f := range in.Findings {
		seen := lens.Apply(f)
		o.Findings, o.Subjects = append(o.Findings, seen), append(o.Subjects, ack.NewSubject(seen.Finding, ""))
	}
	o.Validations = append(o.Validations, in.Checks...)
	for _, note := range in.Notes {
		o.Notes = append(o.Notes, r.Name+": "+note)
	}
	return nil
}
