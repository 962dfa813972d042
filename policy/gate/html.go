package gate

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/loopx/loopx-frontend/policy/plain"
)

//go:embed summary.html
var summaryHTML string

// HTML writes the summary as one page, which needs no other file and runs no
// script. It is public text: what is private is counted.
func (v *Verdict) HTML(w io.Writer) error {
	page, err := template.New("summary").Funcs(template.FuncMap{
		"text": plain.Text, "word": word, "headline": headline,
		"footer": (*Document).footer, "rows": (*Document).imageRows,
		"lines": func(c CheckDocument) []string { return c.lines() },
		"stops": func(c CheckDocument) bool { return c.Status.Stops() },
	}).Parse(summaryHTML)
	if err != nil {
		return err
	}
	d := v.Document(true)
	return page.Execute(w, &d)
}
