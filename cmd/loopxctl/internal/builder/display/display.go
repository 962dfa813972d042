// Package display shows how a build goes, on a stream, by BuildKit's own display.
package display

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/moby/buildkit/client"
	"github.com/moby/buildkit/util/progress/progressui"

	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Mode is one of docker's names for what --progress shows.
type Mode string

// The modes. Auto is TTY on a terminal, else Plain.
const (
	Auto    Mode = Mode(progressui.AutoMode)
	Plain   Mode = Mode(progressui.PlainMode)
	TTY     Mode = Mode(progressui.TtyMode)
	RawJSON Mode = Mode(progressui.RawJSONMode)
	Quiet   Mode = Mode(progressui.QuietMode)
)

// Modes are all of them, the default first.
func Modes() []string {
	return []string{string(Auto), string(Plain), string(TTY), string(RawJSON), string(Quiet)}
}

// Check returns an error if w can't show a mode.
func Check(w io.Writer, mode Mode) error {
	_, err := progressui.NewDisplay(w, progressui.DisplayMode(mode))
	return err
}

// Show shows the status of a build until the channel is closed. It always reads
// to the end.
func Show(w io.Writer, mode Mode, status <-chan *client.SolveStatus) error {
	d, err := progressui.NewDisplay(w, progressui.DisplayMode(mode))
	if err != nil {
		d, _ = progressui.NewDisplay(io.Discard, progressui.QuietMode)
	}
	shown := make(chan *client.SolveStatus)
	go func() {
		defer close(shown)
		for s := range status {
			shown <- harmless(s)
		}
	}()
	warnings, showErr := d.UpdateFrom(context.Background(), shown)
	if err == nil {
		err = showErr
	}
	if err == nil && mode != Quiet && mode != RawJSON {
		err = show(w, warnings)
	}
	return err
}

// harmless is s with foreign text that no terminal and no log obeys.
func harmless(s *client.SolveStatus) *client.SolveStatus {
	for _, v := range s.Vertexes {
		v.Name, v.Error = text(v.Name), text(v.Error)
	}
	for _, l := range s.Logs {
		lines := bytes.SplitAfter(l.Data, []byte("\n"))
		for i, line := range lines {
			body := bytes.TrimSuffix(line, []byte("\n"))
			lines[i] = append([]byte(text(string(body))), line[len(body):]...)
		}
		l.Data = bytes.Join(lines, nil)
	}
	return s
}

func text(s string) string { return plain.Line(route.RedactText(s)) }

// show lists the frontend's warnings.
func show(w io.Writer, warnings []client.VertexWarning) error {
	if len(warnings) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n", count(len(warnings)))
	for _, one := range warnings {
		fmt.Fprintf(&b, " - %s\n", text(string(one.Short)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func count(warnings int) string {
	if warnings == 1 {
		return "1 warning found"
	}
	return fmt.Sprintf("%d warnings found", warnings)
}
