package queue

import (
	"io"
	"time"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/review/area"
)

// The public shape of [Queue.JSON].
type (
	document struct {
		SchemaVersion int             `json:"schema_version"`
		Command       string          `json:"command"`
		Blocking      bool            `json:"blocking"`
		Limit         int             `json:"limit"`
		Cut           bool            `json:"cut"`
		Closed        int             `json:"closed"`
		Open          []entryDocument `json:"open"`
		Merged        []entryDocument `json:"merged"`
	}
	entryDocument struct {
		Number         int              `json:"number"`
		URL            string           `json:"url"`
		Title          string           `json:"title,omitempty"`
		Author         string           `json:"author,omitempty"`
		Private        bool             `json:"private,omitempty"`
		Draft          bool             `json:"draft,omitempty"`
		Base           string           `json:"base"`
		BaseOID        string           `json:"base_oid"`
		HeadOID        string           `json:"head_oid"`
		Status         Status           `json:"status"`
		Problem        string           `json:"problem,omitempty"`
		Verdict        *verdictDocument `json:"verdict,omitempty"`
		Areas          []area.Area      `json:"areas"`
		UnlistedFiles  int              `json:"unlisted_files,omitempty"`
		Lines          int              `json:"lines"`
		Files          int              `json:"files"`
		Created        time.Time        `json:"created"`
		Merged         *time.Time       `json:"merged,omitempty"`
		AgeDays        int              `json:"age_days"`
		ReviewDecision string           `json:"review_decision,omitempty"`
		Commands       []string         `json:"commands"`
	}
	verdictDocument struct {
		Event      string `json:"event"`
		New        int    `json:"new"`
		Fixed      int    `json:"fixed"`
		Unchanged  int    `json:"unchanged"`
		Blockers   int    `json:"blockers"`
		Sensitive  int    `json:"sensitive"`
		Unprovable int    `json:"unprovable"`
	}
)

// JSON writes the queue as a document of `loopxctl schema`. It is public text.
func (q *Queue) JSON(w io.Writer) error {
	return plain.Encode(w, document{
		SchemaVersion: 1, Command: "review-queue", Blocking: q.Blocks(), Limit: q.Limit, Cut: q.Cut, Closed: q.Closed,
		Open: documents(q.Open), Merged: documents(q.Merged),
	})
}

func documents(entries []Entry) []entryDocument {
	all := make([]entryDocument, 0, len(entries))
	for _, e := range entries {
		d := entryDocument{
			Number: e.Number, URL: e.URL, Private: e.Sensitive(), Draft: e.Draft, Base: e.Base, BaseOID: e.BaseOID, HeadOID: e.HeadOID,
			Status: e.Status, Problem: e.Problem, Areas: append([]area.Area{}, e.Areas...), Lines: e.Size(), Files: e.ChangedFiles,
			Created: e.Created.UTC(), AgeDays: int(e.Age / (24 * time.Hour)), ReviewDecision: e.ReviewDecision, Commands: append([]string{}, e.Commands...),
		}
		if !d.Private {
			d.Title, d.Author = e.Title, e.Author
		}
		if e.Unlisted {
			d.UnlistedFiles = e.ChangedFiles - len(e.Files)
		}
		if v := e.Verdict; v != nil {
			d.Verdict = &verdictDocument{v.Event, v.New, v.Fixed, v.Unchanged, v.Blockers, v.Sensitive, v.Unprovable}
		}
		if !e.Merged.IsZero() {
			merged := e.Merged.UTC()
			d.Merged = &merged
		}
		all = append(all, d)
	}
	return all
}
