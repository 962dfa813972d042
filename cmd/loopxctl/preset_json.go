package main

import (
	"time"

	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// presetSchemaVersion is that of the documents here; "loopxctl schema preset"
// describes them. A new field does not change it; one that goes away or changes
// its meaning does.
const presetSchemaVersion = 1

// The documents are the public shape of what the commands print as JSON. Lists are
// empty where there is nothing, never null.
type (
	presetHead struct {
		SchemaVersion int    `json:"schema_version"`
		Command       string `json:"command"`
	}
	presetsDocument struct {
		presetHead
		Presets []presetDocument `json:"presets"`
	}
	showDocument struct {
		presetHead
		Preset presetDocument `json:"preset"`
	}
	presetDocument struct {
		ID         string             `json:"id"`
		Title      string             `json:"title"`
		Maturity   preset.Maturity    `json:"maturity"`
		Enabled    bool               `json:"enabled"`
		Triggers   []preset.Trigger   `json:"triggers"`
		Cadence    cadenceDocument    `json:"cadence"`
		Mode       preset.Mode        `json:"mode"`
		Checks     []preset.Check     `json:"checks"`
		SARIF      []string           `json:"sarif"`
		Images     []string           `json:"images"`
		Thresholds thresholdsDocument `json:"thresholds"`
		Updates    *updatesDocument   `json:"updates,omitempty"`
		Safety     safetyDocument     `json:"safety"`
		Commands   []string           `json:"commands"`
	}
	cadenceDocument struct {
		Cron string `json:"cron"`
		Zone string `json:"zone"`
	}
	thresholdsDocument struct {
		Blockers              int  `json:"blockers"`
		Warnings              *int `json:"warnings,omitempty"`
		AdvisoriesHours       int  `json:"advisories_hours,omitempty"`
		AcknowledgementsHours int  `json:"acknowledgements_hours,omitempty"`
	}
	updatesDocument struct {
		Allow preset.Step `json:"allow"`
		Deny  []string    `json:"deny"`
	}
	safetyDocument struct {
		Writes   string `json:"writes"`
		Network  string `json:"network"`
		Executes string `json:"executes"`
	}
	dueDocument struct {
		presetHead
		Now     string               `json:"now"`
		Overdue bool                 `json:"overdue"`
		Presets []dueCadenceDocument `json:"presets"`
	}
	dueCadenceDocument struct {
		ID      string          `json:"id"`
		Overdue bool            `json:"overdue"`
		Period  *preset.Period  `json:"period,omitempty"`
		Since   *preset.Period  `json:"since,omitempty"`
		Missed  int             `json:"missed"`
		Next    *preset.Period  `json:"next,omitempty"`
		Ahead   bool            `json:"clock_was_ahead"`
		Last    *journal.Record `json:"last,omitempty"`
		Command string          `json:"run,omitempty"`
	}
	historyDocument struct {
		presetHead
		Journal string           `json:"journal"`
		Torn    int              `json:"torn_bytes"`
		Records []journal.Record `json:"records"`
	}
)

func newPresetHead(command string) presetHead { return presetHead{presetSchemaVersion, command} }

func newPresetDocument(p *preset.Preset) presetDocument {
	s := p.Safety()
	d := presetDocument{
		ID: p.ID, Title: p.Title, Maturity: p.Maturity, Enabled: !p.Disabled, Triggers: p.Triggers,
		Cadence: cadenceDocument{p.Cadence.Cron.String(), p.Cadence.Zone.String()},
		Mode:    p.Mode, Checks: p.Checks, SARIF: append([]string{}, p.Reports...), Images: append([]string{}, p.Images...),
		Thresholds: thresholdsDocument{
			AdvisoriesHours:       int(p.Thresholds.Advisories / time.Hour),
			AcknowledgementsHours: int(p.Thresholds.Acknowledgements / time.Hour),
		},
		Safety: safetyDocument(s), Commands: p.Commands(),
	}
	if n := p.Thresholds.Warnings; n != preset.AnyWarnings {
		d.Thresholds.Warnings = &n
	}
	if u := p.Updates; u != nil {
		d.Updates = &updatesDocument{u.Allow, append([]string{}, u.Deny...)}
	}
	return d
}

// known is a period, nil for none.
func known(p preset.Period) *preset.Period {
	if p.IsZero() {
		return nil
	}
	return &p
}
