package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/plain"
)

type presetHistory struct {
	presetInput
	limit  int
	format *oneOf
}

func newPresetHistory(p *program) *cobra.Command {
	c := &presetHistory{presetInput: newPresetInput(p)}
	cmd := &cobra.Command{
		Use:   "history [ID]",
		Short: "List the runs in the journal, the newest first",
		Long: "History lists the runs in the journal of this project, the newest first: when, by\n" +
			"what trigger, for which period, what was decided, and how much was found. It tells\nnothing of what was found: the journal does not have it.",
		Example:           "  loopxctl preset history\n  loopxctl preset history security --limit 3 --format json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completePresets,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, "preset")
	cmd.Flags().IntVar(&c.limit, "limit", 20, "`NUMBER` of runs that are listed at the most; 0 lists all")
	complete(cmd, "limit", cobra.NoFileCompletions)
	c.declare(cmd)
	c.declareJournal(cmd)
	return cmd
}

func (c *presetHistory) run(cmd *cobra.Command, args []string) (int, error) {
	if c.limit < 0 {
		return 0, errors.New("--limit is a number from 0 on")
	}
	all, root, err := c.presets(cmd.Context())
	if err != nil {
		return 0, err
	}
	if len(args) > 0 {
		if _, err := findPreset(all, args[0]); err != nil {
			return 0, err
		}
	}
	log, dir, err := c.readJournal(cmd.Context(), root)
	if err != nil {
		return 0, err
	}
	records := []journal.Record{}
	for _, r := range slices.Backward(log.Records) {
		if (len(args) == 0 || r.Preset == args[0]) && (c.limit == 0 || len(records) < c.limit) {
			records = append(records, r)
		}
	}
	if c.format.value == "json" {
		return exitClean, plain.Encode(&c.out, historyDocument{newPresetHead("preset history"), dir, log.Torn, records})
	}
	if len(records) == 0 {
		c.note("%s: no run is recorded", printable(dir))
	}
	w := tabwriter.NewWriter(&c.out, 0, 0, 2, ' ', 0)
	for i := range records {
		fmt.Fprintln(w, historyLine(&records[i]))
	}
	return exitClean, w.Flush()
}

// historyLine is a record in columns. Its texts come from a file.
func historyLine(r *journal.Record) string {
	period := "-"
	if r.Period != nil {
		period = periodText(*r.Period)
	}
	commit := cmp.Or(r.Commit, "-")
	if len(commit) > 12 {
		commit = commit[:12]
	}
	if r.Dirty {
		commit += "+"
	}
	cells := []string{
		r.Finished.UTC().Format("2006-01-02 15:04 UTC"), r.Preset, r.Trigger, period, string(r.Decision), countsText(r.Counts), commit,
	}
	if r.ClockBack > 0 {
		cells = append(cells, fmt.Sprintf("the clock had gone back by %d s", r.ClockBack))
	}
	for i, cell := range cells {
		cells[i] = plain.Text(cell)
	}
	return strings.Join(cells, "\t")
}

// countsText is "blockers 1, warnings 2" of what is not zero.
func countsText(counts map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] != 0 {
			all = append(all, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "-")
}
