package aptsource

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// golden is a file of testdata: a text, an operator's configuration, what is
// decided, and the text that comes out.
type golden struct {
	path    string
	archive *txtar.Archive
	name    string // of the text; it tells the format
	format  Format
	text    string
	table   *route.Table
}

// goldens reads testdata. In each, the file "config" may hold lines
// "mirror ARCHIVE URL" and "host HOST ACTION"; the text is the file "mirrors"
// or the one whose name apt would read.
func goldens(t testing.TB) []golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	var all []golden
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		g := golden{path: path, archive: archive}
		var cfg route.Config
		for _, f := range archive.Files {
			switch format := Detect(f.Name); {
			case f.Name == "config":
				cfg = parseConfig(t, string(f.Data))
			case f.Name == "mirrors":
				g.name, g.format, g.text = f.Name, MirrorList, string(f.Data)
			case format != NotRead && !strings.HasPrefix(f.Name, "want/"):
				g.name, g.format, g.text = f.Name, format, string(f.Data)
			}
		}
		if g.table, err = route.NewTable(cfg); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, g)
	}
	return all
}

func parseConfig(t testing.TB, text string) route.Config {
	t.Helper()
	cfg := route.Config{Mirrors: map[string][]string{}}
	for line := range strings.Lines(text) {
		switch f := strings.Fields(line); f[0] {
		case "mirror":
			cfg.Mirrors[f[1]] = append(cfg.Mirrors[f[1]], f[2])
		case "host":
			cfg.Hosts = append(cfg.Hosts, route.HostRule{Host: f[1], Action: f[2]})
		default:
			t.Fatalf("unknown word %q in config", f[0])
		}
	}
	return cfg
}

// plan returns the routed entries of the golden's text, and the text with all
// edits made.
func (g golden) plan(t testing.TB) (routed []Routed, problems []Problem, out string) {
	t.Helper()
	entries, problems := Parse(textmap.Identity(g.text), g.format)
	routed = Route(entries, g.table)
	out, ok := textmap.Apply(g.text, allEdits(routed))
	if !ok {
		t.Fatalf("%s: edits overlap", g.path)
	}
	return routed, problems, out
}

func allEdits(routed []Routed) []textmap.Edit {
	var edits []textmap.Edit
	for _, r := range routed {
		edits = append(edits, r.Edits...)
	}
	return edits
}

// report shows each entry as a reader of a review wants it: where the URI
// stands, what was decided, why, and what weakens it.
func report(text string, routed []Routed, problems []Problem) string {
	var b strings.Builder
	for _, r := range routed {
		start, end, _ := r.URI.Range(0, r.URI.Len())
		column := start - strings.LastIndexByte(text[:start], '\n')
		action := [...]string{"keep", "upgrade", "mirror", "refuse"}[r.Decision.Action]
		fmt.Fprintf(&b, "%d:%d-%d %s (%s)", r.Line, column, column+end-start, action, r.Decision.Rule)
		if len(r.Edits) > 0 {
			b.WriteString(" " + route.Redact(r.Decision.To))
		}
		for _, s := range append([]string{r.Problem, r.Note}, Suspicious(r.Entry)...) {
			if s != "" {
				b.WriteString("; " + s)
			}
		}
		b.WriteString("\n")
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%d: problem: %s\n", p.Line, p.Message)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(strings.TrimSuffix(filepath.Base(g.path), ".txtar"), func(t *testing.T) {
			routed, problems, out := g.plan(t)
			got := report(g.text, routed, problems)
			if *update {
				g.set("report", got)
				g.set("want/"+g.name, out)
				if err := os.WriteFile(g.path, txtar.Format(g.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(g.get("report"), got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(g.get("want/"+g.name), out); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func (g golden) index(name string) int {
	return slices.IndexFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

func (g golden) get(name string) string {
	if i := g.index(name); i >= 0 {
		return string(g.archive.Files[i].Data)
	}
	return ""
}

func (g *golden) set(name, data string) {
	if i := g.index(name); i >= 0 {
		g.archive.Files[i].Data = []byte(data)
		return
	}
	g.archive.Files = append(g.archive.Files, txtar.File{Name: name, Data: []byte(data)})
}
