package main

import (
	"errors"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
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
		out.Sources[f.Name] = string(f.Text())
		out.Findings = append(out.Findings, f.Findings...)
	}
	return out
}

// summary is one line that counts the findings; "" if there are none.
func summary(r findings.Report) string {
	open, acknowledged := map[policy.Severity]int{}, 0
	for _, f := range r.Findings {
		if f.State() == lens.Acknowledged {
			acknowledged++
		} else {
			open[f.Severity]++
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, count(n, one, many))
		}
	}
	if r.Audit {
		add(open[policy.Blocker], "blocker (a warning, as LOOPX_MODE is audit)", "blockers (warnings, as LOOPX_MODE is audit)")
	} else {
		add(open[policy.Blocker], "blocker", "blockers")
	}
	add(acknowledged, "acknowledged blocker", "acknowledged blockers")
	add(open[policy.Warning], "warning", "warnings")
	add(open[policy.Advisory], "advisory", "advisories")
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + "\n"
}

// rulesAndFiles writes what a run over a fleet comes to: a table of rules, and a
// line about the files.
func rulesAndFiles(w io.Writer, tally *report.Tally, p paint.Painter) error {
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	if err := tally.RuleTable(w, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, tally.Line())
	return err
}

// unwritten is the answer of a command that could not go on. What could not be
// written to standard output is tried, and told of, once more at its end.
func unwritten(err error) (int, error) {
	if errors.Is(err, errUnwritten) {
		return exitFailed, nil
	}
	return 0, err
}
