package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	findings "github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

const checkLong = `Check lists what the frontend would say about each Dockerfile, each finding as
FILE:LINE:COLUMN: severity: message [Rule], with the line of the file below. It
exits 1 if one of them is a blocker, that is, if a build would fail;
LOOPX_MODE=audit makes blockers warnings. What the frontend moves during the
build is advice here, also where "loopxctl rewrite" cannot edit it.

A blocker that a reviewer signed for does not count: "loopxctl ack create" adds
to .loopx/acknowledgements.yaml, and --trusted-ref, --policy or
--allowed-signers say whose signatures do. Without one of them, none counts.

Check changes nothing, unless --fix is given: then it makes the fixes that the
findings hold, writes the files whole or not at all, and lists what is left.
--diff shows that change on standard output, and the findings on standard
error; without --fix it writes nothing.

--public keeps what is wrong with security and privacy out of a log that others
read; --private-output FILE writes the whole report beside it.`

const checkExample = `  # Would ./Dockerfile build?
  loopxctl check

  # All Dockerfiles below a folder
  loopxctl check -r services

  # What would be fixed, and then fix it
  loopxctl check --diff Dockerfile
  loopxctl check --fix Dockerfile

  # In a pipeline, with the signers of the protected branch
  loopxctl check --trusted-ref origin/main --author dev@example.com

  # For code scanning, and for a pipeline that everybody can read
  loopxctl check --format sarif Dockerfile >loopxctl.sarif
  loopxctl check --format github --public --private-output full.txt Dockerfile`

type checkCommand struct {
	*program
	operator
	publication
	acceptance
	fleet
	fix, diff bool
	root      *base // of the files; nil where nobody needs to know it
}

func newCheck(p *program) *cobra.Command {
	c := &checkCommand{program: p, acceptance: newAcceptance(p)}
	cmd := &cobra.Command{
		Use:               "check [FILE|-]...",
		Short:             "List findings; exit 1 if one would fail the build",
		Long:              checkLong,
		Example:           checkExample,
		ValidArgsFunction: completeDockerfiles,
		RunE:              p.does(c.run),
	}
	cmd.Flags().BoolVar(&c.fix, "fix", false, "make the fixes that the findings hold, in the files themselves, whole or not at all")
	cmd.Flags().BoolVar(&c.diff, "diff", false, "show what the fixes change as a unified diff; the findings go to standard error")
	c.fleet.declare(cmd)
	c.publication.declare(cmd, commonSchema, append(findings.Formats(), jsonLines)...)
	c.operator.declare(cmd)
	c.declareConfig(cmd)
	c.acceptance.declare(cmd)
	return cmd
}

func (c *checkCommand) run(cmd *cobra.Command, args []string) (int, error) {
	c.of, c.within = args, c.dir
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return 0, err
	}
	files, err := c.inputs(args)
	if err != nil {
		return 0, err
	}
	g := &pass{
		program: c.program, command: "check", fleet: &c.fleet, cfg: cfg, files: files,
		policy: report.Policy{Audit: cfg.Route.Mode == route.Audit},
		lines:  c.format.value == jsonLines, accept: &c.acceptance, shown: c.showsFingerprints(), terse: c.public,
		prepare: func(_ int, f *report.File) error {
			c.repair(f, cfg)
			return nil
		},
	}
	r, err := g.run(cmd.Context())
	if err != nil {
		return unwritten(err)
	}
	c.root = g.root
	return g.verdict(false), c.print(r, &g.tally)
}

// showsFingerprints reports whether the format has the fingerprint of each
// finding. Text has that of blockers.
func (c *checkCommand) showsFingerprints() bool {
	return c.format.value == "json" || c.format.value == "sarif"
}

// inputs are the files that are meant, if the command line makes sense.
func (c *checkCommand) inputs(args []string) ([]*report.File, error) {
	files, err := c.files(c.program, args, "")
	switch {
	case err != nil:
		return nil, err
	case c.fix && hasStdin(files):
		return nil, errors.New("--fix cannot edit standard input: name the file, or use --diff alone")
	case c.diff && c.format.value != "text":
		return nil, fmt.Errorf("--diff and --format %s exclude each other", c.format.value)
	case c.public && (c.fix || c.diff):
		return nil, errors.New("--public excludes --fix and --diff, which show what is wrong")
	case c.public && c.format.value == jsonLines:
		return nil, errors.New("--public and --format jsonl exclude each other: use --format json")
	}
	return files, c.publication.check(c.program, namesOf(files))
}

// repair makes the fixes of f. With --fix the file is written, and its findings
// are those of the new text.
func (c *checkCommand) repair(f *report.File, cfg rewrite.Config) {
	if !c.fix && !c.diff {
		return
	}
	if f.Output, f.Fixes = f.Plan.Fixed(); !c.fix || !f.Changed() {
		return
	}
	after, err := rewrite.New(f.Output, cfg)
	if err != nil { // no fix is known to do this
		f.Problem = unparsable(f.Name, err)
		return
	}
	f.OtherNames = replace.Links(f.Name)
	if err := replace.File(f.Name, f.Output); err != nil {
		f.Problem, _ = errors.AsType[*fault.Error](err)
		return
	}
	f.Written, f.Fixed, f.Plan = f.Name, true, after
}

// written tells which files were fixed.
func (c *checkCommand) written(r *report.Report) {
	for _, f := range r.Files {
		if f.Written == "" {
			continue
		}
		c.note("%s: written, %s", f.Name, count(f.Fixes, "finding fixed", "findings fixed"))
		if f.OtherNames > 0 {
			c.note("%s: had %s (hard links), which still hold the old text", f.Name, count(f.OtherNames, "other name", "other names"))
		}
	}
}

func (c *checkCommand) print(r *report.Report, tally *report.Tally) error {
	c.written(r)
	c.problems(r)
	if c.format.value == jsonLines {
		return nil
	}
	all := findingsReport(r)
	if c.diff {
		onOut := paint.For(c.color.value, c.stdout, c.env)
		for _, f := range r.Files {
			if err := c.printDiff(f, onOut); err != nil {
				return err
			}
		}
		return c.text(&c.notes, r, tally, paint.For(c.color.value, c.stderr, c.env))
	}
	err := c.publication.write(c.program, all, func(w io.Writer, p paint.Painter) error {
		switch c.format.value {
		case "json":
			return report.JSON(w, r)
		case "text":
			return c.text(w, r, tally, p)
		}
		return findings.New(c.format.value, p).Write(w, all)
	})
	if err == nil && c.public && c.recursive && c.format.value == "text" {
		_, err = io.WriteString(&c.out, tally.Line())
	}
	return err
}

// text writes the findings for people, what they come to, and the way out.
func (c *checkCommand) text(w io.Writer, r *report.Report, tally *report.Tally, p paint.Painter) error {
	all := findingsReport(r)
	if err := (findings.Text{Paint: p}).Write(w, all); err != nil {
		return err
	}
	if !c.recursive {
		_, err := io.WriteString(w, summary(all)+c.wayOut(r))
		return err
	}
	if _, err := io.WriteString(w, c.wayOut(r)); err != nil {
		return err
	}
	return rulesAndFiles(w, tally, p)
}

func (c *checkCommand) printDiff(f *report.File, p paint.Painter) error {
	if f.Problem != nil {
		return nil
	}
	exact, err := report.Diff(&c.out, f, p)
	if !exact {
		c.note("%s: passwords or control characters are hidden in the diff, so it cannot be applied; use --fix", f.Name)
	}
	return err
}
