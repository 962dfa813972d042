// Package scan runs the checks of the project over a tree: a folder, or the tree
// of a commit. It is what a preset, the release gate and the review of a change
// have in common. It is pure: the tree is an [fs.FS], and nothing of it is run.
package scan

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/rewrite"
)

// Check names one check, as presets do.
type Check = preset.Check

// The checks.
const (
	// Dockerfile: the rules of package rewrite, in every Dockerfile.
	Dockerfile = preset.Dockerfile
	// Rewrite: whether a fetch that the text names could travel over TLS.
	Rewrite = preset.Rewrite
	// Floors: no declared Python range admits a vulnerable version.
	Floors = preset.Floors
	// Lens: the findings of other tools.
	Lens = preset.Lens
	// Acknowledgements: every entry counts, is used, and does not end soon.
	Acknowledgements = preset.Acknowledgements
	// Advisories: the advisory database is there, and not too old.
	Advisories = preset.Advisories
)

// Checks returns all of them, in the order in which they are told.
func Checks() []Check {
	return []Check{Dockerfile, Rewrite, Floors, Lens, Acknowledgements, Advisories}
}

// Input is what the checks go by.
type Input struct {
	// Tree is what is checked. It is read from several goroutines at once; files
	// of hostile trees are safe, see package tree.
	Tree fs.FS
	// Dockerfiles are their paths in the tree, with slashes; nil asks for all
	// files with the name of one, see [Names].
	Dockerfiles []string
	// Rewrite is how Dockerfiles are planned.
	Rewrite rewrite.Config
	// Config is the policy of the floors; nil is an empty one.
	Config *config.Config
	// Manifests say how files that declare dependencies are read, and Scripts
	// that Python scripts with inline metadata are.
	Manifests manifest.Options
	Scripts   bool
	// Database is nil without advisories. Snapshot says which state of them it
	// is.
	Database *osv.Database
	Snapshot osv.Snapshot
	// Reports are what other tools found: SARIF 2.1.0, or the JSON of Docker's
	// build checks.
	Reports []Report
	// Trust decides which acknowledgements count; Entries are those. Nil Entries
	// are read from the tree.
	Trust   ack.Trust
	Entries []ack.Entry
	// Now is the time of the check.
	Now time.Time
	// Begin is called before each check; it may be nil.
	Begin func(Check)
}

// Report is one report of another tool.
type Report struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Outcome is the answer of one check.
type Outcome struct {
	Check Check
	// Findings are in the order of files and places, and Subjects what a reviewer
	// signs for, of each of them.
	Findings []lens.Shadowed
	Subjects []ack.Subject
	// Validations are those of the reports of other tools.
	Validations []policy.Check
	// Changed are the files that [Rewrite] would change, by path.
	Changed []string
	// Files are those that were looked at, by path.
	Files []string
	// Problems are what could not be looked at. They are never a pass.
	Problems []report.Problem
	// Notes are what a person may want to know, one line each.
	Notes []string
}

// Blocks reports whether a finding, or a validation, of the outcome blocks.
func (o *Outcome) Blocks() bool {
	return slices.ContainsFunc(o.Findings, lens.Shadowed.Blocks) || slices.ContainsFunc(o.Validations, policy.Check.Blocks)
}

// Failed reports whether something could not be looked at.
func (o *Outcome) Failed() bool { return len(o.Problems) > 0 }

// Acknowledged is an entry of the file of acknowledgements, and what is said of
// it.
type Acknowledged struct {
	ack.Entry
	ack.Verdict
}

// Result is the answer of [Run].
type Result struct {
	// Outcomes are in the order in which the checks were asked for.
	Outcomes []Outcome
	// Entries are all acknowledgements of the tree. One of a check that did not
	// run is told as Unused.
	Entries []Acknowledged
}

// Outcome returns that of a check; nil if it did not run.
func (r *Result) Outcome(c Check) *Outcome {
	for i := range r.Outcomes {
		if r.Outcomes[i].Check == c {
			return &r.Outcomes[i]
		}
	}
	return nil
}

// Run runs checks. What is wrong in the tree is in the outcomes; the error is
// that ctx ended, or that a check is not one of [Checks].
func Run(ctx context.Context, in Input, checks ...Check) (*Result, error) {
	s := newScan(in)
	r := &Result{Outcomes: make([]Outcome, len(checks))}
	for i, c := range checks {
		run := s.check(c)
		if run == nil {
			return nil, fmt.Errorf("there is no check %q", string(c))
		}
		r.Outcomes[i].Check = c
		if in.Begin != nil {
			in.Begin(c)
		}
		if err := run(ctx, &r.Outcomes[i]); err != nil {
			return nil, err
		}
	}
	r.Entries = s.acknowledge(r.Outcomes)
	if o := r.Outcome(Acknowledgements); o != nil {
		s.tell(r.Entries, o)
	}
	return r, nil
}

// check is the function of a check; nil if there is none.
func (s *scan) check(c Check) func(context.Context, *Outcome) error {
	return map[Check]func(context.Context, *Outcome) error{
		Dockerfile: s.dockerfiles, Rewrite: s.rewrite, Floors: s.floors, Lens: s.lens,
		Acknowledgements: s.acknowledgements, Advisories: s.advisories,
	}[c]
}

// Rules returns the descriptions of the rules of all checks but [Lens].
func Rules() []report.Rule {
	return slices.Concat(dockerfile.Rules(), floors.ReportRules(), entryRules())
}
