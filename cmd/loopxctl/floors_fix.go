package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/replace"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

const floorsFixLong = `Fix raises the bounds that are too low, in the files themselves: each edit is the
smallest that keeps all affected versions out, keeps caps, markers, extras,
comments, quotes and layout, and never admits a version that was not admitted
before. The result is read and checked again before anything is written, and each
file is written whole or not at all.

A pin is a choice, so one is only moved with --pins. What has no edit (the fix
lies above a cap, hashes bind the version, a lock) is listed with the reason and
with the command of the tool that writes the file.

It exits 1 if something that blocks is left; with --check also if a file would
change, and nothing is written then.`

const floorsFixExample = `  # What would change, and then change it
  loopxctl floors fix --diff
  loopxctl floors fix

  # Move pins too
  loopxctl floors fix --pins requirements.txt

  # In a pipeline: is there something to fix?
  loopxctl floors fix --check`

type floorsFix struct {
	tree
	floorsInput
	diff, check, pins, holes bool
	color                    *oneOf
}

func newFloorsFix(p *program) *cobra.Command {
	c := &floorsFix{tree: tree{program: p}}
	cmd := &cobra.Command{
		Use:     "fix [PATH]...",
		Short:   "Raise the bounds that admit vulnerable versions",
		Long:    floorsFixLong,
		Example: floorsFixExample,
		RunE:    p.does(c.run),
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.diff, "diff", false, "show what would change as a unified diff, and write nothing")
	flags.BoolVar(&c.check, "check", false, "list the files that would change, write nothing, and exit 1 if there is one")
	flags.BoolVar(&c.pins, "pins", false, "move what is pinned to one version too")
	flags.BoolVar(&c.holes, "holes", false, "leave single versions or families out (!=2.0.*) where that is enough, and keep the bound")
	c.color = addColor(cmd)
	c.floorsInput.declare(cmd)
	c.declareRoot(cmd)
	return cmd
}

func (c *floorsFix) run(cmd *cobra.Command, args []string) (int, error) {
	p, err := c.read(cmd.Context(), &c.tree, args)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	p.Pins, p.Holes = c.pins, c.holes
	before := floors.Check(p.Input)
	changed, err := p.mended(before)
	if err != nil {
		return 0, err
	}
	after, err := p.again(changed, before, nil)
	if err != nil {
		return 0, err
	}
	c.whereNamed(p)
	if p.Database == nil && !c.noDatabase {
		c.note("loopxctl: note: there are no advisories, so only the floors of the policy count: run \"loopxctl floors update\"")
	}
	code := exitClean
	if c.check && len(changed) > 0 {
		code = exitBlocked
	}
	for _, f := range changed {
		if err := c.apply(f, before); err != nil {
			code = exitFailed
			c.fail(err, "")
		}
	}
	return max(code, c.left(after)), nil
}

// mended are the files that change, by name.
func (p *floorsProject) mended(r *floors.Report) ([]*report.File, error) {
	edits := r.Edits()
	var all []*report.File
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		old, err := p.ReadFile(name)
		if err != nil {
			return nil, fault.Of(name, "cannot be read", err)
		}
		text, ok := floors.Apply(old, edits[name])
		if !ok {
			return nil, unsound(name)
		}
		all = append(all, &report.File{Name: name, Path: filepath.Join(p.dir, filepath.FromSlash(name)), Source: old, Output: text})
	}
	return all, nil
}

// unsound is a fix that does not do what it is for.
func unsound(name string) error {
	return &fault.Error{File: name, Message: "a fix was made that does not hold", Todo: "Nothing was written. This is a mistake in loopxctl: please report it, with the file."}
}

// again checks the files as they will be. A fix that leaves more to fix, apart from
// what refuse has a reason against, or a file that can't be read, does not hold.
// refuse may be nil.
func (p *floorsProject) again(changed []*report.File, before *floors.Report, refuse func(*floors.Verdict) string) (*floors.Report, error) {
	if len(changed) == 0 {
		return before, nil
	}
	texts := map[string][]byte{}
	for _, f := range changed {
		texts[f.Name] = f.Output
	}
	in := p.Input
	in.Reading = p.found.Read(floors.Overlay(p.FS(), texts), p.options)
	after := floors.Check(in)
	if refuse != nil {
		after.Hold(refuse)
	}
	if more := after.Edits(); len(more) > 0 {
		return nil, unsound(slices.Min(slices.Collect(maps.Keys(more))))
	}
	if len(after.Problems()) > len(before.Problems()) {
		return nil, unsound(changed[0].Name)
	}
	return after, nil
}

// apply writes a file, or shows what would be written.
func (c *floorsFix) apply(f *report.File, before *floors.Report) error {
	if c.diff {
		exact, err := report.Diff(&c.out, f, paint.For(c.color.value, c.stdout, c.env))
		if !exact {
			c.note("%s: passwords or control characters are hidden in the diff, so it cannot be applied", f.Name)
		}
		return err
	}
	if c.check {
		fmt.Fprintln(&c.out, plain.Text(f.Name))
		return nil
	}
	links := replace.Links(f.Path)
	if err := replace.File(f.Path, f.Output); err != nil {
		return err
	}
	n, line := 0, ""
	for _, v := range before.Verdicts {
		if v.File != f.Name || v.Fix == nil || len(v.Fix.Edits) == 0 {
			continue
		}
		text := fmt.Sprintf("%s:%d:%d: %s becomes %s\n", plain.Text(f.Name), v.Span.Start.Line, v.Span.Start.Column, printable(v.Requirement.Text), printable(v.Fix.Text))
		if text != line { // two lists may have one place
			n++
			c.out.WriteString(text)
		}
		line = text
	}
	c.note("%s: written, %s raised", f.Name, count(n, "bound", "bounds"))
	if links > 0 {
		c.note("%s: had %s (hard links), which still hold the old text", f.Name, count(links, "other name", "other names"))
	}
	return nil
}

// left tells what still blocks, and returns the exit code for it.
func (c *floorsFix) left(r *floors.Report) int {
	c.unreadable(r)
	all := slices.DeleteFunc(r.Findings(), func(f lens.Shadowed) bool { return !f.Blocks() })
	out := findings.Report{Tool: thisTool(), Rules: floors.ReportRules(), Findings: all}
	b, to := &c.out, c.stdout
	if c.diff || c.check { // standard output is for those
		b, to = &c.notes, c.stderr
	}
	_ = findings.Text{Paint: paint.For(c.color.value, to, c.env)}.Write(b, out) // a buffer takes all
	switch {
	case len(r.Problems()) > 0:
		return exitFailed
	case len(all) > 0:
		return exitBlocked
	}
	return exitClean
}
