package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Text writes for people, each finding as
//
//	FILE:LINE:COLUMN: severity: message [Rule]
//	    7 | the line, if its text is known
//	      |     ^^^^ under the range
//
// Behind the rule of a blocker stands the finding's short fingerprint.
// Problems are not in it: they belong to another stream.
type Text struct {
	// Paint may be nil.
	Paint Painter
}

// Write writes r. Where there is nothing to say it writes nothing.
func (t Text) Write(w io.Writer, r Report) error {
	p := t.Paint
	if p == nil {
		p = bare{}
	}
	all := entries(&r)
	q := newQuoter(&r, all)
	var b strings.Builder
	for _, e := range all {
		if where := place(e.at()); where != "" {
			b.WriteString(p.Bold(where+":") + " ")
		}
		fmt.Fprintf(&b, "%s %s %s\n", word(&r, &e, p), plain.Text(e.Message), p.Faint("["+bracket(&r, &e)+"]"))
		b.WriteString(q.quote(e.at(), p))
		if told := e.told(); told != "" {
			fmt.Fprintf(&b, "    %s\n", plain.Text(told))
		}
	}
	for _, held := range withheld(&r) {
		severity := paint(string(held.Severity)+":", held.Severity, p)
		fmt.Fprintf(&b, "%s %s %s\n", severity, plain.Text(held.sentence(&r)), p.Faint("["+plain.Text(held.Family)+"]"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// word is the severity of a finding, and what became of it.
func word(r *Report, e *entry, p Painter) string {
	if state := e.State(); state != lens.Open {
		return fmt.Sprintf("%s (%s):", e.severity, state)
	}
	if r.Audit && r.severity(e.Severity) != e.Severity {
		return p.Yellow("warning (a blocker, if LOOPX_MODE were not audit):")
	}
	return paint(string(e.severity)+":", e.severity, p)
}

func paint(text string, s policy.Severity, p Painter) string {
	switch s {
	case policy.Blocker:
		return p.Red(text)
	case policy.Warning:
		return p.Yellow(text)
	}
	return text
}

// bracket names the rule, a foreign tool, and a blocker.
func bracket(r *Report, e *entry) string {
	text := e.rule
	if r.foreign(e.Finding) {
		text = e.Tool.Name + " " + e.Rule
	}
	if e.Severity == policy.Blocker {
		text = strings.TrimSpace(text) + " " + policy.ShortFingerprint(e.Fingerprint)
	}
	return plain.Text(strings.TrimSpace(text))
}

// bare paints nothing.
type bare struct{}

// Bold returns s.
func (bare) Bold(s string) string { return s }

// Faint returns s.
func (bare) Faint(s string) string { return s }

// Red returns s.
func (bare) Red(s string) string { return s }

// Yellow returns s.
func (bare) Yellow(s string) string { return s }
