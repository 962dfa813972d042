package report

import (
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Settings is the answer of "loopxctl config show".
type Settings struct {
	InForce *settings.Settings
	// Files are those that were read.
	Files []string
	Notes []route.Note
}

// setting is one setting, as JSON shows it. Source is empty for what is built in.
type setting struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Owner   string `json:"owner"`
	Source  string `json:"source,omitempty"`
}

// settingsDocument is the public shape of [Settings.JSON].
type settingsDocument struct {
	SchemaVersion int            `json:"schema_version"`
	Command       string         `json:"command"`
	Files         []string       `json:"files"`
	Lock          string         `json:"lock,omitempty"`
	Contact       string         `json:"contact,omitempty"`
	Notes         []noteDocument `json:"notes"`
	Settings      []setting      `json:"settings"`
}

// JSON writes the settings as one document.
func (s Settings) JSON(w io.Writer) error {
	doc := settingsDocument{
		SchemaVersion: SchemaVersion, Command: "config-show", Files: each(s.Files, safe), Notes: each(s.Notes, func(n route.Note) noteDocument { return noteDocument(n) }),
		Settings: each(s.InForce.All(), func(x settings.Setting) setting {
			return setting{x.Key, x.Value, string(x.Source.Owner), x.Source.Name}
		}),
	}
	if lock := s.InForce.Lock; lock != nil {
		doc.Lock, doc.Contact = lock.Source, lock.Contact
	}
	return plain.Encode(w, doc)
}

// Text writes a table: the setting, its value, and where that is from.
func (s Settings) Text(w io.Writer, p paint.Painter) error {
	var b strings.Builder
	rows := each(s.InForce.All(), func(x settings.Setting) []string {
		from := x.Source.Name
		if from == "" {
			from = string(x.Source.Owner)
		}
		return []string{safe(x.Key), safe(x.Value), safe(from)}
	})
	columns(&b, rows)
	if lock := s.InForce.Lock; lock != nil {
		b.WriteString(p.Bold("locked") + " by " + safe(lock.Source) + ": a project, and whoever calls a build, may only tighten this\n")
		if lock.Contact != "" {
			b.WriteString("questions to " + safe(lock.Contact) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CheckedConfig is one file that "loopxctl config check" read.
type CheckedConfig struct {
	File   string        `json:"file"`
	Owner  string        `json:"owner"`
	Errors []ConfigError `json:"errors"`
}

// ConfigError is one mistake in a file of the configuration. Line and Column are
// 0 where they are not known.
type ConfigError struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type checkedDocument struct {
	SchemaVersion int             `json:"schema_version"`
	Command       string          `json:"command"`
	Files         []CheckedConfig `json:"files"`
}

// ConfigCheck writes files as one document.
func ConfigCheck(w io.Writer, files []CheckedConfig) error {
	return plain.Encode(w, checkedDocument{SchemaVersion, "config-check", files})
}
