package netbom

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/loopx/loopx-frontend/policy/plain"
)

//go:embed page.html
var pageText string

// maxRows and maxSteps are how many fetches and steps of an image a page shows.
const (
	maxRows  = 5000
	maxSteps = 2000
)

// Page returns the document as one HTML page that needs nothing else: no script,
// no network. The same document makes the same bytes. made names the program.
func (d *Document) Page(made string) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"t": plain.Text, "picture": newPicture, "order": All,
		"class": func(o Over) string { return "over-" + string(o) },
		"what":  What,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, pageData{Document: d.cut(), Made: made})
	return b.Bytes(), err
}

type pageData struct {
	*Document
	Made string
}

// cut leaves fetches out where there are more than a page shows, and says so.
func (d *Document) cut() *Document {
	out := *d
	out.Images = nil
	for _, img := range d.Images {
		left := maxRows
		steps := img.Steps
		img.Steps = nil
		if n := len(steps) - maxSteps; n > 0 {
			img.Unknown = append(img.Unknown[:len(img.Unknown):len(img.Unknown)], fmt.Sprintf("%d more steps are not shown here; --format json has them.", n))
			steps = steps[:maxSteps]
		}
		for _, s := range steps {
			if len(s.Fetches) > left {
				s.Unknown = append(s.Unknown[:len(s.Unknown):len(s.Unknown)], fmt.Sprintf("%d more fetches are not shown here; --format json has them.", len(s.Fetches)-left))
				s.Fetches = s.Fetches[:left]
			}
			left -= len(s.Fetches)
			img.Steps = append(img.Steps, s)
		}
		out.Images = append(out.Images, img)
	}
	return &out
}

// What says what a fetch is, where it has no address.
func What(f Fetch) string {
	switch {
	case f.From != "":
		return f.From
	case f.Kind == KindPackages:
		return "indexes and packages of apt"
	}
	return f.Kind
}

// String is the way in words.
func (o Over) String() string { return o.Words() }
