package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
)

const presetDueLong = `Due says of each preset whether its cadence asks for a run that the journal does
not have, since when, and what to type. It exits 1 if one is overdue.

However many periods were missed, one run settles them. A time that the clock of
the zone skips counts when the clock jumps, one that comes twice counts once. A
clock that goes back fires nothing again. A run that could not look at everything
settles nothing.`

const presetDueExample = `  loopxctl preset due
  loopxctl preset due security --now 2026-12-07T06:00:00Z

  # In a pipeline that keeps its journal in a cache
  loopxctl preset due --state .cache/loopx`

type presetDue struct {
	presetInput
	now    moment
	format *oneOf
}

func newPresetDue(p *program) *cobra.Command {
	c := &presetDue{presetInput: newPresetInput(p)}
	cmd := &cobra.Command{
		Use:               "due [ID]",
		Short:             "Say what is overdue; exit 1 if something is",
		Long:              presetDueLong,
		Example:           presetDueExample,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completePresets,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, "preset")
	cmd.Flags().Var(&c.now, "now", "the moment that is asked about, in place of the machine's clock")
	complete(cmd, "now", cobra.NoFileCompletions)
	c.declare(cmd)
	c.declareJournal(cmd)
	return cmd
}

// dueCadence is the answer about one preset.
type dueCadence struct {
	*preset.Preset
	preset.Due
	last *journal.Record
}

func (c *presetDue) run(cmd *cobra.Command, args []string) (int, error) {
	all, root, err := c.presets(cmd.Context())
	if err != nil {
		return 0, err
	}
	if len(args) > 0 {
		p, err := findPreset(all, args[0])
		if err != nil {
			return 0, err
		}
		all = []preset.Preset{*p}
	}
	log, _, err := c.readJournal(cmd.Context(), root)
	if err != nil {
		return 0, err
	}
	at := cmp.Or(c.now.Time, now())
	code, due := exitClean, []dueCadence{}
	for i := range all {
		p := &all[i]
		if p.Disabled {
			continue
		}
		d := dueCadence{p, p.Cadence.Due(at, runsOf(log.Records, p.ID)), lastOf(log.Records, p.ID, preset.Weekly)}
		if d.Overdue {
			code = exitBlocked
		}
		due = append(due, d)
	}
	if c.format.value == "json" {
		return code, c.json(at, due, code == exitBlocked)
	}
	for _, d := range due {
		c.text(d)
	}
	return code, nil
}

// text tells of one preset.
func (c *presetDue) text(d dueCadence) {
	switch {
	case d.Overdue:
		fmt.Fprintf(&c.out, "%s: overdue since %s", d.ID, periodText(d.Since))
		if d.Missed > 1 {
			fmt.Fprintf(&c.out, " (%s, which one run settles)", missedText(d.Missed))
		}
	case d.Next.IsZero():
		fmt.Fprintf(&c.out, "%s: not due", d.ID)
	default:
		fmt.Fprintf(&c.out, "%s: not due before %s", d.ID, periodText(d.Next))
	}
	fmt.Fprintf(&c.out, "; %s\n", lastText(d.last))
	if d.Ahead {
		fmt.Fprintf(&c.out, "  the journal has a run that is later than now: a clock was wrong\n")
	}
	if d.Overdue {
		fmt.Fprintf(&c.out, "  run: %s\n", c.command(d.Preset))
	}
}

// command is what settles a period, as it is typed here.
func (c *presetDue) command(p *preset.Preset) string {
	all := typedCommand{"loopxctl", "preset", "run", p.ID, "--trigger", string(preset.Weekly)}
	all.add("--root", c.dir)
	all.add("--config", c.config)
	all.add("--state", c.state)
	all.add("--repository", c.repository)
	var b strings.Builder
	for i, word := range all {
		quoted, ok := plain.ShellWord(word)
		if !ok {
			return "loopxctl preset run --help"
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoted)
	}
	return b.String()
}

func (c *presetDue) json(at time.Time, due []dueCadence, overdue bool) error {
	doc := dueDocument{presetHead: newPresetHead("preset due"), Now: at.UTC().Format(time.RFC3339), Overdue: overdue, Presets: []dueCadenceDocument{}}
	for _, d := range due {
		one := dueCadenceDocument{
			ID: d.ID, Overdue: d.Overdue, Period: known(d.Period), Since: known(d.Since), Missed: d.Missed,
			Next: known(d.Next), Ahead: d.Ahead, Last: d.last,
		}
		if d.Overdue {
			one.Command = c.command(d.Preset)
		}
		doc.Presets = append(doc.Presets, one)
	}
	return plain.Encode(&c.out, doc)
}

// periodText is "2026-11-30 06:00 Europe/Berlin (05:00 UTC)".
func periodText(p preset.Period) string {
	text := strings.Replace(p.Local, "T", " ", 1) + " " + p.Zone
	if p.Zone == "UTC" {
		return text
	}
	return text + " (" + p.Start.Format("15:04") + " UTC)"
}

func missedText(n int) string {
	if n == preset.MostMissed {
		return fmt.Sprintf("%d periods or more", n)
	}
	return count(n, "period", "periods")
}

func lastText(r *journal.Record) string {
	if r == nil {
		return "never run"
	}
	return fmt.Sprintf("last run %s: %s", r.Finished.UTC().Format("2006-01-02 15:04 UTC"), r.Decision)
}
