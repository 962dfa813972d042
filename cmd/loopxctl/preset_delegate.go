package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// The commands that runs by other triggers than the cadence are done by.
const (
	byNotice  = "notice"
	byRelease = "release-gate"
)

// ownFlags are those that say how the preset is run, and not what is looked at.
func ownFlags() []string {
	return []string{"trigger", "notice", "if-due", "wait", "apply", "state", "progress"}
}

// hand gives the run to another command, with the flags that it has too and those of
// more, and returns its exit code.
func (c *presetRun) hand(cmd *cobra.Command, name string, args []string, more ...typedFlag) (int, error) {
	other, _, err := cmd.Root().Find([]string{name})
	if err != nil {
		return 0, err
	}
	other.SetContext(cmd.Context())
	for _, f := range more {
		if err := other.Flags().Set(f.flag, f.value); err != nil {
			return 0, err
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if target := other.Flags().Lookup(f.Name); target != nil && err == nil {
			err = passOn(other, f)
		} else if target == nil && !slices.Contains(ownFlags(), f.Name) && err == nil {
			err = fmt.Errorf("--%s does not go with --trigger %s: \"loopxctl %s --help\" lists what does", f.Name, c.trigger, name)
		}
	})
	if err == nil {
		err = other.RunE(other, args)
	}
	return c.code, err
}

// passOn sets a flag of another command to the same value.
func passOn(other *cobra.Command, f *pflag.Flag) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		for _, value := range list.GetSlice() {
			if err := other.Flags().Set(f.Name, value); err != nil {
				return err
			}
		}
		return nil
	}
	return other.Flags().Set(f.Name, f.Value.String())
}

// released are the images and reports of the preset, for the gate.
func (c *presetRun) released(s *scanned, p *preset.Preset) []typedFlag {
	var all []typedFlag
	for _, name := range p.Images {
		all = append(all, typedFlag{"image", c.imageName(s, name)})
	}
	for _, name := range p.Reports {
		all = append(all, typedFlag{"sarif", filepath.Join(s.project.dir, filepath.FromSlash(name))})
	}
	return all
}

// notified evaluates the notices, and records that.
func (c *presetRun) notified(cmd *cobra.Command, turn *journal.Turn, s *scanned, p *preset.Preset) (int, error) {
	log, err := c.journal.read()
	if err != nil {
		return 0, err
	}
	r := c.newResult(cmd.Context(), s, p, log.Records)
	code, err := c.hand(cmd, byNotice, c.notices, typedFlag{"path", s.project.dir})
	if err != nil {
		return 0, err
	}
	r.record.Counts = map[string]int{"notices": len(c.notices)}
	switch {
	case code == exitClean:
		r.record.Decision = journal.Passed
	case code != exitBlocked:
		r.record.Decision = journal.Failed
	case r.enforced:
		r.record.Decision = journal.Blocked
	default:
		r.record.Decision, code = journal.Reported, exitClean
		c.note("%s: %s", p.ID, r.sentence())
	}
	r.record.Report = sum(c.out.Bytes())
	r.record.Finished = now()
	_, err = turn.Append(r.record)
	return code, unrecorded(err)
}
