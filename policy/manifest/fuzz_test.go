package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

// seeds adds the goldens' files of one name, or ending.
func seeds(f *testing.F, name string) {
	f.Helper()
	goldens, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, g := range goldens {
		text, err := os.ReadFile(g)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.HasSuffix(file.Name, name) {
				f.Add(string(file.Data))
			}
		}
	}
}

// fuzzRead holds that reading ends without a panic, that every place is in its
// file, that what is said is one line, and that broken input is an error: a
// file that declares nothing readable has one, or a note, or nothing to declare.
func fuzzRead(f *testing.F, name, like string) {
	seeds(f, like)
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{
			name:    &fstest.MapFile{Data: []byte(text)},
			"r.txt": &fstest.MapFile{Data: []byte("r>=1\n")},
		}
		got := manifest.Read(fsys, name, manifest.Options{})
		checkPlaces(t, fsys, got)
		for _, e := range got.Errors {
			checkMessage(t, e.Message)
		}
		for _, n := range got.Notes {
			checkMessage(t, n.Message)
		}
		for _, q := range got.Requirements {
			if len(q.Admits) == 0 && q.Unprovable == "" && !q.Local() {
				t.Errorf("%q admits nothing, and nobody says why", q.Text)
			}
			if len(q.Sets) == 0 || q.Scope == "" || q.File == "" {
				t.Errorf("%q has no set, scope or file: %+v", q.Text, q)
			}
		}
	})
}

func checkMessage(t *testing.T, s string) {
	t.Helper()
	if s == "" || len(s) > 2000 || strings.ContainsAny(s, "\n\r\x00\x1b") {
		t.Errorf("the message %q", s)
	}
}

func FuzzProject(f *testing.F)      { fuzzRead(f, "pyproject.toml", "pyproject.toml") }
func FuzzPixi(f *testing.F)         { fuzzRead(f, "pixi.toml", "pixi.toml") }
func FuzzRequirements(f *testing.F) { fuzzRead(f, "requirements.txt", ".txt") }
func FuzzSetupConfig(f *testing.F)  { fuzzRead(f, "setup.cfg", "setup.cfg") }
func FuzzSetupScript(f *testing.F)  { fuzzRead(f, "setup.py", "setup.py") }
func FuzzScript(f *testing.F)       { fuzzRead(f, "tool.py", "tool.py") }
func FuzzPipfile(f *testing.F)      { fuzzRead(f, "Pipfile", "Pipfile") }
func FuzzPipfileLock(f *testing.F)  { fuzzRead(f, "Pipfile.lock", "Pipfile.lock") }
func FuzzUvLock(f *testing.F)       { fuzzRead(f, "uv.lock", "uv.lock") }
func FuzzPoetryLock(f *testing.F)   { fuzzRead(f, "poetry.lock", "poetry.lock") }
func FuzzPyLock(f *testing.F)       { fuzzRead(f, "pylock.toml", "pylock.toml") }
func FuzzDockerfile(f *testing.F)   { fuzzRead(f, "Dockerfile", "Dockerfile") }
