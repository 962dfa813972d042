package floors_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// TestGolden reads testdata/*.txtar: a project with its policy (loopx.yaml) and
// advisories (advisories.jsonl), words that say what is asked (options: pins,
// holes, all, json, derive, old, explain=NAME), and below "want" the report,
// the files after the fix, and what else was asked.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, options := inputs(archive)
			got := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: append(given(archive), run(t, files, options)...)})
			if *update {
				if err := os.WriteFile(name, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(got)); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// given are the parts of an archive that are no result.
func given(a *txtar.Archive) []txtar.File {
	return slices.DeleteFunc(slices.Clone(a.Files), func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
}

func inputs(a *txtar.Archive) (files map[string]string, options []string) {
	files = map[string]string{}
	for _, f := range given(a) {
		if f.Name == "options" {
			options = strings.Fields(string(f.Data))
			continue
		}
		files[f.Name] = string(f.Data)
	}
	return files, options
}

// run checks, mends, and does what else is asked.
func run(t *testing.T, files map[string]string, options []string) []txtar.File {
	t.Helper()
	cfg, lines := files["loopx.yaml"], strings.TrimSpace(files["advisories.jsonl"])
	delete(files, "loopx.yaml")
	delete(files, "advisories.jsonl")
	var records []string
	if lines != "" {
		records = strings.Split(lines, "\n")
	}
	in := input(t, files, cfg, records...)
	in.Pins, in.Holes = slices.Contains(options, "pins"), slices.Contains(options, "holes")
	if slices.Contains(options, "old") {
		in.Snapshot.Newest = today().AddDate(0, 0, -29)
	}
	r := floors.Check(in)
	var b bytes.Buffer
	text := floors.Text{All: slices.Contains(options, "all")}
	if err := text.Write(&b, r, r.Findings()); err != nil {
		t.Fatal(err)
	}
	out := []txtar.File{{Name: "want/report", Data: b.Bytes()}}
	edits := r.Edits()
	for _, name := range sortedKeys(edits) {
		fixed, ok := floors.Apply([]byte(files[name]), edits[name])
		if !ok {
			t.Fatalf("%s: %v", name, edits[name])
		}
		out = append(out, txtar.File{Name: "want/" + name, Data: fixed})
	}
	return append(out, asked(t, r, options)...)
}

func asked(t *testing.T, r *floors.Report, options []string) []txtar.File {
	t.Helper()
	var out []txtar.File
	for _, o := range options {
		var b bytes.Buffer
		var err error
		what, name, _ := strings.Cut(o, "=")
		switch what {
		case "explain":
			err = r.Explain(name).Write(&b, nil)
		case "derive":
			err = r.Derive().Write(&b)
		case "json":
			err = plain.Encode(&b, r.Document("floors check", r.Findings()))
		default:
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, txtar.File{Name: "want/" + o, Data: b.Bytes()})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
