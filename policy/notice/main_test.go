package notice_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/notice"
	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/format"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// today is when the tests take place.
func today() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// records decodes notices.
func records(t testing.TB, text string) []osv.Record {
	t.Helper()
	var all []osv.Record
	if err := format.Decode(text, 1, func(r osv.Record) error { all = append(all, r); return nil }); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return all
}

// input makes the input of files: "notices" holds the records, "base-os",
// "packages IMAGE", "sbom", "index", "loopx.yaml" and "rebuilt" what is known
// beside them, and all others are the project.
func input(t testing.TB, files map[string]string) notice.Input {
	t.Helper()
	in := notice.Input{Records: records(t, files["notices"]), Index: &inventory.Index{}}
	c, err := config.Parse(config.File, []byte(files["loopx.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	for name, text := range files {
		kind, image, _ := strings.Cut(name, " ")
		switch kind {
		case "notices", "loopx.yaml", "want":
		case "base-os":
			o, err := distro.Parse(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			in.Bases = append(in.Bases, notice.Base{Image: image, OS: o})
		case "packages":
			in.Bases = append(in.Bases, notice.Base{Image: image, OS: distro.OfImage(image), Packages: list(t, &in, text)})
		case "sbom":
			in.Bills = append(in.Bills, notice.Bill{Name: "sbom.json", Packages: list(t, &in, text)})
		case "index":
			list(t, &in, text)
		case "rebuilt":
			if in.Rebuilt, err = time.Parse(time.DateOnly, strings.TrimSpace(text)); err != nil {
				t.Fatal(err)
			}
		default:
			tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		}
	}
	found := manifest.Discover(tree, ".", manifest.Find{})
	for _, f := range found.Files {
		if f.Kind == manifest.DockerfileKind {
			in.Dockerfiles = append(in.Dockerfiles, notice.Dockerfile{Name: f.Name, Text: tree[f.Name].Data})
		}
	}
	in.Floors = floors.Input{Reading: manifest.ReadAll(tree, found.Files, manifest.Options{}), Config: c, Today: today()}
	return in
}

// list reads a list of packages.
func list(t testing.TB, in *notice.Input, text string) []inventory.Package {
	t.Helper()
	l, err := inventory.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	in.Index.Add(l)
	return l.Packages
}

// brief is a report in a line for each notice and each answer.
func brief(r *notice.Report) string {
	var b strings.Builder
	for _, n := range r.Notices {
		fmt.Fprintf(&b, "%s %s %v", n.ID, n.State, n.IDs)
		if n.Why != "" {
			b.WriteString(": " + n.Why)
		}
		b.WriteString("\n")
		for _, a := range n.Answers {
			fmt.Fprintf(&b, "  %s:%d:%d-%d:%d", a.File, a.Line, a.Column, a.EndLine, a.EndColumn)
			if a.Stage != "" {
				fmt.Fprintf(&b, " stage %s%v", a.Stage, a.Stages)
			}
			fmt.Fprintf(&b, " %s %s %s %q of %s in %s: %s", a.Kind, a.State, a.Action, a.Text, a.Source, a.OS, a.Message)
			for _, h := range a.Held {
				b.WriteString(" | " + h)
			}
			b.WriteString("\n")
		}
	}
	for _, u := range r.Unread {
		fmt.Fprintf(&b, "unread %s:%d:%d stage %s: %s\n", u.File, u.Line, u.Column, u.Stage, u.Why)
	}
	if len(r.Unmatched) > 0 {
		fmt.Fprintf(&b, "unmatched %v\n", r.Unmatched)
	}
	for _, p := range r.Problems() {
		fmt.Fprintf(&b, "problem %s\n", p)
	}
	return b.String()
}

// TestGolden holds what each page of testdata says: notices, a project, and the
// answers.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no pages", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, name)
		})
	}
}

func golden(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	want := -1
	for i, f := range a.Files {
		files[f.Name] = string(f.Data)
		if f.Name == "want" {
			want = i
		}
	}
	got := brief(notice.Check(input(t, files)))
	if *update && want >= 0 {
		a.Files[want].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(files["want"], got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
