package queue

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// titleWidth is how much of a title a table shows, in characters.
const titleWidth = 50

// Text writes the queue as tables for a terminal. It is public text.
func (q *Queue) Text(w io.Writer) error {
	var b strings.Builder
	section(&b, "open", q.Open)
	section(&b, "merged", q.Merged)
	for _, e := range q.pending() {
		fmt.Fprintf(&b, "\n#%d: to review it here\n", e.Number)
		for _, c := range e.Commands {
			b.WriteString("  " + c + "\n")
		}
	}
	b.WriteString("\n" + q.summary() + "\n")
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

func section(b *strings.Builder, title string, entries []Entry) {
	if len(entries) == 0 {
		return
	}
	b.WriteString("\n")
	rows := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(rows, "%s\tstatus\tfindings\tpaths\tlines\tage\ttitle\n", title)
	for _, e := range entries {
		fmt.Fprintf(rows, "#%d\t%s\t%s\t%s\t%d\t%s\t%s\n", e.Number, e.shownStatus(), e.findings(), e.paths(), e.Size(), days(e.Age), shorten(plain.Text(e.shownTitle())))
	}
	_ = rows.Flush() // a strings.Builder takes all
}

// shownStatus is the status, for drafts with that.
func (e *Entry) shownStatus() string {
	text := strings.ReplaceAll(string(e.Status), "_", " ")
	if e.Draft {
		return text + ", draft"
	}
	return text
}

// findings are the counts of the review.
func (e *Entry) findings() string {
	v := e.Verdict
	if v == nil {
		return "-"
	}
	text := fmt.Sprintf("%d new, %d fixed", v.New, v.Fixed)
	if v.Blockers > 0 {
		text += fmt.Sprintf(", %d block", v.Blockers)
	}
	if v.Sensitive > 0 {
		text += fmt.Sprintf(", %d private", v.Sensitive)
	}
	if v.Unprovable > 0 {
		text += fmt.Sprintf(", %d unprovable", v.Unprovable)
	}
	return text
}

// paths are the areas that the change is in.
func (e *Entry) paths() string {
	var all []string
	for _, a := range e.Areas {
		all = append(all, string(a))
	}
	if e.Unlisted {
		all = append(all, fmt.Sprintf("%d files not listed", e.ChangedFiles-len(e.Files)))
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ", ")
}

// withheld stands for the title of a private pull request.
const withheld = "(private)"

func (e *Entry) shownTitle() string {
	if e.Sensitive() {
		return withheld
	}
	return e.Title
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > titleWidth {
		return string(runes[:titleWidth-1]) + "…"
	}
	return text
}

func days(d time.Duration) string { return fmt.Sprintf("%dd", int(d/(24*time.Hour))) }

// pending are the entries that were not reviewed here.
func (q *Queue) pending() []Entry {
	var all []Entry
	for _, list := range [][]Entry{q.Open, q.Merged} {
		for _, e := range list {
			if e.Verdict == nil && e.Problem == "" {
				all = append(all, e)
			}
		}
	}
	return all
}

// summary counts, and says what may be missing.
func (q *Queue) summary() string {
	counts := map[Status]int{}
	for _, list := range [][]Entry{q.Open, q.Merged} {
		for _, e := range list {
			counts[e.Status]++
		}
	}
	text := fmt.Sprintf("%d open, %d merged, %d closed without a merge; %d blocked, %d to audit, %d failed, %d not reviewed",
		len(q.Open), len(q.Merged), q.Closed, counts[Blocked], counts[Audit], counts[Failed], counts[Unread])
	if q.Cut {
		text += fmt.Sprintf("\nThe list has as many as gh was limited to (%d): there may be more. List again with a higher --limit.", q.Limit)
	}
	return text
}
