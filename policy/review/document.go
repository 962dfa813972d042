package review

import (
	"io"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/result"
)

// SchemaVersion is that of [Document].
const SchemaVersion = 1

// Command is the value of the field "command".
const Command = "review"

// Document is a review as JSON; "loopxctl schema review" describes it. Lists are
// empty where there is nothing, never null.
type (
	Document struct {
		SchemaVersion int                      `json:"schema_version"`
		Command       string                   `json:"command"`
		Verdict       Verdict                  `json:"verdict"`
		Blocking      bool                     `json:"blocking"`
		Audit         bool                     `json:"audit,omitempty"`
		Repository    string                   `json:"repository,omitempty"`
		Base          RevDocument              `json:"base"`
		Target        RevDocument              `json:"target"`
		Head          RevDocument              `json:"head"`
		MergeBase     gitread.Commit           `json:"merge_base"`
		Policy        string                   `json:"policy"`
		Tool          result.ToolDocument      `json:"tool"`
		Counts        Counts                   `json:"counts"`
		New           []result.FindingDocument `json:"new"`
		Reopened      []result.FindingDocument `json:"reopened"`
		About         []result.FindingDocument `json:"about"`
		Fixed         []result.FindingDocument `json:"fixed"`
		Unchanged     []result.FindingDocument `json:"unchanged"`
		Withheld      []WithheldDocument       `json:"withheld"`
		Moved         []MoveDocument           `json:"moved"`
		Dockerfiles   int                      `json:"dockerfiles"`
		Entries       []EntryDocument          `json:"acknowledgements"`
		Notes         []string                 `json:"notes"`
	}
	// RevDocument is a revision.
	RevDocument struct {
		Name   string         `json:"name"`
		Ref    string         `json:"ref,omitempty"`
		Commit gitread.Commit `json:"commit"`
	}
	// WithheldDocument counts findings that are not shown.
	WithheldDocument struct {
		Family   string          `json:"family"`
		Severity policy.Severity `json:"severity"`
		Count    int             `json:"count"`
		See      string          `json:"see,omitempty"`
	}
	// MoveDocument is what the change does to a Dockerfile as a file.
	MoveDocument struct {
		File string `json:"file"`
		What string `json:"what"`
	}
	// EntryDocument is an acknowledgement of the head, and what is said of it.
	EntryDocument struct {
		Rule        string `json:"rule"`
		Fingerprint string `json:"fingerprint"`
		File        string `json:"file,omitempty"`
		By          string `json:"by"`
		State       string `json:"state"`
		Why         string `json:"why,omitempty"`
	}
)

// JSON writes the review as one indented document.
func (v *Review) JSON(w io.Writer) error { return plain.Encode(w, v.Document()) }

// Document returns the public shape of the review.
func (v *Review) Document() Document {
	d := Document{
		SchemaVersion: SchemaVersion, Command: Command, Verdict: v.Verdict, Blocking: v.Verdict == RequestChanges, Audit: v.Audit,
		Repository: policy.Line(v.Repository), Base: newRev(v.Base), Target: newRev(v.Target), Head: newRev(v.Head), MergeBase: v.MergeBase,
		Policy: v.Policy, Tool: result.ToolDocument{Name: v.Tool.Name, Version: v.Tool.Version},
		Counts: v.Counts(), New: v.documents(v.New), Reopened: v.documents(v.reopened(true)), About: v.documents(v.About),
		Fixed: v.documents(v.Fixed), Unchanged: v.documents(v.reopened(false)),
		Withheld: []WithheldDocument{}, Moved: []MoveDocument{}, Dockerfiles: len(v.Dockerfiles), Entries: []EntryDocument{}, Notes: []string{},
	}
	news := v.News()
	for _, held := range news.WithheldInOrder() {
		d.Withheld = append(d.Withheld, WithheldDocument{held.Family, held.Severity, held.Count, policy.Line(news.Pointer)})
	}
	for _, m := range v.Moved {
		d.Moved = append(d.Moved, MoveDocument{policy.Redact(m.Path), policy.Line(m.What)})
	}
	for _, e := range v.Entries {
		d.Entries = append(d.Entries, EntryDocument{e.Rule, e.Fingerprint, e.File, policy.Line(e.Principal), string(e.State), policy.Line(e.Why)})
	}
	for _, note := range v.Notes {
		d.Notes = append(d.Notes, policy.Line(note))
	}
	return d
}

func newRev(r gitread.Rev) RevDocument { return RevDocument{policy.Line(r.Name), r.Ref, r.Commit} }

// reopened are the unchanged findings that are reopened, or the others.
func (v *Review) reopened(want bool) []Finding {
	var all []Finding
	for _, f := range v.Unchanged {
		if f.Reopened == want {
			all = append(all, f)
		}
	}
	return all
}

// documents are findings as they may be told.
func (v *Review) documents(list []Finding) []result.FindingDocument {
	docs := result.Result{Findings: v.report(list).Findings}.Document().Findings
	return append([]result.FindingDocument{}, docs...)
}
