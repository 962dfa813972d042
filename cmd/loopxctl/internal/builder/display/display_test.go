package display_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/moby/buildkit/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
)

var _ = flag.Bool("update", false, "rewrite golden files")

// build is a build of three steps: one cached, one that prints what a terminal
// would obey and fails, one with a warning.
func build() <-chan *client.SolveStatus {
	at := func(ms int) *time.Time { t := time.UnixMilli(int64(1000 + ms)); return &t }
	ch := make(chan *client.SolveStatus, 8)
	ch <- &client.SolveStatus{Vertexes: []*client.Vertex{{Digest: "a", Name: "[1/2] FROM base", Started: at(0), Completed: at(0), Cached: true}}}
	ch <- &client.SolveStatus{Vertexes: []*client.Vertex{{Digest: "b", Name: "[2/2] RUN \x1b[31mred", Started: at(0)}}}
	ch <- &client.SolveStatus{
		Logs:     []*client.VertexLog{{Vertex: "b", Data: []byte("half \x1b[2J"), Timestamp: *at(500)}, {Vertex: "b", Data: []byte("line\nlast"), Timestamp: *at(600)}},
		Warnings: []*client.VertexWarning{{Vertex: "a", Short: []byte("look\nhere")}},
	}
	ch <- &client.SolveStatus{Vertexes: []*client.Vertex{{Digest: "b", Name: "[2/2] RUN \x1b[31mred", Started: at(0), Completed: at(1200), Error: "exit code: 3"}}}
	close(ch)
	return ch
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, mode := range []display.Mode{display.Auto, display.Plain} {
		var b strings.Builder
		if err := display.Show(&b, mode, build()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"#1 CACHED\n", `#2 [2/2] RUN \x1b[31mred`, `half \x1b[2Jline`, "ERROR: exit code: 3\n", "\n1 warning found:\n - look\\nhere\n"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: there is no %q in\n%s", mode, want, b.String())
			}
		}
		if strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: an escape is in\n%q", mode, b.String())
		}
	}
}

func TestOtherModes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := display.Show(&b, display.Quiet, build()); err != nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
	if err := display.Show(&b, display.RawJSON, build()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for in := json.NewDecoder(strings.NewReader(b.String())); in.More(); n++ {
		var s client.SolveStatus
		if err := in.Decode(&s); err != nil {
			t.Fatal(err)
		}
	}
	if n != 4 {
		t.Errorf("%d records", n)
	}
}
