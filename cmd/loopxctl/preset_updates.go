package main

import (
	"errors"
	"fmt"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// presetUpdate is one requirement that a preset may raise.
type presetUpdate struct {
	File   string      `json:"file"`
	Line   int         `json:"line"`
	Column int         `json:"column"`
	Name   string      `json:"name"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Step   preset.Step `json:"step,omitempty"`
	// State is what became of it, and Why the reason if it was held back.
	State updateState `json:"state"`
	Why   string      `json:"why,omitempty"`
}

// updateState is what became of an update.
type updateState string

const (
	proposed updateState = "proposed"
	applied  updateState = "applied"
	heldBack updateState = "held"
)

// refusal says why a preset does not raise a requirement; "" if it does.
func refusal(u *preset.Updates) func(*floors.Verdict) string {
	return func(v *floors.Verdict) string {
		from, to, ok := v.Raised()
		if !ok {
			return "it names no version to begin with, so how large the step is is not known: use \"loopxctl floors fix\""
		}
		return u.Refuses(v.Requirement.Name, preset.StepOf(from, to))
	}
}

// sweep finds what the preset may raise, and raises it if write is true.
func (c *presetRun) sweep(p *floorsProject, u *preset.Updates, write bool) ([]presetUpdate, error) {
	var err error
	if p.found, err = p.find(false); err != nil {
		return nil, err
	}
	p.Today, p.Pins = now(), true
	p.Reading = p.found.Read(p.FS(), p.options)
	before := floors.Check(p.Input)
	had := before.Hold(refusal(u))
	changed, err := p.mended(before)
	if err != nil {
		return nil, err
	}
	if _, err := p.again(changed, before, refusal(u)); err != nil {
		return nil, err
	}
	state := proposed
	if write {
		state = applied
		for _, f := range changed {
			err = errors.Join(err, replace.Check(f.Path))
		}
		for i := 0; i < len(changed) && err == nil; i++ {
			err = replace.File(changed[i].Path, changed[i].Output)
		}
	}
	return updates(had, state), err
}

// updates are the requirements of verdicts.
func updates(had []floors.Verdict, state updateState) []presetUpdate {
	all := []presetUpdate{}
	for i := range had {
		v := &had[i]
		u := presetUpdate{
			File: v.File, Line: v.Span.Start.Line, Column: v.Span.Start.Column, Name: v.Requirement.Name,
			From: v.Requirement.Text, To: v.Fix.Text, State: state,
		}
		if from, to, ok := v.Raised(); ok {
			u.Step = preset.StepOf(from, to)
		}
		if len(v.Fix.Edits) == 0 {
			u.State, u.Why, u.To = heldBack, v.Fix.Why, v.Fix.Suggest
		}
		all = append(all, u)
	}
	return all
}

// line is an update for people.
func (u *presetUpdate) line() string {
	text := fmt.Sprintf("%s:%d:%d: %s: %s", plain.Text(u.File), u.Line, u.Column, u.State, printable(u.From))
	if u.To != "" {
		text += " becomes " + printable(u.To)
	}
	if u.Step != "" {
		text += " (" + string(u.Step) + ")"
	}
	if u.Why != "" {
		text += ": " + plain.Text(u.Why)
	}
	return text
}
