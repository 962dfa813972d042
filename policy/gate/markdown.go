package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// Markdown writes the summary for a release's page. It is public text: what is
// private is counted.
func (v *Verdict) Markdown(w io.Writer) error {
	d := v.Document(true)
	var b strings.Builder
	fmt.Fprintf(&b, "# Release gate: %s\n\n", escaped(headline(&d)))
	b.WriteString("| | check | why |\n| --- | --- | --- |\n")
	for _, c := range d.Checks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", word(c.Status), escaped(c.named()), escaped(c.Reason))
	}
	for _, c := range d.Checks {
		if !c.Status.Stops() {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", escaped(c.named()), escaped(strings.TrimSuffix(c.Reason, ".")))
		if lines := c.lines(); len(lines) > 0 {
			b.WriteString("\n")
			for _, line := range lines {
				fmt.Fprintf(&b, "- %s\n", escaped(line))
			}
		}
		if c.Todo != "" {
			fmt.Fprintf(&b, "\n%s\n", escaped(c.Todo))
		}
	}
	b.WriteString(markdownImages(&d))
	fmt.Fprintf(&b, "\n%s\n", escaped(d.footer()))
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownImages(d *Document) string {
	var b strings.Builder
	for _, row := range d.imageRows() {
		if b.Len() == 0 {
			b.WriteString("\n## Images\n\n| image | platform | digest | built by | signed |\n| --- | --- | --- | --- | --- |\n")
		}
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(" " + escaped(cell) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// imageRows are the rows of the table of images.
func (d *Document) imageRows() [][]string {
	var rows [][]string
	for _, img := range d.Images {
		signed := img.Grade
		if img.SignedBy != "" {
			signed = "by " + img.SignedBy
		}
		rows = append(rows, []string{img.Ref, "", img.Digest, "", signed})
		for _, p := range img.Platforms {
			rows = append(rows, []string{"", p.Platform, p.Digest, p.Frontend, ""})
		}
	}
	return rows
}

// named is "image.bases, registry.example.com/app:1 (linux/amd64)".
func (c *CheckDocument) named() string {
	if c.Subject == "" {
		return c.Name
	}
	return c.Name + ", " + c.Subject
}

// footer says what the verdict is of, and who made it.
func (d *Document) footer() string {
	text := fmt.Sprintf("%s, by %s %s. Commit %s.", d.Time, d.Tool.Name, d.Tool.Version, d.Commit)
	if d.Since != nil {
		text += " The last gate that passed was at " + d.Since.Time + "."
	}
	return text
}

// escaped makes text fit for a cell of a table in Markdown (GitHub's): it is one
// line that is only text, and nothing in it is markup, a link or a mention.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range plain.Text(text) {
		switch {
		case strings.ContainsRune("<>&@", c):
			fmt.Fprintf(&b, "&#%d;", c)
		case strings.ContainsRune("\\`*_[]#|~", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return unlinked.Replace(b.String())
}

// unlinked takes from addresses what GitHub makes links of by itself.
var unlinked = strings.NewReplacer("://", "&#58;//", "www.", "www&#46;", "WWW.", "WWW&#46;")
