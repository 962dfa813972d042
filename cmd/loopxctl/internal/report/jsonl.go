package report

import (
	"io"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// The lines of --format jsonl: one for each file, in order, and then a summary.
type (
	fileLine struct {
		SchemaVersion int          `json:"schema_version"`
		Command       string       `json:"command"`
		File          fileDocument `json:"file"`
	}
	summaryLine struct {
		SchemaVersion int             `json:"schema_version"`
		Command       string          `json:"command"`
		Notes         []noteDocument  `json:"notes"`
		Summary       summaryDocument `json:"summary"`
	}
	summaryDocument struct {
		Files     filesDocument   `json:"files"`
		Moved     int             `json:"moved"`
		Lent      int             `json:"lent"`
		HiddenApt aptDocument     `json:"hidden_apt"`
		Rules     []RuleCount     `json:"rules"`
		Decisions []DecisionCount `json:"decisions"`
	}
	filesDocument struct {
		Total      int `json:"total"`
		Clean      int `json:"clean"`
		Changed    int `json:"changed"`
		Blocked    int `json:"blocked"`
		Unreadable int `json:"unreadable"`
		Ignored    int `json:"ignored"`
	}
	aptDocument struct {
		Runs  int `json:"runs"`
		Files int `json:"files"`
	}
)

// FileLine writes f as one line of JSON.
func FileLine(w io.Writer, command string, f *File) error {
	return plain.EncodeLine(w, fileLine{SchemaVersion, command, newFile(f)})
}

// SummaryLine writes the last line.
func SummaryLine(w io.Writer, command string, notes []route.Note, t *Tally) error {
	return plain.EncodeLine(w, summaryLine{
		SchemaVersion, command, each(notes, func(n route.Note) noteDocument { return noteDocument(n) }), newSummary(t),
	})
}

func newSummary(t *Tally) summaryDocument {
	return summaryDocument{
		Files:     filesDocument{t.Total, t.Clean, t.Changed, t.Blocked, t.Failed, t.Ignored},
		Moved:     t.Moved,
		Lent:      t.Lent,
		HiddenApt: aptDocument{t.AptRuns, t.AptFiles},
		Rules:     t.Rules(), Decisions: t.Decisions(),
	}
}
