package rewrite

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestGolden runs the goldens. Each is a txtar archive: a comment that says
// why the case exists, then
//
//	Dockerfile  the input
//	config      the operator's LOOPX_ variables, NAME=value lines (optional)
//	args        build args, NAME=value lines (optional)
//	carry       what the text lends to RUNs: a name of the image, and the table
//	            of the operator on a second line (optional)
//	want        the output
//	findings    one per line: line:col-line:col rule message
//	guards      one per line: line stage needs reason; shown or hidden
func TestGolden(t *testing.T) {
	for _, name := range goldens(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { checkGolden(t, name) })
	}
}

func checkGolden(t *testing.T, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(ar.Comment)) == 0 {
		t.Error("the golden has no comment")
	}
	in := map[string]string{}
	for _, f := range ar.Files {
		in[f.Name] = string(f.Data)
	}
	p, err := New([]byte(in["Dockerfile"]), goldenConfig(t, in))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"want": string(p.Bytes()), "findings": showFindings(p), "guards": showGuards(p)}
	if *update {
		writeGolden(t, name, ar, got)
		return
	}
	for _, section := range []string{"want", "findings", "guards"} {
		if diff := cmp.Diff(lines(in[section]), lines(got[section])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", section, diff)
		}
	}
}

func lines(s string) []string { return strings.SplitAfter(s, "\n") }

func writeGolden(t *testing.T, name string, ar *txtar.Archive, got map[string]string) {
	t.Helper()
	var files []txtar.File
	for _, f := range ar.Files {
		if _, made := got[f.Name]; !made {
			files = append(files, f)
		}
	}
	for _, section := range []string{"want", "findings", "guards"} {
		files = append(files, txtar.File{Name: section, Data: []byte(got[section])})
	}
	ar.Files = files
	if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goldenConfig(t *testing.T, in map[string]string) Config {
	t.Helper()
	vars := pairs(in["config"])
	cfg, _, err := route.FromEnv(func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	out := Config{Route: cfg, BuildArgs: pairs(in["args"])}
	if name, route, ok := strings.Cut(in["carry"], "\n"); ok {
		out.Carry = testCarry(name, strings.TrimSpace(route))
	}
	return out
}

func pairs(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			out[name] = value
		}
	}
	return out
}

func showFindings(p *Plan) string {
	var b strings.Builder
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "%d:%d-%d:%d %s %s\n", f.Range.Start.Line, f.Range.Start.Column,
			f.Range.End.Line, f.Range.End.Column, f.Rule, f.Message)
	}
	return b.String()
}

func showGuards(p *Plan) string {
	var b strings.Builder
	for _, g := range p.Guards {
		shown := "hidden"
		if g.Shown {
			shown = "shown"
		}
		if g.Carried {
			shown += ", carried"
		}
		if g.Unfit != "" {
			shown += "; unfit: " + g.Unfit
		}
		fmt.Fprintf(&b, "%d stage %s needs %s: %s; %s\n", g.Range.Start.Line, g.Stage, g.Needs, g.Reason, shown)
	}
	return b.String()
}
