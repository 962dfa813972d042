package builder

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/moby/buildkit/solver/errdefs"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// printFailure prints why a build failed, with the lines of the Dockerfile that
// it is about.
func printFailure(w io.Writer, err error) {
	for _, source := range errdefs.Sources(err) {
		var b bytes.Buffer
		if source.Print(&b) == nil {
			printLines(w, b.String())
		}
	}
	printLines(w, "ERROR: failed to build: "+err.Error())
}

// printLines prints lines as text that no terminal and no log obeys.
func printLines(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, plain.Line(route.RedactText(strings.TrimSuffix(line, "\n"))))
	}
}
