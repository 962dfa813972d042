package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
)

// acceptance lifts blockers that a reviewer signed for: the flags say whose
// signatures count, and what is checked.
type acceptance struct {
	tree
	trustFlags
}

func newAcceptance(p *program) acceptance { return acceptance{tree: tree{program: p}} }

func (a *acceptance) declare(cmd *cobra.Command) {
	a.trustFlags.declare(cmd)
	a.declareRoot(cmd)
	a.declareRepository(cmd)
}

// judge makes the findings of each file, and lifts the blockers that a reviewer
// signed for. shown says that fingerprints are shown of all findings, and terse
// that nothing of what was signed is told. It returns the root of the files, nil
// if nobody needs to know it.
func (a *acceptance) judge(ctx context.Context, r *report.Report, shown, terse bool) (*base, error) {
	if !asksForRoot(r, shown) {
		for _, f := range r.Files {
			f.Judge()
		}
		return nil, nil
	}
	root := a.base(ctx, fileNames(r))
	for _, f := range r.Files {
		f.Path = root.path(f.Name)
		f.Judge()
	}
	return root, a.lift(ctx, root.dir, ofDockerfiles(r), terse)
}

// asksForRoot reports whether the root of the files has to be known: for a
// fingerprint, or for acknowledgements. git is asked only then.
func asksForRoot(r *report.Report, shown bool) bool {
	for _, f := range r.Files {
		if f.HasBlocker() || shown && f.Plan != nil && len(f.Plan.Findings) > 0 {
			return true
		}
	}
	return hasAcknowledgements(fileNames(r))
}

// fileNames are those of the files that could be read.
func fileNames(r *report.Report) []string {
	var names []string
	for _, f := range r.Files {
		if f.Plan != nil {
			names = append(names, f.Name)
		}
	}
	return names
}
