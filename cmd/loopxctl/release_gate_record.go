package main

import (
	"context"
	"errors"
	"time"

	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// What the records call a run of the gate: it is the trigger "release" of the
// preset "security".
const (
	gatePreset  = preset.Security
	gateTrigger = string(preset.Release)
)

// since reads when a gate passed last, and for which commit: zero if none has.
// root is the folder of the project. One that is recorded as to come says nothing
// of when it was: it is as if it had not been.
func (c *gateCommand) since(ctx context.Context, root string) (time.Time, string, error) {
	latest := now()
	at, err := c.journalAt(ctx, c.state, root)
	if err != nil {
		return time.Time{}, "", nil // where nothing can be recorded, record says so
	}
	log, err := at.read()
	if err != nil {
		return time.Time{}, "", err
	}
	var last journal.Record
	for _, r := range log.Records {
		passed := r.Preset == gatePreset && r.Trigger == gateTrigger && r.Decision == journal.Passed
		if passed && r.Started.After(last.Started) && !r.Started.After(latest) {
			last = r
		}
	}
	return last.Started, last.Commit, nil
}

// record adds the run to the records.
func (c *gateCommand) record(ctx context.Context, v *gate.Verdict) error {
	if c.dry {
		return nil
	}
	at, err := c.journalAt(ctx, c.state, c.folder)
	if err != nil {
		return err
	}
	turn, err := journal.Begin(ctx, at.dir, true)
	if err != nil {
		return unrecorded(err)
	}
	r := journal.Record{
		Project: at.project, Preset: gatePreset, Trigger: gateTrigger, Started: v.Input.Now, Finished: now(), Tool: "loopxctl " + version(),
		Commit: v.Input.Tree.Commit, Dirty: len(v.Input.Tree.Changed) > 0, Decision: journal.Blocked, Counts: counts(v),
	}
	if v.Pass {
		r.Decision = journal.Passed
	}
	_, err = turn.Append(r)
	if err = errors.Join(err, turn.End()); err != nil {
		return unrecorded(err)
	}
	return nil
}

// counts are how many checks ended in which way.
func counts(v *gate.Verdict) map[string]int {
	n := map[string]int{"images": len(v.Input.Images)}
	for _, c := range v.Checks {
		n[string(c.Status)]++
	}
	return n
}
