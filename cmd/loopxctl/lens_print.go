package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	findings "github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/result"
)

// lensDocument is the JSON form of "loopxctl lens".
type lensDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"`
	result.Document
}

// lensList is the JSON form of "loopxctl lens --list".
type lensList struct {
	SchemaVersion int        `json:"schema_version"`
	Command       string     `json:"command"`
	Lenses        []lensItem `json:"lenses"`
}

type lensItem struct {
	Lens     lens.Lens      `json:"lens"`
	Question string         `json:"question"`
	Classes  []policy.Class `json:"classes"`
}

func (c *lensCommand) print(r result.Result) error {
	return c.publication.write(c.program, lensReport(r, true), func(w io.Writer, p paint.Painter) error {
		switch c.format.value {
		case "json":
			return plain.EncodeLine(w, lensDocument{report.SchemaVersion, "lens", r.Document()})
		case "text":
			if err := printResult(w, r, p); err != nil {
				return err
			}
			_, err := io.WriteString(w, c.wayOut(r.Findings))
			return err
		}
		return findings.New(c.format.value, nil).Write(w, lensReport(r, false))
	})
}

// lensReport is r as a report of findings. What a tool says about a validation that
// failed may be sensitive, so it is not told in public.
func lensReport(r result.Result, public bool) findings.Report {
	out := findings.Report{Command: "lens-public", Tool: thisTool(), Rules: dockerfile.Rules(), Findings: r.Findings}
	for _, check := range r.Document().Validations {
		if !check.Blocking {
			continue
		}
		problem := fmt.Sprintf("validation %s: %s", check.Name, check.Status)
		if check.Message != "" && !public {
			problem += ": " + check.Message
		}
		out.Stopped = true
		out.Problems = append(out.Problems, findings.Problem{Message: problem})
	}
	return out
}

// printResult writes a result for people.
func printResult(w io.Writer, r result.Result, p paint.Painter) error {
	var b bytes.Buffer
	for _, s := range r.Findings {
		printFinding(&b, s, p)
	}
	for _, check := range r.Document().Validations {
		printCheck(&b, check, p)
	}
	for _, l := range lens.All() {
		if state := r.Guardrails[l]; state != result.NotTriggered {
			fmt.Fprintf(&b, "  %-22s %s\n", l, colourState(state, p))
		}
	}
	verdict := p.Green("pass")
	if r.Blocking {
		verdict = p.Red("fail") + ": " + strings.Join(r.Codes, ", ")
	}
	fmt.Fprintf(&b, "%s %s\n", p.Bold("decision:"), verdict)
	_, err := w.Write(b.Bytes())
	return err
}

// printFinding writes one finding: its place, what it does, and what is said
// against it.
func printFinding(b *bytes.Buffer, s lens.Shadowed, p paint.Painter) {
	fmt.Fprintf(b, "%s%s %s%s %s\n", place(s.Location, p), colourSeverity(s, p), plain.Text(s.Message), bracketed(s, p), p.Cyan("("+string(s.Lens)+")"))
	for _, note := range notes(s) {
		fmt.Fprintf(b, "    %s\n", note)
	}
	fmt.Fprintf(b, "    %s\n", p.Faint("fingerprint "+s.Fingerprint))
}

// notes are the lines under a finding.
func notes(s lens.Shadowed) []string {
	var all []string
	if s.Evidence != "" {
		all = append(all, "evidence    "+plain.Text(policy.Line(s.Evidence)))
	}
	if s.Elevated != "" {
		all = append(all, "elevated    "+plain.Text(s.Elevated))
	}
	for _, claim := range s.Claims {
		effect := "counted"
		switch {
		case s.Severity == policy.Blocker:
			effect = "lifts no blocker"
		case s.State() == lens.Open:
			effect = "does not count"
		}
		line := fmt.Sprintf("claimed     %s: %s, %s", claim.By, claim.State, effect)
		if claim.Reason != "" {
			line += ": " + claim.Reason
		}
		all = append(all, plain.Text(line))
	}
	if s.Acknowledged != nil {
		all = append(all, plain.Text(s.Acknowledged.String()))
	}
	return all
}

func place(at *policy.Location, p paint.Painter) string {
	if at == nil || at.File == "" {
		return ""
	}
	where := plain.Text(at.File)
	for _, n := range []int{at.Start.Line, at.Start.Column} {
		if n == 0 {
			break
		}
		where = fmt.Sprintf("%s:%d", where, n)
	}
	return p.Bold(where+":") + " "
}

func bracketed(s lens.Shadowed, p paint.Painter) string {
	name := strings.TrimSpace(s.Tool.Name + " " + s.Rule)
	if name == "" {
		return ""
	}
	return " " + p.Faint("["+plain.Text(name)+"]")
}

func colourSeverity(s lens.Shadowed, p paint.Painter) string {
	word := string(s.Severity)
	if state := s.State(); state != lens.Open {
		return word + " (" + string(state) + "):"
	}
	switch s.Severity {
	case policy.Blocker:
		return p.Red(word + ":")
	case policy.Warning:
		return p.Yellow(word + ":")
	}
	return word + ":"
}

func colourState(s result.State, p paint.Painter) string {
	switch s {
	case result.Blocked:
		return p.Red(string(s))
	case result.Risk:
		return p.Yellow(string(s))
	case result.Satisfied, result.Resolved:
		return p.Green(string(s))
	}
	return string(s)
}

// printCheck writes a validation that did not simply pass.
func printCheck(b *bytes.Buffer, c result.CheckDocument, p paint.Painter) {
	word := string(c.Status)
	switch {
	case c.Blocking:
		word = p.Red(word)
	case c.Status == policy.Passed:
		word = p.Green(word)
	}
	fmt.Fprintf(b, "%s %s: %s", p.Bold("validation"), plain.Text(c.Name), word)
	if c.Status == policy.Skipped && !c.Required {
		b.WriteString(", not required")
	}
	if c.Message != "" {
		b.WriteString(": " + plain.Text(c.Message))
	}
	fmt.Fprintf(b, " %s\n", p.Cyan("("+string(c.Lens)+")"))
}

func (c *lensCommand) printList(asJSON bool) error {
	if asJSON {
		doc := lensList{report.SchemaVersion, "lens_list", nil}
		for _, l := range lens.All() {
			doc.Lenses = append(doc.Lenses, lensItem{l, l.Question(), append([]policy.Class{}, l.Classes()...)})
		}
		return plain.EncodeLine(&c.out, doc)
	}
	p := paint.For(c.color.value, c.stdout, c.env)
	for _, l := range lens.All() {
		fmt.Fprintf(&c.out, "%s\n    %s\n", p.Bold(string(l)), l.Question())
		var names []string
		for _, class := range l.Classes() {
			names = append(names, string(class))
		}
		fmt.Fprintf(&c.out, "    %s\n", p.Faint("classes: "+cmp.Or(strings.Join(names, ", "), "none; rules named reuse, or reuse/…")))
	}
	return nil
}
