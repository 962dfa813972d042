package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/journal"
)

// What the records call a run of the gate: it is the trigger "release" of the
// preset "security".
const (
	gatePreset  = "security"
	gateTrigger = "release"
)

// stateFolder is where records are kept: as --state has it, else in the user's
// state folder, "" if the environment does not say where that is. Source: the XDG
// Base Directory Specification, section "Environment variables".
func (p *program) stateFolder(named string) string {
	if named != "" {
		return named
	}
	for _, place := range [][2]string{{"XDG_STATE_HOME", ""}, {"LocalAppData", ""}, {"HOME", ".local/state"}} {
		if dir, _ := p.env(place[0]); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(place[1]), "loopx")
		}
	}
	return ""
}

// since reads when a gate passed last, and for which commit: zero if none has.
func (c *gateCommand) since() (time.Time, string, error) {
	dir := c.stateFolder(c.state)
	if dir == "" {
		return time.Time{}, "", nil
	}
	log, err := journal.Read(dir)
	if err != nil {
		return time.Time{}, "", unrecorded(err)
	}
	var last journal.Record
	for _, r := range log.Records {
		if r.Preset == gatePreset && r.Trigger == gateTrigger && r.Decision == journal.Passed && r.Started.After(last.Started) {
			last = r
		}
	}
	return last.Started, last.Commit, nil
}

// record adds the run to the records.
func (c *gateCommand) record(ctx context.Context, v *gate.Verdict) error {
	dir := c.stateFolder(c.state)
	switch {
	case c.dry:
		return nil
	case dir == "":
		c.note("loopxctl: note: the run is not recorded: give --state FOLDER, as neither XDG_STATE_HOME nor HOME says where")
		return nil
	}
	turn, err := journal.Begin(ctx, dir, true)
	if err != nil {
		return unrecorded(err)
	}
	r := journal.Record{
		Preset: gatePreset, Trigger: gateTrigger, Started: v.Input.Now, Finished: now(), Tool: version(),
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

// unrecorded is an error of the records.
func unrecorded(err error) error {
	if e, ok := errors.AsType[*journal.Error](err); ok {
		return &fault.Error{File: e.Name, Line: e.Line, Message: e.Message, Todo: e.Todo}
	}
	return &fault.Error{Message: err.Error()}
}
