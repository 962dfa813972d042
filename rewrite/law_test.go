package rewrite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// buildkitError is what BuildKit's parser says about the file, "" if it can
// read it.
func buildkitError(src []byte) string {
	ast, err := parser.Parse(bytes.NewReader(src))
	if err == nil {
		_, _, err = instructions.Parse(ast.AST, linter.New(&linter.Config{}))
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// steady takes the suggestion out of BuildKit's message: of several names that
// are equally near it takes one at random.
func steady(message string) string { return suggestion.ReplaceAllString(message, "") }

var suggestion = regexp.MustCompile(` \(did you mean [^ ]+\?\)`)

// checkLaws checks what is promised about every plan.
func checkLaws(t *testing.T, src []byte, cfg Config) {
	t.Helper()
	before := bytes.Clone(src)
	p, err := New(src, cfg)
	if !bytes.Equal(src, before) {
		t.Fatal("New changed its input")
	}
	if want := buildkitError(src); err != nil || want != "" {
		if err == nil || steady(err.Error()) != steady(want) {
			t.Fatalf("error %v, BuildKit says %q", err, want)
		}
		return
	}
	checkEdits(t, src, p)
	checkAsked(t, src, p)
	out := p.Bytes()
	if len(p.Edits) == 0 && !bytes.Equal(out, src) {
		t.Fatal("no edits, and the bytes differ")
	}
	checkOwned(t, p)
	checkSameInstructions(t, src, out, p)
	again, err := New(out, cfg)
	if err != nil {
		t.Fatalf("planning the output: %v", err)
	}
	if len(again.Edits) > 0 {
		t.Fatalf("planning the output gives edits %+v\n%s", again.Edits, out)
	}
}

// checkEdits checks that the edits are sorted, disjoint and in bounds, and
// keep every line ending.
func checkEdits(t *testing.T, src []byte, p *Plan) {
	t.Helper()
	at := 0
	for _, e := range p.Edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			t.Fatalf("edit %+v is out of order or of bounds", e)
		}
		if bytes.ContainsAny(src[e.Start:e.End], "\r\n") || strings.ContainsAny(e.New, "\r\n") {
			t.Fatalf("edit %+v changes a line ending", e)
		}
		at = e.End
	}
	if got, want := bytes.Count(p.Bytes(), []byte("\n")), bytes.Count(src, []byte("\n")); got != want {
		t.Fatalf("%d newlines, the file has %d", got, want)
	}
}

// checkOwned checks that each edit belongs to a finding, and each finding's
// edits are in the plan.
func checkOwned(t *testing.T, p *Plan) {
	t.Helper()
	var owned []Edit
	for _, f := range p.Findings {
		owned = append(owned, f.Edits...)
		if strings.ContainsAny(f.Message, "\r\n") {
			t.Errorf("the message has several lines: %q", f.Message)
		}
		if !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == f.Rule && r.Severity == f.Severity }) {
			t.Errorf("finding of no rule: %+v", f)
		}
	}
	for _, g := range p.Guards {
		owned = append(owned, g.Edits...)
	}
	slices.SortFunc(owned, compareEdits)
	owned = slices.Compact(owned)
	if len(owned) != len(p.Edits) || len(owned) > 0 && !slices.Equal(owned, p.Edits) {
		t.Fatalf("findings own the edits %+v, the plan has %+v", owned, p.Edits)
	}
}

// checkSameInstructions checks that BuildKit reads the output as the same
// instructions on the same lines, and that only those with an edit differ.
func checkSameInstructions(t *testing.T, src, out []byte, p *Plan) {
	t.Helper()
	was, err := parser.Parse(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	is, err := parser.Parse(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("BuildKit can't read the output: %v", err)
	}
	if s := buildkitError(out); s != "" {
		t.Fatalf("BuildKit can't read the output: %s", s)
	}
	if len(was.AST.Children) != len(is.AST.Children) {
		t.Fatalf("%d instructions became %d", len(was.AST.Children), len(is.AST.Children))
	}
	lines := newSource(string(src))
	for i, a := range was.AST.Children {
		b := is.AST.Children[i]
		if a.Value != b.Value || a.StartLine != b.StartLine || a.EndLine != b.EndLine {
			t.Fatalf("%s on lines %d-%d became %s on lines %d-%d", a.Value, a.StartLine, a.EndLine, b.Value, b.StartLine, b.EndLine)
		}
		edited := slices.ContainsFunc(p.Edits, func(e Edit) bool {
			n := lines.position(e.Start).Line
			return a.StartLine <= n && n <= a.EndLine
		})
		if diff := cmp.Diff(a, b); diff != "" && !edited {
			t.Fatalf("line %d has no edit and differs:\n%s", a.StartLine, diff)
		}
	}
}

// configs are the configurations that the laws are checked with.
func configs() []Config {
	return []Config{
		{},
		{
			Route: route.Config{
				Mirrors: map[string][]string{
					"debian":          {"https://mirror.example/debian"},
					"debian-security": {"https://mirror.example/debian-security", "default"},
				},
				Hosts: []route.HostRule{
					{Host: "*.example.com", Action: "https://proxy.example/files"},
					{Host: "localhost", Action: "upgrade"},
				},
			},
			BuildArgs: map[string]string{"URL": "http://given.example/x"},
		},
		{Carry: testCarry("a", "")},
		{Carry: testCarry("b", `{"Mirrors":{"debian":["https://mirror.example/it's?<x>"]}}`)},
	}
}

func TestLaws(t *testing.T) {
	for _, f := range corpus(t) {
		t.Run(f.name, func(t *testing.T) {
			for _, cfg := range configs() {
				checkLaws(t, f.text, cfg)
			}
		})
	}
}

func FuzzPlan(f *testing.F) {
	for _, file := range corpus(f) {
		f.Add(file.text)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, cfg := range configs() {
			checkLaws(t, src, cfg)
		}
		checkPersist(t, src)
	})
}

// TestNothingInsecure checks the first law over BuildKit's own files with all
// clear-text schemes taken out.
func TestNothingInsecure(t *testing.T) {
	secure := strings.NewReplacer("http://", "https://", "ftp://", "https://", "git://", "https://", "hkp://", "hkps://")
	for _, f := range buildkitFiles(t) {
		src := []byte(secure.Replace(string(f.text)))
		p, err := New(src, Config{})
		if err != nil {
			continue // TestLaws compares the errors
		}
		if !bytes.Equal(p.Bytes(), src) || len(p.Edits) > 0 {
			t.Errorf("%s: edits %+v", f.name, p.Edits)
		}
	}
}

// checkAsked asks the plan for what is made only when asked for: a finding in
// an instruction has a text to sign for, and each line takes part in a build or
// not.
func checkAsked(t *testing.T, src []byte, p *Plan) {
	t.Helper()
	for _, f := range p.Findings {
		inside := slices.ContainsFunc(p.scopes, func(s scope) bool {
			return s.in.node.StartLine <= f.Range.Start.Line && f.Range.Start.Line <= s.in.node.EndLine
		})
		if text := p.Instruction(f); (text != "") != inside {
			t.Fatalf("%s at line %d has the instruction %q", f.Rule, f.Range.Start.Line, text)
		}
	}
	for _, target := range []string{"", "0", "builder"} {
		needed := p.Needed(target)
		for line := range bytes.Count(src, []byte("\n")) {
			needed(line + 1)
		}
	}
}
