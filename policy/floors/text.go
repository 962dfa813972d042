package floors

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Text writes a report for people: each verdict that has something to tell, and
// one line that counts. What it writes is only text, whatever the files hold.
type Text struct {
	// Paint may be nil.
	Paint report.Painter
	// All writes what passes, too.
	All bool
}

// Write writes r. findings are those of [Report.Findings], with what has been
// acknowledged.
func (t Text) Write(w io.Writer, r *Report, findings []lens.Shadowed) error {
	var shown []line
	next := 0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		l := line{v: v}
		if v.Rule != "" {
			if next < len(findings) {
				l.finding = &findings[next]
			}
			next++
		}
		if t.All || v.Rule != "" || v.Answer == Broken {
			shown = append(shown, l)
		}
	}
	width := 0
	for _, l := range shown {
		width = max(width, min(len([]rune(l.head())), mostHead))
	}
	p := t.Paint
	if p == nil {
		p = unpainted{}
	}
	var b strings.Builder
	for _, l := range shown {
		l.write(&b, r, p, width)
	}
	b.WriteString(r.count(findings) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// mostHead is how far the words behind the places are lined up, in characters.
const mostHead = 64

// line is a verdict that is shown.
type line struct {
	v       *Verdict
	finding *lens.Shadowed
}

// head is the place, the list and the requirement.
func (l line) head() string {
	if l.v.File == "" {
		return "advisories"
	}
	var parts []string
	for _, text := range []string{at(l.v.File, l.v.Span), l.v.Table} {
		if text != "" {
			parts = append(parts, plain.Text(policy.Line(text)))
		}
	}
	if l.v.Requirement != nil {
		parts = append(parts, plain.Text(shortText(l.v.Requirement)))
	}
	return strings.Join(parts, "  ")
}

// word is what becomes of it, in one word.
func (l line) word(p report.Painter) string {
	switch {
	case l.v.Answer == Broken:
		return p.Red("ERROR")
	case l.finding != nil && l.finding.State() == lens.Acknowledged:
		return p.Faint("ACK  ")
	case l.v.Severity == policy.Blocker:
		return p.Red("FAIL ")
	case l.v.Severity == policy.Warning:
		return p.Yellow("WARN ")
	case l.v.Severity == policy.Advisory:
		return "NOTE "
	case l.v.Answer == Pass:
		return "pass "
	}
	return p.Faint(string(l.v.Answer))
}

func (l line) write(b *strings.Builder, r *Report, p report.Painter, width int) {
	head := l.head()
	pad := strings.Repeat(" ", max(0, width-len([]rune(head))))
	text := strings.TrimRight(p.Bold(head)+pad+"  "+l.word(p)+" "+plain.Text(policy.Line(l.v.Message)), " ")
	if l.v.Rule != "" {
		text += " " + p.Faint("["+l.bracket()+"]")
	}
	b.WriteString(text + "\n")
	for _, d := range l.details(r) {
		fmt.Fprintf(b, "    %-8s %s\n", d.key, plain.Text(policy.Redact(d.text)))
	}
}

// bracket is the rule, and of a blocker the beginning of its fingerprint, by
// which it is acknowledged.
func (l line) bracket() string {
	if l.finding != nil && l.v.Severity == policy.Blocker {
		return l.v.Rule + " " + policy.ShortFingerprint(l.finding.Fingerprint)
	}
	return l.v.Rule
}

// detail is a line below a verdict.
type detail struct{ key, text string }

func (l line) details(r *Report) []detail {
	var all []detail
	if p := l.v.Proof; p != nil && l.v.With == nil {
		all = append(all, detail{"admits", admitted(p)})
		all = append(all, l.reasons()...)
		if text := r.floorLine(l.v); text != "" {
			all = append(all, detail{"floor", text})
		}
	}
	all = append(all, fixLines(l.v.Fix)...)
	if l.finding != nil && l.finding.Acknowledged != nil {
		all = append(all, detail{"accepted", l.finding.Acknowledged.String()})
	}
	return all
}

// mostReasons is how many advisories are shown of one requirement.
const mostReasons = 5

// reasons are the advisories, those that need the highest floor first.
func (l line) reasons() []detail {
	var all []detail
	for i, h := range l.v.Proof.Hits {
		key := "why"
		if i > 0 {
			key = ""
		}
		if rest := len(l.v.Proof.Hits) - i; i == mostReasons && rest > 1 {
			return append(all, detail{"", fmt.Sprintf("and %d more: loopxctl floors explain %s", rest, l.v.Requirement.Name)})
		}
		all = append(all, detail{key, reason(h)})
	}
	return all
}

// admitted is the affected versions that may be installed.
func admitted(p *Proof) string {
	text := p.Affected.String()
	if len(text) > 3*mostText {
		text = text[:3*mostText] + "…"
	}
	some := examples(p.Affected, 2)
	if len(some) > 1 || len(some) == 1 && some[0] != text {
		text += "  e.g. " + strings.Join(some, ", ")
	}
	return text
}

// examples are members of a set, final releases alone if there are any.
func examples(s pep440.Set, n int) []string {
	some := []string{}
	all := s.Examples(n)
	for _, v := range all {
		if !v.IsPre() || all[0].IsPre() {
			some = append(some, v.String())
		}
	}
	return some
}

// reason is an advisory in a line.
func reason(h osv.Hit) string {
	head, others := namesOf(h)
	text := head
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	a := h.Advisory
	var fixed []string
	for _, v := range a.Fixed {
		fixed = append(fixed, v.String())
	}
	switch {
	case a.Malicious:
		text += "  an attack"
	case len(fixed) > 0:
		text += "  fixed " + strings.Join(fixed, ", ")
	case a.Weak:
		text += "  the last affected version is known, no fixed one (weaker evidence)"
	default:
		text += "  no fixed version"
	}
	if !a.Modified.IsZero() {
		text += "  as of " + date(a.Modified)
	}
	return text
}

// floorLine says what the floor is and where it comes from.
func (r *Report) floorLine(v *Verdict) string {
	p := v.Proof
	var parts []string
	for _, f := range p.Floors {
		text := fmt.Sprintf("policy floors.%s = %s (%s:%d)", v.Requirement.Name, floorText(asBound(f)), r.Config.Name, f.Line)
		if f.Reason != "" {
			text += ": " + f.Reason
		}
		parts = append(parts, text)
	}
	switch {
	case len(p.Hits) == 0 || p.Malicious:
	case p.Derived.IsZero():
		parts = append(parts, "no floor follows from the advisories: nothing above is fixed")
	case len(parts) == 0:
		parts = append(parts, floorText(p.Derived)+", which follows from the advisories")
	case p.Derived.String() == p.Needed.String() && p.Derived.Version.Equal(highest(p).Version):
		parts = append(parts, "derived floor agrees")
	default:
		parts = append(parts, "derived floor is "+floorText(p.Derived))
	}
	return strings.Join(parts, "; ")
}

// highest is the highest of the policy's floors that are broken.
func highest(p *Proof) osv.Bound {
	best := osv.Bound{}
	for _, f := range p.Floors {
		if b := asBound(f); best.IsZero() || b.Set().Subset(best.Set()) {
			best = b
		}
	}
	return best
}

func fixLines(f *Fix) []detail {
	if f == nil {
		return nil
	}
	var all []detail
	switch {
	case len(f.Edits) > 0:
		all = append(all, detail{"fix", policy.Line(f.Text) + "  (loopxctl floors fix writes it)"})
	case f.Command != "":
		all = append(all, detail{"fix", f.Command})
	case f.Why != "":
		all = append(all, detail{"fix", "not automatic: " + f.Why})
	}
	if f.Suggest != "" {
		all = append(all, detail{"", "for example " + f.Suggest})
	}
	if f.Other != "" {
		all = append(all, detail{"or", f.Other})
	}
	return all
}

// unpainted paints nothing.
type unpainted struct{}

// Bold returns s.
func (unpainted) Bold(s string) string { return s }

// Faint returns s.
func (unpainted) Faint(s string) string { return s }

// Red returns s.
func (unpainted) Red(s string) string { return s }

// Yellow returns s.
func (unpainted) Yellow(s string) string { return s }
