package notice

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Text writes a report for people: each notice that has something to tell with a
// line for each place, and one line that counts. What it writes is only text,
// whatever the files and the records hold.
type Text struct {
	Paint report.Painter
	// All writes the notices and the places that are not affected, too.
	All bool
	// Skipped is how many notices were evaluated before.
	Skipped int
}

// fewNotices is how many notices are named each, whatever became of them.
const fewNotices = 20

// Write writes r. findings are those of [Report.Findings], with what has been
// acknowledged.
func (t Text) Write(w io.Writer, r *Report, findings []lens.Shadowed) error {
	var b strings.Builder
	next := 0
	for i := range r.Notices {
		next = t.notice(&b, &r.Notices[i], findings, next, len(r.Notices) <= fewNotices)
	}
	for _, u := range r.Unread {
		if u.Package != "" {
			continue // told together
		}
		fmt.Fprintf(&b, "%s  %s %s %s\n", t.Paint.Bold(shown(u.at())), t.Paint.Faint("NOTE"), shown(u.Why), t.Paint.Faint("["+RuleUnread+"]"))
	}
	if len(r.Unmatched) > 0 {
		b.WriteString("of " + shortNames(r.Unmatched) + " the source package is not known, by which a notice names its packages: give --packages " + t.Paint.Faint("["+RuleUnread+"]") + "\n")
	}
	b.WriteString(t.count(r, findings) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func shown(text string) string { return plain.Text(policy.Line(text)) }

// shortNames is a list of packages that says how many there are.
func shortNames(all []string) string {
	const most = 8
	if len(all) <= most {
		return shown(list(all))
	}
	return shown(strings.Join(all[:most], ", ")) + " and " + strconv.Itoa(len(all)-most) + " more packages"
}

// notice writes one notice, and returns the index of the finding behind its own.
func (t Text) notice(b *strings.Builder, n *Notice, findings []lens.Shadowed, next int, named bool) int {
	if named || t.All || n.State == Affected || n.State == Possible || n.State == Accepted {
		t.head(b, n)
	}
	for i := range n.Answers {
		a := &n.Answers[i]
		var f *lens.Shadowed
		if a.Rule() != "" && next < len(findings) {
			f = &findings[next]
			next++
		}
		if t.All || f != nil || a.State == Accepted || a.State == Mended {
			t.answer(b, a, f)
		}
	}
	return next
}

// head is the line of a notice.
func (t Text) head(b *strings.Builder, n *Notice) {
	word := strings.ReplaceAll(string(n.State), "_", " ")
	switch n.State {
	case Affected:
		word = t.Paint.Red(word)
	case Possible:
		word = t.Paint.Yellow(word)
	}
	b.WriteString(t.Paint.Bold(shown(n.ID)) + "  " + word)
	var others []string
	for _, id := range n.IDs {
		if id != n.ID {
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		b.WriteString("  (" + shown(shortList(others)) + ")")
	}
	if d := day(n.Modified); d != "" {
		b.WriteString("  as of " + d)
	}
	if n.Summary != "" {
		b.WriteString("  " + shorten(shown(n.Summary)))
	}
	if n.Why != "" {
		b.WriteString("\n    " + shown(n.Why))
	}
	b.WriteString("\n")
}

// shorten cuts a text that is long, at a character's start.
func shorten(text string) string {
	const most = 120
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// answer is the lines of one place.
func (t Text) answer(b *strings.Builder, a *Answer, f *lens.Shadowed) {
	parts := []string{t.Paint.Bold(shown(a.at()))}
	if a.Stage != "" {
		parts = append(parts, "stage "+shown(strings.Join(append([]string{a.Stage}, a.Stages...), ", ")))
	}
	parts = append(parts, shown(strings.TrimSpace(a.Table+" "+shorten(a.Text))))
	if a.OS.System != "" {
		parts = append(parts, shown(a.OS.String()))
	}
	fmt.Fprintf(b, "    %s\n        %s %s%s\n", strings.Join(parts, "  "), t.word(a, f), shown(a.Message), t.bracket(a, f))
	for _, h := range a.Held {
		b.WriteString("        " + t.Paint.Faint("held") + "  " + shown(h) + "\n")
	}
	if f != nil && f.Acknowledged != nil {
		b.WriteString("        accepted  " + shown(f.Acknowledged.String()) + "\n")
	}
}

// at is the place as people read it.
func (p Place) at() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (t Text) word(a *Answer, f *lens.Shadowed) string {
	switch {
	case f != nil && f.State() == lens.Acknowledged:
		return t.Paint.Faint("ACK ")
	case a.State == Affected:
		return t.Paint.Red("FAIL")
	case a.State == Possible:
		return t.Paint.Yellow("WARN")
	}
	return t.Paint.Faint(string(a.State))
}

// bracket is the rule, and of a blocker the beginning of its fingerprint, by which
// it is acknowledged.
func (t Text) bracket(a *Answer, f *lens.Shadowed) string {
	if f == nil {
		return ""
	}
	text := a.Rule()
	if f.Severity == policy.Blocker {
		text += " " + policy.ShortFingerprint(f.Fingerprint)
	}
	return " " + t.Paint.Faint("["+text+"]")
}

// count is the last line.
func (t Text) count(r *Report, findings []lens.Shadowed) string {
	states := map[State]int{}
	for _, n := range r.Notices {
		states[n.State]++
	}
	var text strings.Builder
	text.WriteString(plural(len(r.Notices), "notice", "notices"))
	for _, s := range States() {
		if states[s] > 0 {
			text.WriteString(fmt.Sprintf(", %d %s", states[s], strings.ReplaceAll(string(s), "_", " ")))
		}
	}
	if t.Skipped > 0 {
		text.WriteString(fmt.Sprintf(", and %d evaluated before", t.Skipped))
	}
	blocking := 0
	for _, f := range findings {
		if f.Blocks() {
			blocking++
		}
	}
	if blocking > 0 {
		text.WriteString("; " + plural(blocking, "place blocks", "places block"))
	}
	return text.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
