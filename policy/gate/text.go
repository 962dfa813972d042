package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Painter colours text for a terminal.
type Painter interface {
	report.Painter
	Green(string) string
}

// words are statuses as people read them.
var statusWords = map[Status]string{Pass: "pass", Fail: "FAIL", Unprovable: "UNPROVABLE", NotApplicable: "n/a"}

// Text writes the verdict for people: one line for each check, and below those
// that stop the release what stands behind and what to do.
func (v *Verdict) Text(w io.Writer, p Painter, public bool) error {
	d := v.Document(public)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Bold(plain.Text("release gate: "+headline(&d))))
	subject := ""
	for _, c := range d.Checks {
		if c.Subject != subject {
			subject = c.Subject
			fmt.Fprintf(&b, "%s\n", p.Bold(plain.Text(subject)))
		}
		c.text(&b, p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *CheckDocument) text(b *strings.Builder, p Painter) {
	status := fmt.Sprintf("%-10s", word(c.Status))
	switch {
	case c.Status == Pass:
		status = p.Green(status)
	case c.Status.Stops():
		status = p.Red(status)
	default:
		status = p.Faint(status)
	}
	fmt.Fprintf(b, "  %s %s: %s\n", status, c.Name, plain.Text(c.Reason))
	if !c.Status.Stops() {
		return
	}
	for _, line := range c.lines() {
		fmt.Fprintf(b, "             %s\n", plain.Text(line))
	}
	if c.Todo != "" {
		fmt.Fprintf(b, "             %s %s\n", p.Faint("->"), plain.Text(c.Todo))
	}
}

// lines are the details, and how many are withheld.
func (c *CheckDocument) lines() []string {
	if c.Withheld == 0 {
		return c.Details
	}
	return append(c.Details[:len(c.Details):len(c.Details)],
		number(c.Withheld, "line", "lines")+" about security or privacy not shown here; "+pointer)
}

func word(s Status) string {
	if w, ok := statusWords[s]; ok {
		return w
	}
	return "UNKNOWN"
}

// headline is "pass: v1.2.3 of host/path (commit 0123456789ab)".
func headline(d *Document) string {
	text := d.Decision + ":"
	if d.Tag != "" {
		text += " " + d.Tag
	}
	if d.Repository != "" {
		text += " of " + d.Repository
	}
	text += " (" + short(d.Commit) + ")"
	if n := stopping(d); n > 0 {
		text += fmt.Sprintf(", %s", number(n, "check stops the release", "checks stop the release"))
	}
	return text
}

func stopping(d *Document) int {
	n := 0
	for _, c := range d.Checks {
		if c.Status.Stops() {
			n++
		}
	}
	return n
}
