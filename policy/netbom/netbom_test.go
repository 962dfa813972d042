package netbom_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/netbom"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/provenance"
)

var update = flag.Bool("update", false, "rewrite golden files")

// build reads provenance: what BuildKit wrote, or in testdata of this package
// what it could have.
func build(t testing.TB, path string) *provenance.Build {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := provenance.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// report is what the frontend said of the build in v1.json.
func report(t testing.TB) *buildreport.Report {
	t.Helper()
	r, err := buildreport.Parse([]byte(`{"frontend":"1.2.3","hosts":"2026-11-30","mode":"enforce","apt":"auto","operatorCA":true,"steps":[
		{"name":"[one 2/5] RUN curl -fsS http://downloads.example.org/x","platform":"linux/amd64","file":"Dockerfile","line":4,"fetches":[{"from":"http://downloads.example.org/x","to":"https://downloads.example.org/x","action":"upgrade","rule":"unknown-host"}]},
		{"name":"[one 3/5] RUN apt-get update","platform":"linux/amd64","file":"Dockerfile","line":5,"apt":"runs apt-get"},
		{"name":"[one 4/5] ADD http://downloads.example.org/x /x","file":"Dockerfile","line":6,"fetches":[{"from":"http://downloads.example.org/x","to":"https://downloads.example.org/x","action":"upgrade","rule":"unknown-host"}]}],"findings":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func document(b *provenance.Build, r *buildreport.Report) *netbom.Document {
	return netbom.New(netbom.Input{
		Artifact: netbom.Artifact{Name: "app.tar", Kind: "layout", Digest: "sha256:" + strings.Repeat("1", 64)},
		Images:   []netbom.InputImage{{Platform: "linux/amd64", Digest: "sha256:" + strings.Repeat("2", 64), Build: b}},
		Report:   r,
	})
}

// TestNew: each file is what a build fetched, as JSON.
func TestNew(t *testing.T) {
	t.Parallel()
	const buildkit = "../provenance/testdata/"
	for name, doc := range map[string]*netbom.Document{
		"max":      document(build(t, buildkit+"v1.json"), nil),
		"min":      document(build(t, buildkit+"min.json"), report(t)),
		"proxy":    document(build(t, buildkit+"proxy.json"), nil),
		"hard":     document(build(t, "testdata/hard.json"), nil),
		"reported": document(nil, report(t)),
	} {
		var got bytes.Buffer
		if err := plain.Encode(&got, doc); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSame: the two versions of provenance, and provenance with and without the
// report, make the same list.
func TestSame(t *testing.T) {
	t.Parallel()
	want := document(build(t, "../provenance/testdata/v1.json"), nil).Images
	for name, doc := range map[string]*netbom.Document{
		"v0.2":            document(build(t, "../provenance/testdata/v0.2.json"), nil),
		"with the report": document(build(t, "../provenance/testdata/v1.json"), report(t)),
	} {
		if diff := cmp.Diff(want, doc.Images); diff != "" {
			t.Errorf("%s (-without +with):\n%s", name, diff)
		}
	}
}

// TestVerdict: clear text counts, whoever decided for it.
func TestVerdict(t *testing.T) {
	t.Parallel()
	if d := document(build(t, "testdata/hard.json"), nil); !d.ClearText || d.Totals[netbom.Clear] != 2 {
		t.Errorf("hard: %t, %v", d.ClearText, d.Totals)
	}
	if d := document(build(t, "../provenance/testdata/v1.json"), nil); d.ClearText || !d.HasUnknown() {
		t.Errorf("v1: %t, %t", d.ClearText, d.HasUnknown())
	}
}

// TestSecrets: nothing that is masked in provenance comes back by the file's
// text.
func TestSecrets(t *testing.T) {
	t.Parallel()
	doc := document(build(t, "testdata/hard.json"), nil)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	page, err := doc.Page("a test")
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range [][]byte{text, page} {
		if bytes.Contains(out, []byte("hunter2")) {
			t.Errorf("a password is in %s", out)
		}
	}
}

// FuzzNew holds that no provenance makes it panic, and that a document and its
// page are the same each time.
func FuzzNew(f *testing.F) {
	for _, name := range []string{"../provenance/testdata/v1.json", "../provenance/testdata/proxy.json", "../provenance/testdata/min.json", "testdata/hard.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := provenance.Parse(data)
		if err != nil {
			return
		}
		doc := document(b, report(t))
		if diff := cmp.Diff(doc, document(b, report(t))); diff != "" {
			t.Errorf("another document:\n%s", diff)
		}
		page, err := doc.Page("a test")
		if err != nil {
			t.Fatal(err)
		}
		check(t, page)
	})
}
