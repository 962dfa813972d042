package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Findings writes the findings that pass wanted, one a line:
// "FILE:LINE:COLUMN: severity: message [Rule]", and who acknowledged it below.
// Under Audit a blocker is printed as the warning that it then is.
func Findings(w io.Writer, f *File, p paint.Painter, wanted func(rewrite.Finding) bool) error {
	if f.Plan == nil {
		return nil
	}
	var b strings.Builder
	for i, finding := range f.Plan.Findings {
		if !wanted(finding) {
			continue
		}
		at, word := finding.Range.Start, severity(finding, f.Policy, p)
		by := f.acknowledged(i)
		if by != nil {
			word = "blocker (acknowledged):"
		}
		fmt.Fprintf(&b, "%s %s %s %s\n",
			p.Bold(fmt.Sprintf("%s:%d:%d:", plain.Text(f.Name), at.Line, at.Column)),
			word, safe(finding.Message), p.Faint("["+finding.Rule+"]"))
		if by != nil {
			fmt.Fprintf(&b, "    %s\n", safe(by.String()))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func severity(f rewrite.Finding, policy Policy, p paint.Painter) string {
	switch {
	case policy.blocks(f) && policy.Audit:
		return p.Yellow("warning (a blocker, if LOOPX_MODE were not audit):")
	case policy.blocks(f):
		return p.Red("blocker:")
	case f.Severity == rewrite.Warning:
		return p.Yellow("warning:")
	}
	return string(f.Severity) + ":"
}

// AptAdvice says what to do about what [HiddenApt] tells.
const AptAdvice = "An edit of the text does not reach them: the packages are signed, but they travel in clear text.\n" +
	"A build with the LoopX frontend serves apt over TLS, wherever its sources are. For a builder without it,\n" +
	"lend it what the frontend gives to RUNs, --apt=mount; write apt's sources in the file; or accept them as they are, --apt=ignore\n"

// UnfitAdvice is the same where the text would have lent the RUNs what they need.
const UnfitAdvice = "What serves apt over TLS has no place there: the packages are signed, but they travel in clear text.\n" +
	"Change these lines, build with the LoopX frontend, or accept them as they are, --apt=ignore\n"

// Unfit writes which other RUN instructions the text can't lend what they need.
func Unfit(w io.Writer, f *File, p paint.Painter) error {
	if f.Plan == nil {
		return nil
	}
	var b strings.Builder
	for _, g := range f.Plan.Guards {
		if g.Unfit != "" && ((!g.Certain && !g.Opaque) || g.Shown) {
			fmt.Fprintf(&b, "%s %s the image must have certificate authorities for this RUN, since it can't be lent any: %s\n",
				p.Bold(fmt.Sprintf("%s:%d:", plain.Text(f.Name), g.Range.Start.Line)), p.Yellow("warning:"), safe(g.Unfit))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// HiddenApt writes which RUN instructions run apt on sources that the text
// does not show.
func HiddenApt(w io.Writer, f *File, p paint.Painter) error {
	hidden := f.HiddenApt()
	if len(hidden) == 0 {
		return nil
	}
	var b strings.Builder
	name := plain.Text(f.Name)
	fmt.Fprintf(&b, "%s %s apt %s from sources that this file does not show (they are in the base image, or in a file that is copied):\n",
		p.Bold(name+":"), hiddenSeverity(f.Policy, p), fetches(hidden))
	for _, g := range hidden {
		fmt.Fprintf(&b, "  %s RUN in %s: %s\n", p.Bold(fmt.Sprintf("%s:%d:", name, g.Range.Start.Line)), StageName(g.Stage), safe(g.Reason)+unfit(g))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func unfit(g rewrite.Guard) string {
	if g.Unfit == "" {
		return ""
	}
	return "; " + safe(g.Unfit)
}

func fetches(hidden []rewrite.Guard) string {
	if slices.ContainsFunc(hidden, func(g rewrite.Guard) bool { return g.Certain }) {
		return "fetches"
	}
	return "may fetch"
}

func hiddenSeverity(policy Policy, p paint.Painter) string {
	if policy.Audit || policy.IgnoreApt {
		return p.Yellow("warning:")
	}
	return p.Red("blocker:")
}

// StageName names a stage in a sentence; BuildKit counts unnamed ones from 0.
func StageName(stage string) string {
	if stage == "" {
		return "no stage"
	}
	return "stage " + safe(stage)
}

// safe makes text of a Dockerfile fit for a terminal and free of userinfo.
func safe(s string) string { return plain.Text(route.RedactText(s)) }
