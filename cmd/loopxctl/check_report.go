package main

import (
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

// findingsReport is r as one report of findings.
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
		source := dockerfile.Source{Name: f.Name, Text: text, Plan: f.Plan}
		out.Findings = append(out.Findings, source.Findings()...)
	}
	return out
}
