package floors

import (
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/result"
)

// SchemaVersion is that of the documents here. A new field does not change it;
// one that goes away or changes its meaning does.
const SchemaVersion = 1

// The documents are the public shape of what the commands print as JSON. Lists
// are empty where there is nothing, never null; a field of one value that is
// absent is not known, or there is none.
type (
	// Document is a whole check.
	Document struct {
		SchemaVersion int    `json:"schema_version"`
		Command       string `json:"command"`
		// Blocking says that a finding blocks; Broken, that a file could not be
		// read, so that nothing is known for sure.
		Blocking     bool                     `json:"blocking"`
		Broken       bool                     `json:"broken"`
		Summary      SummaryDocument          `json:"summary"`
		Database     DatabaseDocument         `json:"database"`
		Requirements []VerdictDocument        `json:"requirements"`
		Notes        []VerdictDocument        `json:"notes"`
		Findings     []result.FindingDocument `json:"findings"`
	}
	// SummaryDocument counts requirements by answer. "blocking" counts findings.
	SummaryDocument struct {
		Requirements int            `json:"requirements"`
		Files        int            `json:"files"`
		Answers      map[Answer]int `json:"answers"`
		Blocking     int            `json:"blocking"`
		// Unread counts files that are broken.
		Unread int `json:"unread"`
	}
	// DatabaseDocument says which advisories there were.
	DatabaseDocument struct {
		Loaded  bool   `json:"loaded"`
		Source  string `json:"source,omitempty"`
		SHA256  string `json:"sha256,omitempty"`
		Newest  string `json:"newest,omitempty"`
		Fetched string `json:"fetched,omitempty"`
		Records int    `json:"records"`
	}
	// PlaceDocument is where something stands.
	PlaceDocument struct {
		File   string `json:"file,omitempty"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
	}
	// VerdictDocument is one verdict.
	VerdictDocument struct {
		Answer Answer `json:"answer"`
		PlaceDocument
		Table       string              `json:"table,omitempty"`
		Scope       string              `json:"scope,omitempty"`
		Name        string              `json:"name,omitempty"`
		Requirement string              `json:"requirement,omitempty"`
		Rule        string              `json:"rule,omitempty"`
		Severity    policy.Severity     `json:"severity,omitempty"`
		Message     string              `json:"message,omitempty"`
		Proof       *ProofDocument      `json:"proof,omitempty"`
		Fix         *FixDocument        `json:"fix,omitempty"`
		With        *PlaceDocument      `json:"with,omitempty"`
		Accepted    []ExceptionDocument `json:"accepted,omitempty"`
	}
	// ProofDocument says what is admitted, and what is wrong with it.
	ProofDocument struct {
		Affected   []string           `json:"affected"`
		Examples   []string           `json:"examples"`
		Floor      string             `json:"floor,omitempty"`
		Derived    string             `json:"derived_floor,omitempty"`
		Safe       bool               `json:"safe_versions_left"`
		Policy     []FloorDocument    `json:"policy_floors"`
		Advisories []AdvisoryDocument `json:"advisories"`
	}
	// FloorDocument is a floor of the policy.
	FloorDocument struct {
		Floor  string   `json:"floor"`
		File   string   `json:"file,omitempty"`
		Line   int      `json:"line,omitempty"`
		Reason string   `json:"reason,omitempty"`
		IDs    []string `json:"ids"`
		Marker string   `json:"marker,omitempty"`
		Ends   string   `json:"expires,omitempty"`
	}
	// AdvisoryDocument is an advisory. Fixed is by its records; Weak says that
	// they name a last affected version in place of a fixed one.
	AdvisoryDocument struct {
		ID        string   `json:"id"`
		Aliases   []string `json:"aliases"`
		Records   []string `json:"records"`
		Affected  []string `json:"affected"`
		Fixed     []string `json:"fixed"`
		Modified  string   `json:"modified,omitempty"`
		Weak      bool     `json:"weak,omitempty"`
		Malicious bool     `json:"malicious,omitempty"`
		Unprov    string   `json:"unprovable,omitempty"`
		Summary   string   `json:"summary,omitempty"`
		Page      string   `json:"page,omitempty"`
		// Left says why it does not count, "" if it does.
		Left string `json:"not_counted,omitempty"`
	}
	// FixDocument is what mends a requirement.
	FixDocument struct {
		Requirement string         `json:"requirement,omitempty"`
		Edits       []EditDocument `json:"edits"`
		Why         string         `json:"why_not,omitempty"`
		Suggest     string         `json:"suggestion,omitempty"`
		Other       string         `json:"alternative,omitempty"`
		Command     string         `json:"command,omitempty"`
	}
	// EditDocument replaces bytes of the file.
	EditDocument struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		New   string `json:"new"`
	}
	// ExceptionDocument is an exception of the policy.
	ExceptionDocument struct {
		ID     string `json:"id,omitempty"`
		Name   string `json:"name,omitempty"`
		Reason string `json:"reason"`
		Ends   string `json:"expires"`
		Line   int    `json:"line"`
	}
)

// Document returns the public shape of a report. findings are those of
// [Report.Findings], with what has been acknowledged.
func (r *Report) Document(command string, findings []lens.Shadowed) Document {
	d := Document{
		SchemaVersion: SchemaVersion, Command: command, Database: r.databaseDocument(),
		Requirements: []VerdictDocument{}, Notes: []VerdictDocument{},
		Findings: (result.Result{Findings: findings}).Document().Findings,
		Summary:  r.summary(findings),
	}
	d.Blocking, d.Broken = d.Summary.Blocking > 0, d.Summary.Unread > 0
	for i := range r.Verdicts {
		v := r.verdictDocument(&r.Verdicts[i])
		if r.Verdicts[i].Requirement != nil {
			d.Requirements = append(d.Requirements, v)
		} else {
			d.Notes = append(d.Notes, v)
		}
	}
	return d
}

func (r *Report) summary(findings []lens.Shadowed) SummaryDocument {
	s := SummaryDocument{Answers: map[Answer]int{}}
	files, broken := map[string]bool{}, map[string]bool{}
	for _, v := range r.Verdicts {
		switch {
		case v.Requirement != nil:
			s.Requirements++
			s.Answers[v.Answer]++
			files[v.File] = true
		case v.Answer == Broken:
			broken[v.File] = true
		}
	}
	s.Files, s.Unread = len(files), len(broken)
	for _, f := range findings {
		if f.Blocks() {
			s.Blocking++
		}
	}
	return s
}

func (r *Report) databaseDocument() DatabaseDocument {
	s := r.Database.Snapshot
	return DatabaseDocument{
		Loaded: r.Database.Loaded, Source: policy.Line(s.Source), SHA256: s.SHA256,
		Newest: stamp(s.Newest), Fetched: stamp(s.Fetched), Records: r.Database.Records,
	}
}

// stamp is a time in RFC 3339, "" if it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func (r *Report) verdictDocument(v *Verdict) VerdictDocument {
	d := VerdictDocument{
		Answer: v.Answer, PlaceDocument: place(v.File, v.Span), Table: policy.Line(v.Table),
		Rule: v.Rule, Severity: v.Severity, Message: policy.Line(v.Message), Fix: v.Fix.Document(),
	}
	if q := v.Requirement; q != nil {
		d.Scope, d.Name, d.Requirement = string(q.Scope), q.Name, policy.Line(q.Text)
	}
	if v.With != nil {
		at := place(v.With.File, v.With.Span)
		d.With = &at
	}
	if v.Proof != nil {
		d.Proof = r.proofDocument(v.Proof)
	}
	for _, e := range v.Accepted {
		d.Accepted = append(d.Accepted, ExceptionDocument{e.ID, e.Name, policy.Line(e.Reason), date(e.Expires), e.Line})
	}
	return d
}

func place(file string, at manifest.Span) PlaceDocument {
	return PlaceDocument{policy.Line(file), at.Start.Line, at.Start.Column}
}

// mostExamples is how many versions stand for a set.
const mostExamples = 3

func (r *Report) proofDocument(p *Proof) *ProofDocument {
	d := &ProofDocument{
		Affected: intervals(p.Affected), Examples: examples(p.Affected, mostExamples), Floor: p.Needed.String(), Derived: p.Derived.String(), Safe: p.Safe,
		Policy: []FloorDocument{}, Advisories: []AdvisoryDocument{},
	}
	for _, f := range p.Floors {
		d.Policy = append(d.Policy, r.floorDocument(f))
	}
	for _, h := range p.Hits {
		d.Advisories = append(d.Advisories, advisoryDocument(*h.Advisory, h.Records))
	}
	return d
}

func intervals(s pep440.Set) []string {
	all := []string{}
	for _, i := range s.Intervals() {
		all = append(all, i.String())
	}
	return all
}

func (r *Report) floorDocument(f config.Floor) FloorDocument {
	return FloorDocument{
		Floor: asBound(f).String(), File: r.Config.Name, Line: f.Line, Reason: policy.Line(f.Reason),
		IDs: append([]string{}, f.IDs...), Marker: f.Marker.String(), Ends: date(f.Expires),
	}
}

func advisoryDocument(a osv.Advisory, records []string) AdvisoryDocument {
	head, others := named(a, records)
	d := AdvisoryDocument{
		ID: head, Aliases: append([]string{}, others...), Records: append([]string{}, records...), Affected: intervals(a.Affected),
		Fixed: []string{}, Modified: date(a.Modified), Weak: a.Weak, Malicious: a.Malicious,
		Unprov: policy.Line(a.Unprovable), Summary: policy.Line(a.Summary), Page: policy.Line(a.Page),
	}
	for _, v := range a.Fixed {
		d.Fixed = append(d.Fixed, v.String())
	}
	return d
}

// Document returns the public shape of a fix, nil if f is.
func (f *Fix) Document() *FixDocument {
	if f == nil {
		return nil
	}
	d := &FixDocument{
		Requirement: policy.Line(f.Text), Edits: []EditDocument{}, Why: policy.Line(f.Why), Suggest: policy.Line(f.Suggest),
		Other: policy.Line(f.Other), Command: f.Command,
	}
	for _, e := range f.Edits {
		d.Edits = append(d.Edits, EditDocument(e))
	}
	return d
}
