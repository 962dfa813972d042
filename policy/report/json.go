package report

import (
	"io"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/result"
)

// SchemaVersion is that of [JSON]'s document, which "loopxctl schema" describes.
// A new field does not change it; one that goes away or changes its meaning does.
const SchemaVersion = 1

// The documents below are the public shape of [JSON]. Lists are empty where
// there is nothing, never null.
type (
	document struct {
		SchemaVersion int                `json:"schema_version"`
		Command       string             `json:"command"`
		Blocking      bool               `json:"blocking"`
		Findings      []findingDocument  `json:"findings"`
		Withheld      []withheldDocument `json:"withheld"`
		Problems      []problemDocument  `json:"problems"`
	}
	findingDocument struct {
		result.FindingDocument
		Fix []editDocument `json:"fix,omitempty"`
	}
	editDocument struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		New   string `json:"new"`
	}
	withheldDocument struct {
		Family   string          `json:"family"`
		Severity policy.Severity `json:"severity"`
		Count    int             `json:"count"`
		See      string          `json:"see,omitempty"`
	}
	problemDocument struct {
		File    string `json:"file,omitempty"`
		Line    int    `json:"line,omitempty"`
		Message string `json:"message"`
	}
)

// JSON writes one indented document. The severities in it are those of the
// findings; "blocking" is what they count.
type JSON struct{}

// Write writes r.
func (JSON) Write(w io.Writer, r Report) error {
	doc := document{
		SchemaVersion: SchemaVersion, Command: r.Command, Blocking: r.Blocking(),
		Findings: findingDocuments(&r), Withheld: []withheldDocument{}, Problems: []problemDocument{},
	}
	for _, held := range withheld(&r) {
		doc.Withheld = append(doc.Withheld, withheldDocument{held.Family, held.Severity, held.Count, policy.Line(r.Pointer)})
	}
	for _, p := range problems(&r) {
		doc.Problems = append(doc.Problems, problemDocument(p))
	}
	return plain.Encode(w, doc)
}

func findingDocuments(r *Report) []findingDocument {
	all := entries(r)
	shadowed := make([]lens.Shadowed, len(all))
	for i, e := range all {
		shadowed[i] = e.Shadowed
	}
	docs := make([]findingDocument, len(all))
	for i, d := range (result.Result{Findings: shadowed}).Document().Findings {
		d.Blocking = r.blocks(shadowed[i])
		docs[i].FindingDocument = d
		for _, edit := range shadowed[i].Fix {
			docs[i].Fix = append(docs[i].Fix, editDocument(edit))
		}
	}
	return docs
}
