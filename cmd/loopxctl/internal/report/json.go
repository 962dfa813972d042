package report

import (
	"io"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/result"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// SchemaVersion is the version of every JSON document that loopxctl prints,
// described in schema/loopxctl.schema.json. A new field does not change it; a
// field that goes away or changes its meaning does.
const SchemaVersion = 1

// The documents below are the public shape of [JSON]. No URL in them holds
// userinfo; absent lists are empty, never null.
type (
	document struct {
		SchemaVersion int            `json:"schema_version"`
		Command       string         `json:"command"`
		Notes         []noteDocument `json:"notes"`
		Files         []fileDocument `json:"files"`
	}
	noteDocument struct {
		Variable string `json:"variable"`
		Message  string `json:"message"`
		Weakens  bool   `json:"weakens"`
	}
	fileDocument struct {
		File     string            `json:"file"`
		Verdict  string            `json:"verdict"`
		Changed  bool              `json:"changed"`
		Written  string            `json:"written,omitempty"`
		Error    *errorDocument    `json:"error,omitempty"`
		Findings []findingDocument `json:"findings"`
		Guards   []guardDocument   `json:"guards"`
		Fetches  []fetchDocument   `json:"fetches"`
		Edits    []editDocument    `json:"edits"`
	}
	errorDocument struct {
		Line    int    `json:"line,omitempty"`
		Message string `json:"message"`
		Todo    string `json:"todo,omitempty"`
	}
	positionDocument struct {
		Offset int `json:"offset"`
		Line   int `json:"line"`
		Column int `json:"column"`
	}
	rangeDocument struct {
		Start positionDocument `json:"start"`
		End   positionDocument `json:"end"`
	}
	findingDocument struct {
		Rule     string         `json:"rule"`
		Severity string         `json:"severity"`
		Range    rangeDocument  `json:"range"`
		Message  string         `json:"message"`
		Edits    []editDocument `json:"edits"`
		// The rest is there where findings are judged.
		Class           policy.Class                 `json:"class,omitempty"`
		Lens            lens.Lens                    `json:"lens,omitempty"`
		Fingerprint     string                       `json:"fingerprint,omitempty"`
		Instruction     string                       `json:"instruction,omitempty"`
		Status          lens.State                   `json:"status,omitempty"`
		Acknowledgement *result.AcknowledgedDocument `json:"acknowledgement,omitempty"`
		Fix             []editDocument               `json:"fix,omitzero"`
	}
	guardDocument struct {
		Range   rangeDocument `json:"range"`
		Stage   string        `json:"stage"`
		Reason  string        `json:"reason"`
		Certain bool          `json:"certain"`
		Needs   string        `json:"needs"`
		Shown   bool          `json:"shown"`
		Carried bool          `json:"carried"`
		Lender  string        `json:"lender,omitempty"`
		Unfit   string        `json:"unfit,omitempty"`
	}
	fetchDocument struct {
		Range       rangeDocument `json:"range"`
		Instruction string        `json:"instruction"`
		Stage       string        `json:"stage"`
		URL         string        `json:"url"`
		Role        string        `json:"role"`
		Reason      string        `json:"reason"`
		Tool        string        `json:"tool,omitempty"`
		Decision    Decision      `json:"decision"`
		Unedited    string        `json:"unedited,omitempty"`
	}
	editDocument struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		New   string `json:"new"`
	}
)

// Decision is a [route.Decision] without userinfo.
type Decision struct {
	Action  string   `json:"action"`
	To      string   `json:"to,omitempty"`
	Mirrors []string `json:"mirrors,omitempty"`
	Archive string   `json:"archive,omitempty"`
	Rule    string   `json:"rule"`
	Why     string   `json:"why"`
}

// NewDecision makes d safe to print.
func NewDecision(d route.Decision) Decision {
	out := Decision{
		Action: ActionName(d.Action), To: route.Redact(d.To),
		Archive: d.Archive, Rule: d.Rule, Why: d.Why,
	}
	for _, mirror := range d.Mirrors {
		out.Mirrors = append(out.Mirrors, route.Redact(mirror))
	}
	return out
}

// JSON writes r as one indented document.
func JSON(w io.Writer, r *Report) error {
	return plain.Encode(w, document{
		SchemaVersion: SchemaVersion, Command: r.Command,
		Notes: each(r.Notes, func(n route.Note) noteDocument { return noteDocument(n) }),
		Files: each(r.Files, newFile),
	})
}

func newFile(f *File) fileDocument {
	plan := f.Plan
	if plan == nil {
		plan = &rewrite.Plan{}
	}
	return fileDocument{
		File: f.Name, Verdict: f.Verdict(), Changed: f.Changed(), Written: f.Written,
		Error:    newError(f),
		Findings: newFindings(f, plan.Findings),
		Guards:   each(plan.Guards, newGuard),
		Fetches:  each(plan.Fetches, newFetch),
		Edits:    each(plan.Edits, newEdit),
	}
}

func newError(f *File) *errorDocument {
	if f.Problem == nil {
		return nil
	}
	return &errorDocument{f.Problem.Line, route.RedactText(f.Problem.Message), f.Problem.Todo}
}

func newFindings(f *File, planned []rewrite.Finding) []findingDocument {
	docs := each(planned, newFinding)
	for i, s := range f.Findings {
		d := &docs[i]
		d.Class, d.Lens, d.Status = s.Class, s.Lens, s.State()
		d.Fingerprint, d.Instruction = s.Fingerprint, f.Subject(i).Instruction
		if s.Acknowledged != nil {
			d.Acknowledgement = result.NewAcknowledged(*s.Acknowledged)
		}
		d.Fix = each(shown(s.Fix), func(e policy.Edit) editDocument { return editDocument(e) })
	}
	return docs
}

// shown is a fix, unless a secret is in it.
func shown(fix []policy.Edit) []policy.Edit {
	if slices.ContainsFunc(fix, func(e policy.Edit) bool { return policy.Redact(e.New) != e.New }) {
		return nil
	}
	return fix
}

func newFinding(f rewrite.Finding) findingDocument {
	return findingDocument{
		Rule: f.Rule, Severity: string(f.Severity), Range: newRange(f.Range), Message: f.Message, Edits: each(f.Edits, newEdit),
	}
}

func newGuard(g rewrite.Guard) guardDocument {
	return guardDocument{newRange(g.Range), g.Stage, g.Reason, g.Certain, g.Needs, g.Shown, g.Carried, g.Lender, route.RedactText(g.Unfit)}
}

func newFetch(f rewrite.Fetch) fetchDocument {
	return fetchDocument{
		Range: newRange(f.Range), Instruction: f.Instruction, Stage: f.Stage,
		URL: route.Redact(f.URL), Role: RoleName(f.Role), Reason: f.Reason, Tool: f.Tool,
		Decision: NewDecision(f.Decision), Unedited: f.Unedited,
	}
}

func newEdit(e rewrite.Edit) editDocument { return editDocument(e) }

func newRange(r rewrite.Range) rangeDocument {
	return rangeDocument{positionDocument(r.Start), positionDocument(r.End)}
}

// each is never nil, so that JSON shows an empty list.
func each[T, D any](list []T, f func(T) D) []D {
	out := make([]D, 0, len(list))
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}
