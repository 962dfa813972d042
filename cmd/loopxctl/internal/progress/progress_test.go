package progress

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func environment(vars ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range vars {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// TestBar holds what a terminal is sent: each frame takes the place of the last one,
// and nothing is left at the end.
func TestBar(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := &Bar{w: &out, bar: true, total: 4}
	for _, verdict := range []string{"clean", "blocked", "changed", "error"} {
		b.drawn = time.Time{} // long ago
		b.Step(verdict)
	}
	b.Hide()
	b.Hide()
	want := "\r\x1b[K[#####---------------] 1/4 files, 0 blocked, 0 changed" +
		"\r\x1b[K[##########----------] 2/4 files, 1 blocked, 0 changed" +
		"\r\x1b[K[###############-----] 3/4 files, 1 blocked, 1 changed" +
		"\r\x1b[K[####################] 4/4 files, 1 blocked, 1 changed\r\x1b[K"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := New(Plain, &out, environment(), 25)
	for range 25 {
		b.Step("blocked")
	}
	b.Hide()
	if lines := strings.Count(out.String(), "\n"); lines != 10 || !strings.HasSuffix(out.String(), "\n25 of 25 files: 25 blocked, 0 changed\n") {
		t.Errorf("%d lines: %s", lines, out.String())
	}
}

// TestNothing holds that only a terminal gets a bar, and not every one.
func TestNothing(t *testing.T) {
	t.Parallel()
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if !New(Auto, terminal, environment("TERM=xterm"), 1).bar {
		t.Error("a terminal gets no bar")
	}
	if New(Auto, terminal, environment("TERM=dumb"), 1).bar || New(None, terminal, environment(), 1).bar {
		t.Error("there is a bar on a dumb terminal, or where none is wanted")
	}
	var out bytes.Buffer
	b := New(Auto, &out, environment("TERM=xterm"), 1)
	b.drawn = time.Time{}
	b.Step("clean")
	b.Hide()
	var none *Bar
	none.Step("clean")
	none.Hide()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
