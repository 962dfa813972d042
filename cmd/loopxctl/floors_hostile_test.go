package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkFloors runs floors check on a folder of these files, with more arguments
// in front. It returns all that was printed, too.
func checkFloors(t *testing.T, files map[string]string, args ...string) (code int, printed string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeTemp(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	args = append([]string{"floors", "check", "--root", dir}, args...)
	code, out, diag := loopxctl(t, "", append(args, dir)...)
	return code, out + diag
}

func writeTemp(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFloorsBadFiles: what can't be read is an error or a finding, never a pass,
// and little is said of it.
func TestFloorsBadFiles(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, text string
		code       int
		want       string
	}{
		"10 MB line":      {"requirements.txt", "setuptools>=70 ;" + strings.Repeat(" ", 10<<20) + "python_version > '3'", exitFailed, "requirements.txt:1"},
		"10 MB of a name": {"requirements.txt", strings.Repeat("a", 10<<20), exitFailed, "requirements.txt:1"},
		"60 KB of a name": {"requirements.txt", strings.Repeat("a", 60<<10), exitBlocked, "FloorMissing"},
		"10 MB of none":   {"requirements.txt", strings.Repeat("!", 10<<20), exitFailed, "requirements.txt:1"},
		"too large":       {"requirements.txt", strings.Repeat("#\n", 17<<20), exitFailed, "requirements.txt"},
		"UTF-8":           {"pyproject.toml", "[project]\nname = \"\xff\xfe\"\n", exitFailed, "pyproject.toml"},
		"TOML of arrays":  {"pyproject.toml", "x = " + strings.Repeat("[", 1<<20), exitFailed, "pyproject.toml"},
		"TOML of tables":  {"pyproject.toml", "x = " + strings.Repeat("{a=", 1<<20), exitFailed, "pyproject.toml"},
		"TOML of keys":    {"pyproject.toml", strings.Repeat("a.", 1<<20) + "b = 1", exitFailed, "pyproject.toml"},
		"JSON of arrays":  {"Pipfile.lock", strings.Repeat("[", 1<<20), exitFailed, "Pipfile.lock"},
		"groups":          {"pyproject.toml", "[dependency-groups]\na = [{include-group = 'b'}]\nb = [{include-group = 'a'}]\n", exitFailed, "pyproject.toml"},
		"NUL":             {"requirements.txt", "setuptools\x00>=70\n", exitFailed, "requirements.txt:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, printed := checkFloors(t, map[string]string{tc.file: tc.text, "loopx.yaml": "floors: {setuptools: 83.0.0}\nrequire_floor: true\n"}, "--no-database")
			if code != tc.code || !strings.Contains(printed, tc.want) {
				t.Errorf("exit code %d, want %d\n%.2000s", code, tc.code, printed)
			}
			if len(printed) > 4000 {
				t.Errorf("%d bytes were printed:\n%.500s", len(printed), printed)
			}
		})
	}
}

// TestFloorsBadArchives: nothing that an archive of advisories names is written,
// and one that unpacks to too much is refused.
func TestFloorsBadArchives(t *testing.T) {
	t.Parallel()
	const record = `{"id":"P-1","modified":"2026-01-01T00:00:00Z","affected":[{"package":{"ecosystem":"PyPI","name":"setuptools"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"83.0.0"}]}]}]}`
	zeros := func(z *zip.Writer) {
		for range 10 {
			w, err := z.Create("zeros.json")
			if err != nil {
				t.Fatal(err)
			}
			block := make([]byte, 1<<20)
			for range 64 {
				if _, err := w.Write(block); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, fill := range map[string]func(*zip.Writer){
		"zeros": zeros,
		"path": func(z *zip.Writer) {
			w, err := z.Create("../../outside.json")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(record)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			fill(z)
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			archive := writeTemp(t, filepath.Join(dir, "a", "b", "all.zip"), b.String())
			code, printed := checkFloors(t, map[string]string{"requirements.txt": "setuptools>=70\n"}, "--database", archive)
			if code != exitFailed || len(printed) > 1000 {
				t.Errorf("exit code %d\n%.2000s", code, printed)
			}
			for _, name := range []string{"outside.json", "a/outside.json"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}
