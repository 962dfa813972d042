package route_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestGoldens routes the addresses of each testdata file, "role address" lines
// in its section urls, under the variables of its section env, and compares
// what a person is told. The comment says what the file is about.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := []byte(decisions(t, section(ar, "env"), section(ar, "urls")))
			if *update {
				ar.Files[len(ar.Files)-1] = txtar.File{Name: "decisions", Data: got}
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(section(ar, "decisions"), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// section returns the text of one file of an archive.
func section(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// decisions is a page of what is told about each address.
func decisions(t *testing.T, vars, urls string) string {
	cfg, notes, err := route.FromEnv(lookup(strings.Split(vars, "\n")...))
	if err != nil {
		t.Fatal(err)
	}
	tab := table(t, cfg)
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "note %s: %s\n\n", n.Variable, n.Message)
	}
	for line := range strings.Lines(urls) {
		name, address, _ := strings.Cut(strings.TrimSpace(line), " ")
		d := tab.Route(address, route.Context{Role: roleNamed(t, name)})
		fmt.Fprintf(&b, "%s %s\n  %s (%s)", name, route.Redact(address), d.Action, d.Rule)
		if d.Archive != "" {
			fmt.Fprintf(&b, ", archive %s", d.Archive)
		}
		for _, to := range d.Mirrors {
			fmt.Fprintf(&b, "\n  -> %s", route.Redact(to))
		}
		fmt.Fprintf(&b, "\n  %s\n\n", d.Why)
	}
	return b.String()
}

// roleNamed returns the role that calls itself name.
func roleNamed(t *testing.T, name string) route.Role {
	for r := route.Fetch; r <= route.Runtime; r++ {
		if r.String() == name {
			return r
		}
	}
	t.Fatalf("no role %q", name)
	return 0
}
