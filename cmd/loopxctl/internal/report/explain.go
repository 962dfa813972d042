package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Explain writes every URL of f with what was decided and why, and then the
// RUN instructions that need help at the point of fetch.
func Explain(w io.Writer, f *File, p paint.Painter) error {
	if f.Plan == nil {
		return nil
	}
	var b strings.Builder
	for _, fetch := range f.Plan.Fetches {
		explainFetch(&b, f, fetch, p)
	}
	for _, guard := range f.Plan.Guards {
		explainGuard(&b, f, guard, p)
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%s no URL here, and no RUN that needs help\n", p.Bold(plain.Text(f.Name)+":"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func explainFetch(b *strings.Builder, f *File, fetch rewrite.Fetch, p paint.Painter) {
	at := fetch.Range.Start
	fmt.Fprintf(b, "%s %s\n", p.Bold(fmt.Sprintf("%s:%d:%d:", plain.Text(f.Name), at.Line, at.Column)), safe(route.Redact(fetch.URL)))
	field(b, p, "in", fetch.Instruction+" in "+StageName(fetch.Stage))
	field(b, p, "used as", safe(cmp.Or(fetch.Reason, "unknown"))+" ("+RoleWords(fetch.Role)+")")
	ExplainDecision(b, fetch.Decision, p)
	if why := unedited(f, fetch); why != "" {
		field(b, p, "not edited", safe(why))
	}
}

// unedited says why the text keeps an address that the decision moves. The
// analyser of words knows some reasons, the plan as a whole others.
func unedited(f *File, fetch rewrite.Fetch) string {
	if fetch.Unedited != "" || len(fetch.Edits) == 0 {
		return fetch.Unedited
	}
	for _, finding := range f.Plan.Findings {
		if finding.Rule == notEdited && finding.Range == fetch.Range {
			return finding.Message
		}
	}
	return ""
}

// ExplainDecision writes a decision as three indented lines.
func ExplainDecision(b *strings.Builder, d route.Decision, p paint.Painter) {
	field(b, p, "decision", action(d, p))
	if d.Archive != "" {
		field(b, p, "archive", safe(d.Archive))
	}
	field(b, p, "because", safe(d.Why)+" "+p.Faint("["+d.Rule+"]"))
}

func action(d route.Decision, p paint.Painter) string {
	switch d.Action {
	case route.Upgrade:
		return p.Green("upgrade") + " to " + safe(route.Redact(d.To))
	case route.Mirror:
		var to []string
		for _, mirror := range d.Mirrors {
			to = append(to, safe(route.Redact(mirror)))
		}
		return p.Green("mirror") + " to " + strings.Join(to, ", then ")
	case route.Refuse:
		return p.Red("refuse")
	}
	return p.Yellow("keep")
}

func explainGuard(b *strings.Builder, f *File, g rewrite.Guard, p paint.Painter) {
	at := g.Range.Start
	fmt.Fprintf(b, "%s RUN needs help at the point of fetch\n", p.Bold(fmt.Sprintf("%s:%d:%d:", plain.Text(f.Name), at.Line, at.Column)))
	field(b, p, "in", "RUN in "+StageName(g.Stage))
	field(b, p, "needs", needWords(g))
	field(b, p, "because", safe(g.Reason))
}

// needWords says what a guard does, and whether an edited text could do
// without it.
func needWords(g rewrite.Guard) string {
	const bundle = "a CA bundle, for images that have none"
	apt := "TLS for apt, by the LoopX frontend alone: the sources are not in this file"
	switch {
	case g.Lender != "":
		apt = "TLS for apt, and the text lends it what serves that, from " + plain.Text(g.Lender)
	case g.Carried:
		apt = "TLS for apt, and the text lends it what serves that"
	case g.Shown:
		apt = "TLS for apt, by the LoopX frontend or by the rewritten text"
	}
	switch g.Needs {
	case "ca":
		return bundle
	case "both":
		return apt + "; " + bundle
	}
	return apt
}

// field writes one indented line with its label in a column.
func field(b *strings.Builder, p paint.Painter, label, text string) {
	fmt.Fprintf(b, "    %s %s\n", p.Faint(fmt.Sprintf("%-10s", label)), text)
}
