package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/progress"
	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
	findings "github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/scan"
)

const presetRunLong = `Run runs the checks of a preset over the repository, and records the run in the
journal. --trigger weekly is the cadence's, also by hand; notice evaluates the
notices of --notice; release is the gate before a release.

What blocks fails the run as the preset's mode has it: enforce exits 1,
report_only exits 0, and policy_report_first exits 0 in the first run that is
recorded, and 1 in every later one. What could not be looked at exits 3, and
leaves the period overdue.

--if-due runs only what "preset due" calls overdue, and else exits 0: a timer may
come twice, late, or after a missed week. One run goes on at a time; another one
says so, or waits with --wait. Files are written only with --apply, by
dependency-sweeper, and never in a run that only reports.`

const presetRunExample = `  # This week's
  loopxctl floors update
  loopxctl preset run security

  # For a timer, with the findings of other tools
  loopxctl preset run security --if-due --sarif trivy.sarif

  # Raise what may be raised
  loopxctl preset run dependency-sweeper --apply

  # A notice has appeared
  loopxctl preset run security --trigger notice --notice advisory.json

  # In a pipeline that everybody can read
  loopxctl preset run security --public --format sarif --state .cache/loopx`

type presetRun struct {
	scanFlags
	publication
	state, trigger     string
	journal            journalPlace
	apply, ifDue, wait bool
	notices            []string
}

func newPresetRun(p *program) *cobra.Command {
	c := &presetRun{scanFlags: newScanFlags(p)}
	cmd := &cobra.Command{
		Use:               "run ID",
		Short:             "Run the checks of a preset and record it; exit 1 if something blocks",
		Long:              presetRunLong,
		Example:           presetRunExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePresets,
	}
	trigger := addOneOf(cmd, "trigger", "what starts the run", texts(preset.Triggers())...)
	cmd.RunE = p.does(func(cmd *cobra.Command, args []string) (int, error) {
		c.trigger = trigger.value
		return c.run(cmd, args[0])
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&c.notices, "notice", nil, "with --trigger notice: `FILE`, address or id of a notice; repeatable")
	flags.BoolVar(&c.ifDue, "if-due", false, "run only if the cadence asks for a run that is not recorded")
	flags.BoolVar(&c.wait, "wait", false, "wait while another run goes on")
	flags.BoolVar(&c.apply, "apply", false, "write what dependency-sweeper raises")
	declareState(cmd, &c.state)
	c.publication.declare(cmd, "preset", findings.Formats()...)
	c.scanFlags.declare(cmd)
	c.declareProgress(cmd)
	return cmd
}

// misused returns what is wrong with the flags for the preset.
func (c *presetRun) misused(p *preset.Preset) error {
	t := preset.Trigger(c.trigger)
	switch {
	case p.Disabled:
		return fmt.Errorf("the preset %s is turned off in loopx.yaml (enabled: false)", p.ID)
	case !slices.Contains(p.Triggers, t):
		return fmt.Errorf("the preset %s has no trigger %s: it has %s", p.ID, t, strings.Join(texts(p.Triggers), ", "))
	case c.apply && p.Updates == nil:
		return fmt.Errorf("--apply: the preset %s changes nothing; %s does", p.ID, preset.Sweeper)
	case c.apply && t != preset.Weekly:
		return errors.New("--apply goes with --trigger weekly")
	case c.ifDue && t != preset.Weekly:
		return errors.New("--if-due goes with --trigger weekly: the others have no cadence")
	case len(c.notices) > 0 && t != preset.Notice:
		return errors.New("--notice goes with --trigger notice")
	case len(c.notices) == 0 && t == preset.Notice:
		return errors.New("--trigger notice needs a notice: --notice FILE")
	}
	return nil
}

func (c *presetRun) run(cmd *cobra.Command, id string) (int, error) {
	if err := c.publication.check(c.program, c.sarif); err != nil {
		return 0, err
	}
	s, err := c.open(cmd.Context())
	if err != nil {
		return 0, err
	}
	defer s.Close()
	p, err := findPreset(s.Config.AllPresets(), id)
	if err == nil {
		err = c.misused(p)
	}
	if err != nil {
		return 0, err
	}
	if preset.Trigger(c.trigger) == preset.Release {
		return c.hand(cmd, byRelease, nil, c.released(s, p)...) // which records its verdicts itself
	}
	if c.journal, err = c.journalAt(cmd.Context(), c.state, s.project.dir); err != nil {
		return 0, err
	}
	turn, err := c.begin(cmd.Context(), c.journal.dir)
	if err != nil {
		return 0, err
	}
	run := c.inTurn
	if preset.Trigger(c.trigger) == preset.Notice {
		run = c.notified
	}
	code, err := run(cmd, turn, s, p)
	return code, errors.Join(err, unrecorded(turn.End()))
}

// begin takes the turn to run.
func (c *presetRun) begin(ctx context.Context, dir string) (*journal.Turn, error) {
	turn, err := journal.Begin(ctx, dir, false)
	if c.wait && errors.Is(err, journal.ErrTaken) {
		fmt.Fprintln(c.stderr, "loopxctl: another run is going on: waiting for it")
		turn, err = journal.Begin(ctx, dir, true)
	}
	return turn, unrecorded(err)
}

// inTurn runs the preset while no other run goes on.
func (c *presetRun) inTurn(cmd *cobra.Command, turn *journal.Turn, s *scanned, p *preset.Preset) (int, error) {
	log, err := c.journal.read()
	if err != nil {
		return 0, err
	}
	s.Now = now() // it may have waited
	due := p.Cadence.Due(s.Now, runsOf(log.Records, p.ID))
	if c.ifDue && !due.Overdue {
		c.note("%s: not due before %s; nothing was run", p.ID, periodText(due.Next))
		return exitClean, nil
	}
	r := c.newResult(cmd.Context(), s, p, log.Records)
	r.record.Period = known(due.Period)
	if err := c.check(cmd, s, r); err != nil {
		return 0, err
	}
	return c.finish(turn, s, r)
}

// newResult is a run that begins now, given those that were recorded.
func (c *presetRun) newResult(ctx context.Context, s *scanned, p *preset.Preset, records []journal.Record) *presetResult {
	first := !ran(records, p.ID, c.trigger)
	r := &presetResult{
		preset: p, enforced: p.Mode.Enforces(preset.Trigger(c.trigger), first),
		record: journal.Record{Project: c.journal.project, Preset: p.ID, Trigger: c.trigger, Started: s.Now, Tool: "loopxctl " + version(), Mode: string(p.Mode)},
	}
	c.checkedOut(ctx, s.project.dir, &r.record)
	return r
}

// ran reports whether a run was recorded that looked at everything.
func ran(records []journal.Record, id, trigger string) bool {
	return slices.ContainsFunc(records, func(r journal.Record) bool {
		return r.Preset == id && r.Trigger == trigger && r.Decision != journal.Failed
	})
}

// checkedOut says which commit is checked, and whether files differ from it.
func (c *presetRun) checkedOut(ctx context.Context, dir string, r *journal.Record) {
	commit, err := c.git(ctx, dir, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return // outside of a repository, or without a commit
	}
	r.Commit = commit
	status, err := c.git(ctx, dir, "status", "--porcelain", "--untracked-files=no")
	r.Dirty = err != nil || status != ""
}

// check runs the checks of the preset.
func (c *presetRun) check(cmd *cobra.Command, s *scanned, r *presetResult) (err error) {
	p := r.preset
	write := c.apply && r.enforced
	if c.apply && !write {
		c.note("loopxctl: note: %s only reports in this run, so nothing is written: %s", p.ID, modeSentence(p.Mode))
	}
	if p.Updates != nil {
		if r.updates, err = c.sweep(s.project, p.Updates, write); err != nil {
			return err
		}
	}
	c.bring(s, p)
	s.Begin = c.tell(p)
	if r.Result, err = scan.Run(cmd.Context(), s.Input, scanChecks(p.Checks)...); err != nil {
		return err
	}
	if slices.Contains(p.Checks, preset.Image) {
		if s.Begin != nil {
			s.Begin(preset.Image)
		}
		o, err := c.verify(cmd.Context(), s, p)
		if err != nil {
			return err
		}
		r.Outcomes = append(r.Outcomes, o)
	}
	r.judge(s)
	return nil
}

// scanChecks are the checks that package scan has.
func scanChecks(all []preset.Check) []scan.Check {
	return slices.DeleteFunc(slices.Clone(all), func(c preset.Check) bool { return c == preset.Image })
}

// bring adds what the preset says itself to the input of the checks.
func (c *presetRun) bring(s *scanned, p *preset.Preset) {
	for _, name := range p.Reports {
		s.Reports = append(s.Reports, scan.Report{Name: name, Open: func() (io.ReadCloser, error) { return openPlain(s.project.Root, name) }})
	}
	if age := p.Thresholds.Advisories; age > 0 {
		cfg := *s.Config
		cfg.Database.MaxAge = age
		s.Config = &cfg
	}
}

// tell returns what shows on standard error, as it goes on, how far the run is;
// nil if nothing does.
func (c *presetRun) tell(p *preset.Preset) func(scan.Check) {
	if c.progress.value == progress.None || c.progress.value == progress.Auto && !paint.IsTerminal(c.stderr) {
		return nil
	}
	began := time.Now()
	return func(check scan.Check) {
		i := slices.Index(p.Checks, check) + 1
		fmt.Fprintf(c.stderr, "%s: %d of %d: %s (%s)\n", p.ID, i, len(p.Checks), check, time.Since(began).Round(100*time.Millisecond))
	}
}

// finish prints the result and records it. What was recorded is printed: a run
// that could not be recorded fails.
func (c *presetRun) finish(turn *journal.Turn, s *scanned, r *presetResult) (int, error) {
	r.record.Finished = now()
	digest, err := r.digest()
	if err != nil {
		return 0, err
	}
	r.record.Report = digest
	if r.record, err = turn.Append(r.record); err != nil {
		return 0, unrecorded(err)
	}
	for _, p := range r.problems() {
		c.say("loopxctl: " + p.String())
	}
	if err := c.print(s, r); err != nil {
		return 0, err
	}
	return r.code(), nil
}

// print prints the result. In public, a text says what was decided too: the formats
// for programs have that in their own words.
func (c *presetRun) print(s *scanned, r *presetResult) error {
	err := c.publication.write(c.program, r.report(s), func(w io.Writer, painter paint.Painter) error {
		switch c.publication.format.value {
		case "text":
			return r.text(w, r.report(s), painter)
		case "json":
			return r.json(w)
		}
		return findings.New(c.publication.format.value, painter).Write(w, r.report(s))
	})
	if err == nil && c.public && c.publication.format.value == "text" {
		fmt.Fprintf(&c.out, "%s: %s\n", r.preset.ID, r.sentence())
	}
	return err
}
