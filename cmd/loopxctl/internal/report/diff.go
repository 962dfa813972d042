package report

import (
	"bytes"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Diff writes what changes in f as a unified diff, from NAME.orig to NAME. It
// is there to be read: userinfo and control characters of the file are hidden.
// exact is false if something was, for then a patch made of it would not apply.
func Diff(w io.Writer, f *File, p paint.Painter) (exact bool, err error) {
	name := plain.Text(f.Name)
	text := diff.Diff(name+".orig", f.Source, name, f.Output)
	exact = true
	var b bytes.Buffer
	n := 0
	for line := range strings.Lines(string(text)) {
		shown := plain.Line(route.RedactText(strings.TrimSuffix(line, "\n")))
		exact = exact && shown+"\n" == line
		b.WriteString(colourLine(p, n, shown) + "\n")
		n++
	}
	_, err = w.Write(b.Bytes())
	return exact, err
}

// colourLine colours line n of a diff, whose first three are its header.
func colourLine(p paint.Painter, n int, line string) string {
	switch {
	case n < 3:
		return p.Bold(line)
	case strings.HasPrefix(line, "@@"):
		return p.Cyan(line)
	case strings.HasPrefix(line, "-"):
		return p.Red(line)
	case strings.HasPrefix(line, "+"):
		return p.Green(line)
	}
	return line
}
