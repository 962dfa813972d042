package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/preset"
	findings "github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/result"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// ruleExceeded is the rule of a threshold that is passed.
const ruleExceeded = "PresetThreshold"

// presetResult is a run of a preset.
type presetResult struct {
	*scan.Result
	preset *preset.Preset
	// enforced says that the run fails for what blocks.
	enforced bool
	updates  []presetUpdate
	// exceeded are the thresholds that are passed, a line each.
	exceeded []string
	record   journal.Record
}

// judge counts, and decides.
func (r *presetResult) judge(s *scanned) {
	n := map[string]int{"blockers": 0, "warnings": 0, "advisories": 0, "acknowledged": 0, "validations": 0, "problems": 0, "changes": 0, "updates": len(r.updates)}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		n["problems"] += len(o.Problems)
		n["changes"] += len(o.Changed)
		for _, f := range o.Findings {
			n[counted(f)]++
		}
		for _, v := range o.Validations {
			if v.Blocks() {
				n["validations"]++
			}
		}
	}
	r.record.Counts = n
	r.exceed(s.Now)
	blocks := n["blockers"] > 0 || n["validations"] > 0 || len(r.exceeded) > 0
	switch {
	case n["problems"] > 0:
		r.record.Decision = journal.Failed
	case blocks && r.enforced:
		r.record.Decision = journal.Blocked
	case blocks:
		r.record.Decision = journal.Reported
	default:
		r.record.Decision = journal.Passed
	}
}

// counted is the name under which a finding is counted.
func counted(f lens.Shadowed) string {
	switch {
	case f.Blocks():
		return "blockers"
	case f.State() == lens.Acknowledged:
		return "acknowledged"
	case f.State() == lens.Open && f.Severity == policy.Warning:
		return "warnings"
	}
	return "advisories"
}

// exceed finds the thresholds that are passed.
func (r *presetResult) exceed(at time.Time) {
	t := &r.preset.Thresholds
	if n := r.record.Counts["warnings"]; t.Warnings != preset.AnyWarnings && n > t.Warnings {
		r.exceeded = append(r.exceeded, fmt.Sprintf("%s, and the preset accepts %d", count(n, "warning", "warnings"), t.Warnings))
	}
	if t.Acknowledgements == 0 {
		return
	}
	for _, e := range r.Entries {
		if e.State.Counts() && e.Expires.Before(at.Add(t.Acknowledgements)) {
			r.exceeded = append(r.exceeded, fmt.Sprintf("%s:%d: the acknowledgement of %s ends on %s, within %s", ack.Path, e.Line, plain.Text(e.Rule), e.Expires.Format(time.DateOnly), inDays(t.Acknowledgements)))
		}
	}
}

// code is the exit code.
func (r *presetResult) code() int {
	switch r.record.Decision {
	case journal.Failed:
		return exitFailed
	case journal.Blocked:
		return exitBlocked
	}
	return exitClean
}

// problems are what could not be looked at, each once.
func (r *presetResult) problems() []findings.Problem {
	var all []findings.Problem
	for i := range r.Outcomes {
		for _, p := range r.Outcomes[i].Problems {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// findings are those of all checks.
func (r *presetResult) findings() (all []lens.Shadowed, validations []policy.Check) {
	for i := range r.Outcomes {
		all = append(all, r.Outcomes[i].Findings...)
		validations = append(validations, r.Outcomes[i].Validations...)
	}
	return all, validations
}

// report is what the formats for other programs have.
func (r *presetResult) report(s *scanned) findings.Report {
	all, _ := r.findings()
	out := findings.Report{
		Command: "preset-public", Tool: thisTool(), Rules: append(scan.Rules(), exceededRule()), Findings: all, Problems: r.problems(),
		Sources: map[string]string{}, Stopped: len(r.exceeded) > 0 || r.record.Counts["validations"] > 0,
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, name := range o.Files {
			if slices.Contains(out.Files, name) {
				continue
			}
			out.Files = append(out.Files, name)
			if o.Check != scan.Dockerfile {
				continue // a line of another file may hold what nobody should see
			}
			if text, err := s.project.ReadFile(name); err == nil {
				out.Sources[name] = string(text)
			}
		}
	}
	for _, line := range r.exceeded {
		out.Findings = append(out.Findings, exceededFinding(line))
	}
	return out
}

// exceededFinding is a threshold that is passed, for those who read findings alone.
// Nobody signs for it: the section "presets" of loopx.yaml says what is accepted.
func exceededFinding(line string) lens.Shadowed {
	return lens.Apply(policy.Finding{
		Rule: ruleExceeded, Class: policy.Validation, Severity: policy.Blocker, Message: policy.Line(line), Tool: thisTool().Tool,
	})
}

// exceededRule describes it.
func exceededRule() findings.Rule {
	return findings.Rule{
		Name: ruleExceeded, Description: "A threshold of the preset is passed.", Class: policy.Validation, Severity: policy.Blocker,
		Help: projectPage + "/blob/main/docs/presets.md#change-one", Family: "preset",
	}
}

// outcomeWord is what became of a check.
func outcomeWord(o *scan.Outcome) string {
	switch {
	case o.Failed():
		return "failed"
	case o.Blocks():
		return "blocked"
	case len(o.Findings) > 0 || len(o.Changed) > 0:
		return "findings"
	}
	return "clean"
}

// text writes the result for people.
func (r *presetResult) text(w io.Writer, out findings.Report, painter paint.Painter) error {
	if err := (findings.Text{Paint: painter}).Write(w, out); err != nil {
		return err
	}
	if len(out.Findings) > 0 {
		fmt.Fprintln(w)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		fmt.Fprintf(table, "%s\t%s\t%s\n", o.Check, outcomeWord(o), outcomeText(o))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range r.updates {
		fmt.Fprintln(w, r.updates[i].line())
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", r.preset.ID, r.sentence())
	return err
}

// outcomeText is what a check found, in short.
func outcomeText(o *scan.Outcome) string {
	n := map[string]int{"files": len(o.Files), "changes": len(o.Changed), "problems": len(o.Problems)}
	for _, f := range o.Findings {
		n[counted(f)]++
	}
	var text strings.Builder
	text.WriteString(countsText(n))
	for _, note := range o.Notes {
		text.WriteString("; " + plain.Text(note))
	}
	return text.String()
}

// sentence is the decision, and what follows from it.
func (r *presetResult) sentence() string {
	switch r.record.Decision {
	case journal.Failed:
		return "failed: not everything could be looked at, so the period is still due"
	case journal.Blocked:
		return "blocked"
	case journal.Reported:
		if r.preset.Mode == preset.ReportFirst {
			return "reported: from the next run on, this blocks"
		}
		return "reported: by the mode report_only, this fails nothing"
	}
	return "passed"
}

// presetRunDocument is the JSON form of "loopxctl preset run".
type presetRunDocument struct {
	presetHead
	Preset      string                   `json:"preset"`
	Trigger     string                   `json:"trigger"`
	Mode        preset.Mode              `json:"mode"`
	Enforced    bool                     `json:"enforced"`
	Decision    journal.Decision         `json:"decision"`
	Blocking    bool                     `json:"blocking"`
	Period      *preset.Period           `json:"period,omitempty"`
	Started     time.Time                `json:"started"`
	Finished    time.Time                `json:"finished"`
	Tool        string                   `json:"tool"`
	Commit      string                   `json:"commit,omitempty"`
	Dirty       bool                     `json:"dirty"`
	Record      string                   `json:"record,omitempty"`
	Counts      map[string]int           `json:"counts"`
	Exceeded    []string                 `json:"exceeded"`
	Checks      []checkOutcome           `json:"checks"`
	Updates     []presetUpdate           `json:"updates"`
	Findings    []result.FindingDocument `json:"findings"`
	Validations []result.CheckDocument   `json:"validations"`
}

// checkOutcome is what became of one check.
type checkOutcome struct {
	Check    scan.Check        `json:"check"`
	Outcome  string            `json:"outcome"`
	Findings int               `json:"findings"`
	Files    int               `json:"files"`
	Changed  []string          `json:"changed"`
	Problems []problemDocument `json:"problems"`
	Notes    []string          `json:"notes"`
}

type problemDocument struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

func (r *presetResult) document() presetRunDocument {
	all, validations := r.findings()
	judged := result.Judge(all, validations).Document()
	d := presetRunDocument{
		presetHead: newPresetHead("preset run"), Preset: r.preset.ID, Trigger: r.record.Trigger, Mode: r.preset.Mode,
		Enforced: r.enforced, Decision: r.record.Decision, Blocking: r.record.Decision == journal.Blocked,
		Period: r.record.Period, Started: r.record.Started, Finished: r.record.Finished, Tool: r.record.Tool,
		Commit: r.record.Commit, Dirty: r.record.Dirty, Record: r.record.ID, Counts: r.record.Counts,
		Exceeded: append([]string{}, r.exceeded...), Checks: []checkOutcome{}, Updates: append([]presetUpdate{}, r.updates...),
		Findings: judged.Findings, Validations: judged.Validations,
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		one := checkOutcome{
			Check: o.Check, Outcome: outcomeWord(o), Findings: len(o.Findings), Files: len(o.Files),
			Changed: append([]string{}, o.Changed...), Problems: []problemDocument{}, Notes: append([]string{}, o.Notes...),
		}
		for _, p := range o.Problems {
			one.Problems = append(one.Problems, problemDocument{p.File, p.Line, policy.Line(p.Message)})
		}
		d.Checks = append(d.Checks, one)
	}
	return d
}

func (r *presetResult) json(w io.Writer) error { return plain.Encode(w, r.document()) }

// digest is the SHA-256 of the JSON of the result without the name of its record,
// which is made later.
func (r *presetResult) digest() (string, error) {
	var b bytes.Buffer
	if err := r.json(&b); err != nil {
		return "", err
	}
	return sum(b.Bytes()), nil
}

// sum is a SHA-256 in hexadecimal.
func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}
