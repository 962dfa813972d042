package queue

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Markdown writes the queue for a page on GitHub. It is public text, and titles
// and names in it are no markup: each is a span of code, in which GitHub makes no
// links and no mentions.
func (q *Queue) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Review queue\n")
	rows(&b, "Open", q.Open)
	rows(&b, "Merged", q.Merged)
	if pending := q.pending(); len(pending) > 0 {
		b.WriteString("\n## Not reviewed here\n\nThe commits are not in the clone. These commands get them, and check nothing out:\n\n```sh\n")
		for _, e := range pending {
			for _, c := range e.Commands {
				b.WriteString(c + "\n")
			}
		}
		b.WriteString("```\n")
	}
	fmt.Fprintf(&b, "\n%s.\n", strings.ReplaceAll(strings.TrimSuffix(q.summary(), "."), "\n", ".\n\n"))
	_, err := io.WriteString(w, b.String())
	return err
}

func rows(b *strings.Builder, title string, entries []Entry) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| | status | findings | paths | lines | age | title | by |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", title)
	for _, e := range entries {
		fmt.Fprintf(b, "| [%d](%s) | %s | %s | %s | %d | %s | %s | %s |\n",
			e.Number, e.URL, e.shownStatus(), e.findings(), e.paths(), e.Size(), days(e.Age), plain.CodeSpan(e.shownTitle()), plain.CodeSpan(e.Author))
	}
}
