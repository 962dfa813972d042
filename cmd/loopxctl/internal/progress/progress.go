// Package progress shows how far a run over many files is.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
)

// Choices are the values of --progress. Auto is a bar on a terminal and nothing
// elsewhere; Plain is a line for each tenth of the files.
const (
	Auto  = "auto"
	Plain = "plain"
	None  = "none"
)

const (
	interval = 100 * time.Millisecond // between two frames
	width    = 20                     // of the bar
	parts    = 10                     // lines of Plain
)

// Bar counts files. The zero value, and nil, show nothing.
type Bar struct {
	w                             io.Writer
	bar, plain                    bool
	total, done, blocked, changed int
	drawn                         time.Time
	shown                         bool
}

// New returns a bar for a number of files on w, which is standard error.
func New(choice string, w io.Writer, env func(string) (string, bool), total int) *Bar {
	term, _ := env("TERM")
	return &Bar{
		w: w, total: total, drawn: time.Now(),
		plain: choice == Plain, bar: choice == Auto && term != "dumb" && paint.IsTerminal(w),
	}
}

// Step counts a file by its verdict, and shows it.
func (b *Bar) Step(verdict string) {
	if b == nil {
		return
	}
	b.done++
	switch verdict {
	case "blocked":
		b.blocked++
	case "changed":
		b.changed++
	}
	switch {
	case b.plain && b.done*parts/b.total > (b.done-1)*parts/b.total:
		fmt.Fprintf(b.w, "%d of %d files: %d blocked, %d changed\n", b.done, b.total, b.blocked, b.changed)
	case b.bar && time.Since(b.drawn) >= interval:
		b.draw()
	}
}

func (b *Bar) draw() {
	full := b.done * width / b.total
	fmt.Fprintf(b.w, "\r\x1b[K[%s%s] %d/%d files, %d blocked, %d changed",
		strings.Repeat("#", full), strings.Repeat("-", width-full), b.done, b.total, b.blocked, b.changed)
	b.drawn, b.shown = time.Now(), true
}

// Hide takes the bar away, so that something else can be written.
func (b *Bar) Hide() {
	if b != nil && b.shown {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.shown = false
	}
}
