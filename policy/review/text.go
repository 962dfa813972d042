package review

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Text writes the review for people: what the verdict is about, what became of the
// rest, and the verdict in the last line. p may be nil.
func (v *Review) Text(w io.Writer, p report.Painter) error {
	var b strings.Builder
	if err := (report.Text{Paint: p}).Write(&b, v.News()); err != nil {
		return err
	}
	for _, f := range v.Unchanged {
		what := ""
		switch {
		case !v.Whole && (f.Sensitive() || v.Public):
			continue
		case f.Reopened:
			what = "and open again"
		case f.Edited:
			what = "in an instruction that the change edits"
		default:
			continue
		}
		fmt.Fprintf(&b, "not new, %s: %s [%s]\n", what, plain.Text(where(f)), plain.Text(f.Rule+" "+policy.ShortFingerprint(f.Fingerprint)))
	}
	for _, m := range v.Moved {
		fmt.Fprintf(&b, "%s: %s\n", plain.Text(policy.Redact(m.Path)), plain.Text(m.What))
	}
	for _, line := range v.entryLines() {
		b.WriteString(line + "\n")
	}
	for _, note := range v.Notes {
		fmt.Fprintf(&b, "note: %s\n", plain.Text(note))
	}
	fmt.Fprintf(&b, "%s\n%s: %s\n", plain.Text(v.compared()), v.Verdict, v.reason())
	_, err := io.WriteString(w, b.String())
	return err
}

// where is the place of a finding.
func where(f Finding) string {
	at := place(f)
	if at.Start.Line > 0 {
		return fmt.Sprintf("%s:%d", at.File, at.Start.Line)
	}
	return at.File
}

// entryLines tell of the acknowledgements that a person should know of.
func (v *Review) entryLines() []string {
	var all []string
	for _, e := range v.Entries {
		if e.State == ack.Good || e.State == ack.Unused {
			continue
		}
		text := "the acknowledgement of " + e.Rule
		if e.File != "" {
			text += " in " + e.File
		}
		all = append(all, plain.Text(policy.Line(fmt.Sprintf("%s by %s: %s", text, e.Principal, e.Why))))
	}
	return all
}

// compared says what was compared.
func (v *Review) compared() string {
	return fmt.Sprintf("%s (%s) against %s (%s), from %s; policy of %s (%s)",
		policy.Line(v.Head.Name), v.Head.Commit.Short(), policy.Line(v.Base.Name), v.Base.Commit.Short(), v.MergeBase.Short(), policy.Line(v.Target.Name), v.Target.Commit.Short())
}

// reason says in one line what the verdict comes from.
func (v *Review) reason() string {
	c := v.Counts()
	held := 0
	for _, w := range v.News().Withheld {
		held += w.Count
	}
	var parts []string
	for _, n := range []struct {
		count     int
		one, many string
	}{
		{c.Blockers, "blocker is new", "blockers are new"},
		{c.Warnings, "warning is new", "warnings are new"},
		{c.Advisories, "advisory is new", "advisories are new"},
		{held, "of them is not shown here", "of them are not shown here"},
		{c.Fixed, "finding is fixed", "findings are fixed"},
		{c.Unchanged, "is unchanged", "are unchanged"},
		{c.Edited, "of them blocks in an instruction that the change edits", "of them block in instructions that the change edits"},
	} {
		if n.count == 1 {
			parts = append(parts, "1 "+n.one)
		} else if n.count > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.many))
		}
	}
	if parts == nil {
		parts = []string{"nothing is found"}
	}
	if v.Audit && c.Blockers > 0 {
		parts = append(parts, "blockers are warnings, as LOOPX_MODE is audit")
	}
	return strings.Join(parts, ", ")
}

// shows reports whether a diff shows the line of a finding.
func (v *Review) shows(at policy.Location) bool {
	return at.Start.Line > 0 && gitread.Has(v.Lines[at.File].Shown, at.Start.Line)
}
