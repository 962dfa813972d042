package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // cadences name zones, and a bare machine has no database of them

	"github.com/moby/buildkit/util/suggest"
	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
)

const presetLong = `A preset is a set of checks with a cadence: security runs weekly, when a notice
appears and before a release; dependency-sweeper raises floors and pins within
patch and minor versions. The section presets of loopx.yaml changes their
cadence, mode, checks and thresholds.

Each run is recorded in a journal, so that "preset due" knows what nobody has run,
over clock changes and missed weeks. The journal is in the user's state folder, or
where --state says. "preset render" writes what runs a preset by itself.`

const presetExample = `  # What is there, and is something overdue?
  loopxctl preset list
  loopxctl preset due

  # Run it now
  loopxctl preset run security

  # Have it run by a pipeline, a timer or cron
  loopxctl preset render security --for systemd --output /etc/systemd/system`

func newPreset(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "preset",
		Short:             "Run checks on a cadence, at a notice and before a release",
		Long:              presetLong,
		Example:           presetExample,
		Args:              onlyCommands,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPresetList(p), newPresetShow(p), newPresetRun(p), newPresetDue(p), newPresetHistory(p), newPresetRender(p))
	return cmd
}

// presetInput are the flags that say which presets and whose journal is meant.
type presetInput struct {
	tree
	config, state string
}

func newPresetInput(p *program) presetInput { return presetInput{tree: tree{program: p}} }

// declare declares --root and --config.
func (in *presetInput) declare(cmd *cobra.Command) {
	in.declareRoot(cmd)
	cmd.Flags().StringVar(&in.config, "config", "", "policy `FILE`, or "+noConfig+"; unless given, "+config.File+" at the root")
	complete(cmd, "config", cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt))
}

// declareJournal declares --state and --repository.
func (in *presetInput) declareJournal(cmd *cobra.Command) {
	declareState(cmd, &in.state)
	in.declareRepository(cmd)
}

func declareState(cmd *cobra.Command, state *string) {
	cmd.Flags().StringVar(state, "state", "", "`FOLDER` of the journal, such as one of the repository or of a pipeline's cache; unless given, one for this project in the user's state folder")
	complete(cmd, "state", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

// presets reads those of the project.
func (in *presetInput) presets(ctx context.Context) (all []preset.Preset, root string, err error) {
	cfg, root, err := in.policy(ctx)
	if err != nil {
		return nil, "", err
	}
	return cfg.AllPresets(), root, nil
}

// policy reads that of the project.
func (in *presetInput) policy(ctx context.Context) (cfg *config.Config, root string, err error) {
	here := "."
	if in.dir != "" {
		here = in.dir
	}
	r, err := in.floorsRoot(ctx, []string{here}, false)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	cfg, err = (&floorsInput{config: in.config}).readPolicy(r)
	return cfg, r.dir, err
}

// journalPlace is where the runs of a project are recorded, and by which name: one
// folder may have those of several.
type journalPlace struct{ dir, project string }

// read reads the runs of the project.
func (at journalPlace) read() (journal.Log, error) {
	log, err := journal.Read(at.dir)
	return log.Of(at.project), unrecorded(err)
}

// journalAt is where the runs of the project in root are recorded: --state, or a
// folder for it in the user's. Source: the XDG Base Directory Specification, section
// "Environment variables".
func (t *tree) journalAt(ctx context.Context, state, root string) (journalPlace, error) {
	project := t.project(ctx, root)
	if state != "" {
		return journalPlace{state, project}, nil
	}
	for _, place := range [][2]string{{"XDG_STATE_HOME", ""}, {"LocalAppData", ""}, {"HOME", filepath.Join(".local", "state")}} {
		if dir, _ := t.env(place[0]); filepath.IsAbs(dir) {
			return journalPlace{filepath.Join(dir, place[1], "loopx", "journal", project), project}, nil
		}
	}
	return journalPlace{}, errors.New("neither XDG_STATE_HOME nor HOME says where the journal is: give --state FOLDER")
}

// project names what is looked at in root without telling it: by the address of the
// repository and the path of the folder in it, or by its place if it has none.
func (t *tree) project(ctx context.Context, root string) string {
	name, err := t.id(ctx, root)
	if err != nil {
		name = realFolder(root)
	} else if below := t.below(ctx, root); below != "" {
		name += "\n" + below
	}
	return sum([]byte(name))[:16]
}

// below is the path of a folder in its repository; "" for its top, and outside of one.
func (t *tree) below(ctx context.Context, root string) string {
	path, err := t.git(ctx, root, "rev-parse", "--show-prefix")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, "/")
}

// readJournal reads the runs of the project.
func (in *presetInput) readJournal(ctx context.Context, root string) (journal.Log, string, error) {
	at, err := in.journalAt(ctx, in.state, root)
	if err != nil {
		return journal.Log{}, "", err
	}
	log, err := at.read()
	if err == nil && log.Torn > 0 {
		in.note("loopxctl: note: the last %d bytes of the journal are no whole record: a run was killed as it wrote, or writes now", log.Torn)
	}
	return log, at.dir, err
}

// unrecorded is an error of package journal as this program tells it.
func unrecorded(err error) error {
	if e, ok := errors.AsType[*journal.Error](err); ok {
		return diagnosed(e)
	}
	return err
}

// findPreset is the preset of an ID.
func findPreset(all []preset.Preset, id string) (*preset.Preset, error) {
	if p := preset.Find(all, id); p != nil {
		return p, nil
	}
	err := fmt.Errorf("there is no preset %q: \"loopxctl preset list\" shows those that are there", shortName(id))
	if near, ok := suggest.Search(id, preset.IDs(all), true); ok && len(id) < 100 {
		return nil, fmt.Errorf("%w\nDid you mean %s?", err, near)
	}
	return nil, err
}

// shortName is a name for a message.
func shortName(name string) string {
	const most = 60
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// completePresets offers the presets that are built in.
func completePresets(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return preset.IDs(preset.Builtin()), cobra.ShellCompDirectiveNoFileComp
}

// settles reports whether a record settles the period that it is for: what could
// not be looked at was not checked.
func settles(r *journal.Record) bool { return r.Period != nil && r.Decision != journal.Failed }

// runsOf are the runs by the cadence of a preset.
func runsOf(records []journal.Record, id string) []preset.Run {
	var all []preset.Run
	for i := range records {
		if r := &records[i]; r.Preset == id && r.Trigger == string(preset.Weekly) && settles(r) {
			all = append(all, preset.Run{Period: *r.Period, Finished: r.Finished})
		}
	}
	return all
}

// lastOf is the last run of a preset by the trigger; nil if there is none.
func lastOf(records []journal.Record, id string, t preset.Trigger) *journal.Record {
	for i := range slices.Backward(records) {
		if r := &records[i]; r.Preset == id && r.Trigger == string(t) {
			return r
		}
	}
	return nil
}

// moment is the flag --now.
type moment struct{ time.Time }

// Set reads a time of RFC 3339.
func (m *moment) Set(text string) (err error) {
	if m.Time, err = time.Parse(time.RFC3339, text); err != nil {
		return errors.New("must be a time such as 2026-11-30T07:00:00Z (RFC 3339)")
	}
	return nil
}

// String is the flag's value.
func (m *moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Format(time.RFC3339)
}

// Type is the flag's value in the help text.
func (*moment) Type() string { return "TIME" }
