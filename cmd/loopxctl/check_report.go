package main

import (
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

// findingsReport is r as one report of findings. A finding counts as what its
// rule says: the frontend builds what has no blocker, be a warning about
// security.
func findingsReport(r *report.Report) findings.Report {
	out := findings.Report{
		Command: r.Command + "-public", Tool: thisTool(), Rules: dockerfile.Rules(), Sources: map[string]string{},
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, f.Name)
		if f.Problem != nil {
			out.Problems = append(out.Problems, findings.Problem{File: f.Name, Line: f.Problem.Line, Message: f.Problem.Message})
		}
		if f.Plan == nil {
			continue
		}
		out.Audit = f.Policy.Audit
		text := f.Source
		if f.Written != "" {
			text = f.Output
		}
		out.Sources[f.Name] = string(text)
		for _, finding := range dockerfile.Findings(f.Name, text, f.Plan) {
			s := lens.Apply(finding)
			s.Severity, s.Elevated = finding.Severity, ""
			out.Findings = append(out.Findings, s)
		}
	}
	return out
}
