package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
)

type presetList struct {
	presetInput
	format *oneOf
}

func newPresetList(p *program) *cobra.Command {
	c := &presetList{presetInput: newPresetInput(p)}
	cmd := &cobra.Command{
		Use:               "list",
		Short:             "List the presets as loopx.yaml has them",
		Long:              "List shows the presets that are built in, with what the section presets of\nloopx.yaml changes of them.",
		Example:           "  loopxctl preset list\n  loopxctl preset list --format json",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, "preset")
	c.declare(cmd)
	return cmd
}

func (c *presetList) run(cmd *cobra.Command, _ []string) (int, error) {
	all, _, err := c.presets(cmd.Context())
	if err != nil {
		return 0, err
	}
	if c.format.value == "json" {
		doc := presetsDocument{presetHead: newPresetHead("preset list"), Presets: []presetDocument{}}
		for i := range all {
			doc.Presets = append(doc.Presets, newPresetDocument(&all[i]))
		}
		return exitClean, plain.Encode(&c.out, doc)
	}
	w := tabwriter.NewWriter(&c.out, 0, 0, 2, ' ', 0)
	for i := range all {
		p := &all[i]
		mode := string(p.Mode)
		if p.Disabled {
			mode = "off"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %s\t%s\n", p.ID, p.Maturity, mode, p.Cadence.Cron, p.Cadence.Zone, p.Title)
	}
	return exitClean, w.Flush()
}

type presetShow struct {
	presetInput
	format *oneOf
}

func newPresetShow(p *program) *cobra.Command {
	c := &presetShow{presetInput: newPresetInput(p)}
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show all of one preset",
		Long:              "Show prints all of one preset: when it runs, what it checks, what it decides, and\nwhat it may never do.",
		Example:           "  loopxctl preset show security\n  loopxctl preset show dependency-sweeper --format json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePresets,
		RunE:              p.does(c.run),
	}
	c.format = addFormat(cmd, "preset")
	c.declare(cmd)
	return cmd
}

func (c *presetShow) run(cmd *cobra.Command, args []string) (int, error) {
	all, _, err := c.presets(cmd.Context())
	if err != nil {
		return 0, err
	}
	p, err := findPreset(all, args[0])
	if err != nil {
		return 0, err
	}
	if c.format.value == "json" {
		return exitClean, plain.Encode(&c.out, showDocument{newPresetHead("preset show"), newPresetDocument(p)})
	}
	return exitClean, showPreset(&c.out, p)
}

// showPreset writes a preset for people.
func showPreset(out io.Writer, p *preset.Preset) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(w, "%s\t%s\n", name, plain.Text(line))
			name = ""
		}
	}
	safety := p.Safety()
	row("id", p.ID)
	row("title", p.Title)
	row("maturity", string(p.Maturity))
	if p.Disabled {
		row("enabled", "no")
	}
	row("cadence", p.Cadence.Cron.String()+" "+p.Cadence.Zone.String())
	row("triggers", strings.Join(texts(p.Triggers), ", "))
	row("mode", string(p.Mode)+": "+modeSentence(p.Mode))
	row("checks", strings.Join(texts(p.Checks), ", "))
	for name, list := range map[string][]string{"sarif": p.Reports, "images": p.Images} {
		if len(list) > 0 {
			row(name, strings.Join(list, "\n"))
		}
	}
	row("thresholds", thresholdSentence(&p.Thresholds))
	if u := p.Updates; u != nil {
		row("updates", "up to "+string(u.Allow)+" versions, never: "+orNone(strings.Join(u.Deny, ", ")))
	}
	row("writes", safety.Writes)
	row("network", safety.Network)
	row("runs of the project", safety.Executes)
	row("commands", strings.Join(p.Commands(), "\n"))
	return w.Flush()
}

// texts are words as strings.
func texts[W ~string](all []W) []string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = string(w)
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func modeSentence(m preset.Mode) string {
	return map[preset.Mode]string{
		preset.ReportOnly:  "tells, and fails nothing",
		preset.ReportFirst: "the first run that is recorded tells, every later one fails for what blocks",
		preset.Enforce:     "fails for what blocks",
	}[m]
}

func thresholdSentence(t *preset.Thresholds) string {
	warnings := "any number of warnings"
	if t.Warnings != preset.AnyWarnings {
		warnings = "at most " + count(t.Warnings, "warning", "warnings")
	}
	text := "no blocker\n" + warnings
	if t.Advisories > 0 {
		text += "\nadvisories at most " + inDays(t.Advisories) + " old"
	}
	if t.Acknowledgements > 0 {
		text += "\nno acknowledgement that ends within " + inDays(t.Acknowledgements)
	}
	return text
}

// inDays is a duration in days or hours.
func inDays(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return count(int(d/day), "day", "days")
	}
	return count(int(d/time.Hour), "hour", "hours")
}
