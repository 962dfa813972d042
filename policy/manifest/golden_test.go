package manifest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestGolden runs the goldens. Each is a txtar archive: a comment that says why
// the case exists, the files of a project, and
//
//	options  env NAME=value, arg NAME=value, context FOLDER or scripts (optional)
//	want     what is found and read, as show prints it
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			checkGolden(t, name)
		})
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
	fsys := fstest.MapFS{}
	want, options := "", ""
	for _, f := range ar.Files {
		switch f.Name {
		case "want":
			want = string(f.Data)
		case "options":
			options = string(f.Data)
		default:
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	got := read(t, fsys, options)
	if !*update {
		if diff := cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return
	}
	files := ar.Files[:0]
	for _, f := range ar.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	ar.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read discovers and reads the files and shows the result.
func read(t *testing.T, fsys fstest.MapFS, options string) string {
	t.Helper()
	o := manifest.Options{Env: map[string]string{}, BuildArgs: map[string]string{}}
	var find manifest.Find
	for line := range strings.Lines(options) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, value, _ := strings.Cut(rest, "=")
		switch word {
		case "env":
			o.Env[name] = value
		case "arg":
			o.BuildArgs[name] = value
		case "context":
			o.Context = rest
		case "scripts":
			find.Scripts = true
		}
	}
	found := manifest.Discover(fsys, ".", find)
	var b strings.Builder
	for _, f := range found.Files {
		fmt.Fprintf(&b, "%s (%s)\n", f.Name, f.Kind)
	}
	all := manifest.ReadAll(fsys, found.Files, o)
	all.Notes = append(all.Notes, found.Notes...)
	all.Errors = append(all.Errors, found.Errors...)
	checkPlaces(t, fsys, all)
	b.WriteString("\n" + show(all))
	return b.String()
}

// show prints a reading: a line for each requirement with its place and the
// place of its specifier, then what else is known of it.
func show(r manifest.Reading) string {
	var b strings.Builder
	for _, q := range r.Requirements {
		fmt.Fprintf(&b, "%s:%s spec %s %s\n", q.File, span(q.Span), span(q.Spec), quoted(q.Quote))
		fmt.Fprintf(&b, "    %s %s: %s\n", q.Scope, q.Table, q.Text)
		fmt.Fprintf(&b, "    name %s admits %s%s\n", q.Name, admits(q), details(q))
		fmt.Fprintf(&b, "    sets %s\n", strings.Join(q.Sets, " | "))
		if q.Fixed != "" {
			fmt.Fprintf(&b, "    fixed: %s\n", q.Fixed)
		}
		if q.Unprovable != "" {
			fmt.Fprintf(&b, "    unprovable: %s\n", q.Unprovable)
		}
	}
	for _, p := range r.Python {
		fmt.Fprintf(&b, "python %s:%s %s %s\n", p.File, span(p.Span), p.Text, p.Versions)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %s:%s %s %s: %s\n", n.File, span(n.Span), n.Answer, n.Table, n.Message)
	}
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "error %s\n", e)
	}
	if len(r.Follows) > 0 {
		fmt.Fprintf(&b, "follows %s\n", strings.Join(r.Follows, " "))
	}
	return b.String()
}

func span(s manifest.Span) string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Start.Line, s.Start.Column, s.End.Line, s.End.Column)
}

func quoted(q string) string {
	if q == "" {
		return "unquoted"
	}
	return "in " + q
}

func admits(q manifest.Requirement) string {
	if len(q.Admits) == 0 {
		return "-"
	}
	var all []string
	for _, s := range q.Admits {
		text := s.String()
		if text == "" {
			text = "*"
		}
		all = append(all, text)
	}
	return strings.Join(all, " or ")
}

func details(q manifest.Requirement) string {
	var b strings.Builder
	if len(q.Extras) > 0 {
		fmt.Fprintf(&b, " extras %s", strings.Join(q.Extras, ","))
	}
	if q.Marker != nil {
		fmt.Fprintf(&b, " if %s", q.Marker)
	}
	if q.Source != (manifest.Source{}) {
		fmt.Fprintf(&b, " from %s %s", q.Source.Kind, q.Source.Place)
		for _, more := range [][2]string{{"version", q.Source.Version}, {"hint", q.Source.Hint}, {"by", q.Source.By}} {
			if more[1] != "" {
				fmt.Fprintf(&b, " %s %s", more[0], more[1])
			}
		}
	}
	if len(q.Groups) > 0 {
		fmt.Fprintf(&b, " groups %s", strings.Join(q.Groups, ","))
	}
	if q.Pre {
		b.WriteString(" pre")
	}
	if q.Hashed {
		b.WriteString(" hashed")
	}
	if q.Local() {
		b.WriteString(" local")
	}
	if q.Lost.Text != "" {
		fmt.Fprintf(&b, " lost %s at %s", q.Lost.Text, span(q.Lost.Span))
	}
	return b.String()
}

// checkPlaces holds that every place lies in its file and says the same by
// offset and by line, and that what may be edited stands there.
func checkPlaces(t testing.TB, fsys fstest.MapFS, r manifest.Reading) {
	t.Helper()
	for _, q := range r.Requirements {
		f := fsys[q.File]
		if f == nil {
			t.Errorf("%s is no file", q.File)
			continue
		}
		checkSpan(t, q.File, string(f.Data), q.Span)
		checkSpan(t, q.File, string(f.Data), q.Spec)
		if q.Fixed == "" && q.Unprovable == "" {
			spec := string(f.Data)[q.Spec.Start.Offset:q.Spec.End.Offset]
			if !strings.Contains(q.Text, spec) {
				t.Errorf("%s: the specifier of %q is at %q", q.File, q.Text, spec)
			}
		}
	}
	for _, n := range r.Notes {
		if f := fsys[n.File]; f != nil {
			checkSpan(t, n.File, string(f.Data), n.Span)
		}
	}
}

func checkSpan(t testing.TB, name, text string, s manifest.Span) {
	t.Helper()
	for _, p := range []manifest.Position{s.Start, s.End} {
		if p.Offset < 0 {
			continue
		}
		if p.Offset > len(text) {
			t.Errorf("%s: offset %d of %d", name, p.Offset, len(text))
			return
		}
		before := text[:p.Offset]
		line := strings.Count(before, "\n") + 1
		column := p.Offset - strings.LastIndexByte(before, '\n')
		if line == 1 && strings.HasPrefix(text, "\uFEFF") {
			column = max(column-3, 1)
		}
		if p != (manifest.Position{}) && (p.Line != line || p.Column != column) {
			t.Errorf("%s: offset %d is %d:%d, not %d:%d", name, p.Offset, line, column, p.Line, p.Column)
		}
	}
	if s.Start.Offset > s.End.Offset {
		t.Errorf("%s: the span %v ends before it starts", name, s)
	}
}
