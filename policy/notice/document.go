package notice

import (
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/result"
)

// SchemaVersion is that of the document. A new field does not change it; one that
// goes away or changes its meaning does.
const SchemaVersion = 1

// The documents are the public shape of what the command prints as JSON. Lists are
// empty where there is nothing, never null; a field of one value that is absent is
// not known, or there is none.
type (
	// Document is a whole report.
	Document struct {
		SchemaVersion int    `json:"schema_version"`
		Command       string `json:"command"`
		// Blocking says that a finding blocks; Broken, that something could not be
		// read, so that nothing is known for sure.
		Blocking bool             `json:"blocking"`
		Broken   bool             `json:"broken"`
		Summary  SummaryDocument  `json:"summary"`
		Notices  []NoticeDocument `json:"notices"`
		// Unread are places that may install what a notice is about; Unmatched are
		// packages whose source package is not known.
		Unread    []UnreadDocument         `json:"unread"`
		Unmatched []string                 `json:"unmatched"`
		Problems  []ProblemDocument        `json:"problems"`
		Findings  []result.FindingDocument `json:"findings"`
	}
	// SummaryDocument counts. Skipped are notices that were evaluated before.
	SummaryDocument struct {
		Notices  int           `json:"notices"`
		States   map[State]int `json:"states"`
		Blocking int           `json:"blocking"`
		Skipped  int           `json:"skipped"`
	}
	// NoticeDocument is one notice.
	NoticeDocument struct {
		ID        string           `json:"id"`
		Aliases   []string         `json:"aliases"`
		Records   []string         `json:"records"`
		State     State            `json:"state"`
		Published string           `json:"published,omitempty"`
		Modified  string           `json:"modified,omitempty"`
		Malicious bool             `json:"malicious,omitempty"`
		Rating    string           `json:"rating,omitempty"`
		Summary   string           `json:"summary,omitempty"`
		Page      string           `json:"page,omitempty"`
		Why       string           `json:"why,omitempty"`
		Answers   []AnswerDocument `json:"answers"`
	}
	// PlaceDocument is where something stands.
	PlaceDocument struct {
		File   string   `json:"file"`
		Line   int      `json:"line,omitempty"`
		Column int      `json:"column,omitempty"`
		Stage  string   `json:"stage,omitempty"`
		Heirs  []string `json:"stages_built_from_it,omitempty"`
	}
	// AnswerDocument is what a notice means for one place.
	AnswerDocument struct {
		State State `json:"state"`
		Kind  Kind  `json:"kind"`
		PlaceDocument
		Text    string              `json:"text"`
		Table   string              `json:"table,omitempty"`
		Package string              `json:"package"`
		Source  string              `json:"source,omitempty"`
		OS      string              `json:"os,omitempty"`
		Version string              `json:"version,omitempty"`
		Fixed   string              `json:"fixed,omitempty"`
		Action  Action              `json:"action,omitempty"`
		Message string              `json:"message,omitempty"`
		Held    []string            `json:"held,omitempty"`
		Rule    string              `json:"rule,omitempty"`
		Fix     *floors.FixDocument `json:"fix,omitempty"`
	}
	// UnreadDocument is a place that could not be read in full.
	UnreadDocument struct {
		PlaceDocument
		Why     string `json:"why"`
		Package string `json:"package,omitempty"`
	}
	// ProblemDocument is what could not be read at all.
	ProblemDocument struct {
		File    string `json:"file,omitempty"`
		Line    int    `json:"line,omitempty"`
		Message string `json:"message"`
	}
)

// Document returns the public shape of a report. findings are those of
// [Report.Findings], with what has been acknowledged.
func (r *Report) Document(findings []lens.Shadowed) Document {
	d := Document{
		SchemaVersion: SchemaVersion, Command: "notice", Notices: []NoticeDocument{}, Unread: []UnreadDocument{},
		Unmatched: append([]string{}, r.Unmatched...), Problems: []ProblemDocument{},
		Findings: (result.Result{Findings: findings}).Document().Findings,
		Summary:  SummaryDocument{Notices: len(r.Notices), States: map[State]int{}},
	}
	for i := range r.Notices {
		d.Notices = append(d.Notices, r.Notices[i].document())
		d.Summary.States[r.Notices[i].State]++
	}
	for _, u := range r.Unread {
		d.Unread = append(d.Unread, UnreadDocument{u.document(), policy.Line(u.Why), policy.Line(u.Package)})
	}
	for _, p := range r.Problems() {
		d.Problems = append(d.Problems, ProblemDocument{policy.Line(p.File), p.Line, policy.Line(p.Message)})
	}
	for _, f := range findings {
		if f.Blocks() {
			d.Summary.Blocking++
		}
	}
	d.Blocking, d.Broken = d.Summary.Blocking > 0, len(d.Problems) > 0
	return d
}

func (n *Notice) document() NoticeDocument {
	d := NoticeDocument{
		ID: policy.Line(n.ID), Aliases: []string{}, Records: []string{}, State: n.State, Published: stamp(n.Published), Modified: stamp(n.Modified),
		Malicious: n.Malicious, Rating: policy.Line(n.Rating), Summary: policy.Line(n.Summary), Page: policy.Line(n.Page), Why: policy.Line(n.Why),
		Answers: []AnswerDocument{},
	}
	for _, id := range n.IDs {
		if id != n.ID {
			d.Aliases = append(d.Aliases, policy.Line(id))
		}
	}
	for _, id := range n.Records {
		d.Records = append(d.Records, policy.Line(id))
	}
	for i := range n.Answers {
		d.Answers = append(d.Answers, n.Answers[i].document())
	}
	return d
}

func (a *Answer) document() AnswerDocument {
	d := AnswerDocument{
		State: a.State, Kind: a.Kind, PlaceDocument: a.Place.document(), Text: policy.Line(a.Text), Table: policy.Line(a.Table),
		Package: policy.Line(a.Package), Source: policy.Line(a.Source), Version: policy.Line(a.Version), Fixed: policy.Line(a.Fixed),
		Action: a.Action, Message: policy.Line(a.Message), Rule: a.Rule(), Fix: a.Fix.Document(),
	}
	if a.OS.System != "" {
		d.OS = policy.Line(a.OS.String())
	}
	for _, h := range a.Held {
		d.Held = append(d.Held, policy.Line(h))
	}
	return d
}

func (p Place) document() PlaceDocument {
	d := PlaceDocument{File: policy.Line(p.File), Line: p.Line, Column: p.Column, Stage: policy.Line(p.Stage)}
	for _, s := range p.Stages {
		d.Heirs = append(d.Heirs, policy.Line(s))
	}
	return d
}

// stamp is a time in RFC 3339, "" if it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
