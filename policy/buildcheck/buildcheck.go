// Package buildcheck reads what BuildKit's lint subrequest answers, as "docker
// build --call=check,format=json" prints it. The format is LintResults of
// frontend/subrequests/lint in BuildKit v0.34.2.
package buildcheck

import (
	"cmp"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
)

// Tool is the name that the findings carry.
const Tool = "docker-build-checks"

// Report is the part of the answer that is read. Lines count from 1; the end
// of a range is its last line.
type Report struct {
	Warnings []Warning   `json:"warnings"`
	Sources  []Source    `json:"sources"`
	Error    *BuildError `json:"buildError"`
}

// Warning is one finding of the checks.
type Warning struct {
	RuleName    string    `json:"ruleName"`
	Description string    `json:"description"`
	URL         string    `json:"url"`
	Detail      string    `json:"detail"`
	Location    *Location `json:"location"`
}

// Location is a place in one of the sources.
type Location struct {
	SourceIndex int `json:"sourceIndex"`
	Ranges      []struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	} `json:"ranges"`
}

// Position is a line, and a column that counts from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Source is a Dockerfile, with its text.
type Source struct {
	Filename string `json:"filename"`
	Data     []byte `json:"data"`
}

// BuildError is why the Dockerfile could not be checked to its end.
type BuildError struct {
	Message  string   `json:"message"`
	Location Location `json:"location"`
}

// Intake makes findings of the warnings. An error of the build is a failed
// validation: what stands behind it was not checked.
func (r Report) Intake() policy.Intake {
	tool := policy.Tool{Name: Tool}
	check := policy.Check{
		Name: "Docker build checks", Status: policy.Passed, Required: true, Class: policy.Validation, Tool: tool,
	}
	if r.Error != nil {
		check.Status = policy.Failed
		check.Message = cmp.Or(policy.Line(r.Error.Message), "the build ended with an error")
	}
	out := policy.Intake{Checks: []policy.Check{check}}
	lines := r.lines()
	for _, w := range r.Warnings {
		class, severity := classify(w)
		f := policy.Finding{
			Rule: w.RuleName, Class: class, Severity: severity,
			Message: policy.Line(cmp.Or(w.Detail, w.Description, w.RuleName)), Tool: tool,
		}
		f.Location, f.Evidence = r.locate(w.Location, lines)
		out.Findings = append(out.Findings, f)
	}
	return out
}

// locate returns the first range of a location, and its first line as it
// stands in the source.
func (r Report) locate(l *Location, lines [][]string) (*policy.Location, string) {
	if l == nil || l.SourceIndex < 0 || l.SourceIndex >= len(r.Sources) {
		return nil, ""
	}
	source := r.Sources[l.SourceIndex]
	at := &policy.Location{File: source.Filename}
	if len(l.Ranges) == 0 {
		return at, ""
	}
	first := l.Ranges[0]
	at.Start.Line, at.End.Line = max(0, first.Start.Line), max(0, first.End.Line)
	if first.Start.Character > 0 {
		at.Start.Column, at.End.Column = first.Start.Character+1, first.End.Character+1
	}
	if i := at.Start.Line - 1; i >= 0 && i < len(lines[l.SourceIndex]) {
		return at, policy.Line(lines[l.SourceIndex][i])
	}
	return at, ""
}

// lines are those of each source.
func (r Report) lines() [][]string {
	all := make([][]string, len(r.Sources))
	for i, source := range r.Sources {
		all[i] = strings.Split(string(source.Data), "\n")
	}
	return all
}
