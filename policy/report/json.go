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
		SchemaVersion int    `json:"schema_version"`
		Command       string `json:"command"`
		Blocking      bool   `json:"blocking"`
		Documents
	}
	// Documents are findings, withheld ones, and problems.
	Documents struct {
		Findings []FindingDocument  `json:"findings"`
		Withheld []WithheldDocument `json:"withheld"`
		Problems []ProblemDocument  `json:"problems"`
	}
	// FindingDocument is one finding.
	FindingDocument struct {
		result.FindingDocument
		Fix []editDocument `json:"fix,omitempty"`
	}
	editDocument struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		New   string `json:"new"`
	}
	// WithheldDocument is a number of findings that are not told.
	WithheldDocument struct {
		Family   string          `json:"family"`
		Severity policy.Severity `json:"severity"`
		Count    int             `json:"count"`
		See      string          `json:"see,omitempty"`
	}
	// ProblemDocument is what could not be looked at.
	ProblemDocument struct {
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
	return plain.Encode(w, document{
		SchemaVersion: SchemaVersion, Command: r.Command, Blocking: r.Blocking(), Documents: Document(r),
	})
}

// Document returns the part of [JSON]'s document that other documents have too.
func Document(r Report) Documents {
	doc := Documents{Findings: findingDocuments(&r), Withheld: []WithheldDocument{}, Problems: []ProblemDocument{}}
	for _, held := range withheld(&r) {
		doc.Withheld = append(doc.Withheld, WithheldDocument{held.Family, held.Severity, held.Count, policy.Line(r.Pointer)})
	}
	for _, p := range problems(&r) {
		doc.Problems = append(doc.Problems, ProblemDocument(p))
	}
	return doc
}

func findingDocuments(r *Report) []FindingDocument {
	all := entries(r)
	shadowed := make([]lens.Shadowed, len(all))
	for i, e := range all {
		shadowed[i] = e.Shadowed
	}
	docs := make([]FindingDocument, len(all))
	for i, d := range (result.Result{Findings: shadowed}).Document().Findings {
		d.Blocking = r.blocks(shadowed[i])
		docs[i].FindingDocument = d
		for _, edit := range shadowed[i].Fix {
			docs[i].Fix = append(docs[i].Fix, editDocument(edit))
		}
	}
	return docs
}
