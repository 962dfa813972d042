package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

func one(name, text string) fstest.MapFS {
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}
}

// TestPositions holds that line endings, byte order marks and characters of
// several bytes don't move a place.
func TestPositions(t *testing.T) {
	t.Parallel()
	const toml = "[build-system]\r\nrequires = [\r\n  \"é\", # é\r\n  \"a>=1\",\r\n]\r\n"
	for _, tc := range []struct{ name, file, text, want string }{
		{"CRLF", "pyproject.toml", strings.Replace(toml, "\"é\", ", "", 1), "4:4-4:8 spec 4:5-4:8"},
		{"BOM", "pyproject.toml", "\uFEFFbuild-system.requires = [\"a>=1\"]\n", "1:27-1:31 spec 1:28-1:31"},
		{"wide characters", "pyproject.toml", "build-system = {'é' = 1, requires = [\"a>=1\"]}", "1:40-1:44 spec 1:41-1:44"},
		{"no last newline", "requirements.txt", "# é\na>=1", "2:1-2:5 spec 2:2-2:5"},
		{"requirements CRLF", "requirements.txt", "\r\n  a >=1 # x\r\n", "2:3-2:8 spec 2:5-2:8"},
		{"requirements BOM", "requirements.txt", "\uFEFFa>=1\n", "1:1-1:5 spec 1:2-1:5"},
		{"lock CRLF", "uv.lock", "[[package]]\r\nname = \"a\"\r\nversion = \"1\"\r\n", "3:12-3:13 spec 3:12-3:13"},
		{"JSON CRLF", "Pipfile.lock", "{\"default\":\r\n {\"a\": {\"version\": \"==1\"}}}", "2:21-2:24 spec 2:21-2:24"},
		{"setup.cfg CRLF", "setup.cfg", "[options]\r\ninstall_requires =\r\n  a>=1\r\n", "3:3-3:7 spec 3:4-3:7"},
		{"Dockerfile CRLF", "Dockerfile", "FROM x\r\nRUN pip install \\\r\n  'a>=1'\r\n", "3:4-3:8 spec 3:5-3:8"},
		{"Dockerfile BOM", "Dockerfile", "\uFEFFFROM x\nRUN pip install a\n", "2:17-2:18 spec 2:18-2:18"},
		{"script CRLF", "s.py", "# /// script\r\n# dependencies = [\r\n#  'a>=1']\r\n# ///\r\n", "3:5-3:9 spec 3:6-3:9"},
	} {
		fsys := one(tc.file, tc.text)
		got := manifest.Read(fsys, tc.file, manifest.Options{})
		checkPlaces(t, fsys, got)
		if len(got.Requirements) != 1 || len(got.Errors) > 0 {
			t.Errorf("%s: %s", tc.name, show(got))
			continue
		}
		q := got.Requirements[0]
		if diff := cmp.Diff(tc.want, span(q.Span)+" spec "+span(q.Spec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		if spec := tc.text[q.Spec.Start.Offset:q.Spec.End.Offset]; spec != strings.TrimLeft(q.Text, "a ") && q.Scope != manifest.Locks {
			t.Errorf("%s: the specifier of %q is at %q", tc.name, q.Text, spec)
		}
	}
}

// TestNewerTOML holds that what Python's tomllib refuses is read, and said.
func TestNewerTOML(t *testing.T) {
	t.Parallel()
	const text = "build-system = {\n requires = [\"\\x61>=1\"],\n}\n"
	got := manifest.Read(one("pyproject.toml", text), "pyproject.toml", manifest.Options{})
	want := "pyproject.toml:2:15-2:22 spec 2:19-2:22 in \"\n    build build-system.requires: a>=1\n    name a admits >=1\n" +
		"    sets pyproject.toml: build-system.requires\nnote pyproject.toml:1:17-2:1 check : a line break in an inline table needs TOML 1.1 (and 3 more): " +
		"Python's tomllib, and so pip, refuses it; write it as TOML 1.0\n"
	if diff := cmp.Diff(want, show(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := manifest.Read(one("uv.toml", "a = {\n}\n"), "uv.toml", manifest.Options{}); len(got.Notes) > 0 {
		t.Errorf("uv reads TOML 1.1: %v", got.Notes)
	}
}

// TestBadInput holds that broken, hostile and huge input ends in an error that
// says where, never in nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1<<20)
	for _, tc := range []struct{ name, file, text, want string }{
		{"not UTF-8", "pyproject.toml", "a = 1\nb = \"\xff\"\n", "pyproject.toml:2:6: this is no TOML: the text is not UTF-8, which TOML asks for: save it as UTF-8"},
		{"UTF-16", "pyproject.toml", "\xff\xfea\x00", "pyproject.toml:1:1: this is no TOML: the text is not UTF-8, which TOML asks for: save it as UTF-8"},
		{"deep arrays", "pyproject.toml", "a = " + deep, "pyproject.toml:1:105: this is no TOML: arrays and inline tables lie more than 100 levels deep in each other"},
		{"deep tables", "uv.lock", "a = " + strings.Repeat("{a=", 1<<20), "uv.lock:1:305: this is no TOML: arrays and inline tables lie more than 100 levels deep in each other"},
		{"deep keys", "pyproject.toml", strings.Repeat("a.", 1<<20) + "a = 1", "pyproject.toml:1:1: this is no TOML: the key has more than 100 parts"},
		{"deep JSON", "Pipfile.lock", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "Pipfile.lock:1:102: this is no JSON: values lie too deep inside of each other"},
		{"JSON list", "Pipfile.lock", "[]", "Pipfile.lock:1:1: this is no Pipfile.lock: make it again with pipenv lock"},
		{"JSON cut off", "Pipfile.lock", "{\n", "Pipfile.lock:1:2: this is no JSON: unexpected end of JSON input"},
		{"JSON not UTF-8", "Pipfile.lock", "{\"\xff\":1}", "Pipfile.lock:1:1: this is no JSON: the text is not UTF-8: save it as UTF-8"},
		{"long line", "requirements.txt", strings.Repeat("a", 10<<20), "requirements.txt:1:1: the line is longer than the limit allows"},
		{"many values", "uv.lock", "a = [" + strings.Repeat("1,", 1<<20+1) + "]", "uv.lock:1:2097157: this is no TOML: the document has more than 1048576 values"},
		{"many JSON values", "Pipfile.lock", "[" + strings.Repeat("1,", 1<<20+1) + "1]", "Pipfile.lock:1:2097155: this is no JSON: it has more than 1048576 values"},
		{"long array", "pyproject.toml", "[build-system]\nrequires = [" + strings.Repeat("1,", 1<<19) + "]", "pyproject.toml:2:13: build-system.requires holds an integer: write strings"},
		{"many entries", "pyproject.toml", "[build-system]\nrequires = [" + strings.Repeat("'a',", 100_001) + "]", "pyproject.toml:2:400014: there are too many requirements: what follows is not read"},
		{"many groups", "pyproject.toml", "build-system.requires=[]\n[dependency-groups]\n" + many(600, "g%d = []\n"), "pyproject.toml:503:1: there are more than 500 dependency groups: split the project"},
		{"secret in a line", "requirements.txt", "a b https://user:secret@e.com/\n", "requirements.txt:1:1: this is neither a requirement nor a path"},
		{"escape sequence", "pyproject.toml", "\"\\u001b[2J\" = 1\n\"\\u001b[2J\" = 2\n", "pyproject.toml:2:1: this is no TOML: \\x1b[2J is defined twice"},
		{"no kind", "README.md", "", "README.md: the name tells no kind of file that declares dependencies: say which it is"},
	} {
		got := manifest.Read(one(tc.file, tc.text), tc.file, manifest.Options{})
		if len(got.Errors) == 0 {
			t.Errorf("%s is no error", tc.name)
			continue
		}
		text := got.Errors[0].Error()
		if !strings.HasPrefix(text, tc.want) {
			t.Errorf("%s (-want +got):\n%s", tc.name, cmp.Diff(tc.want, text))
		}
		if len(text) > 400 || strings.ContainsAny(text, "\n\x1b") || strings.Contains(text, "secret") {
			t.Errorf("%s says %q", tc.name, text)
		}
	}
}

// TestManyNames holds that tables which speak of each other's names are read in
// one go: each entry of one is not compared with each of the other.
func TestManyNames(t *testing.T) {
	t.Parallel()
	const n = 50_000
	var deps, sources, extras strings.Builder
	for i := range n {
		fmt.Fprintf(&deps, "'p%d',", i)
		fmt.Fprintf(&sources, "p%d = {path = 'x'}\n", i)
		fmt.Fprintf(&extras, "'p%d',", i)
	}
	text := "build-system.requires = []\n[project]\ndependencies = [" + deps.String() + "]\n[tool.uv.sources]\n" + sources.String() +
		"[tool.poetry]\nextras.x = [" + extras.String() + "]\n"
	got := manifest.Read(one("pyproject.toml", text), "pyproject.toml", manifest.Options{})
	local := 0
	for _, q := range got.Requirements {
		if q.Local() {
			local++
		}
	}
	if len(got.Requirements) != n || local != n || len(got.Errors)+len(got.Notes) > 0 {
		t.Errorf("%d requirements, %d of them local, %d errors, %d notes", len(got.Requirements), local, len(got.Errors), len(got.Notes))
	}
}

// TestManyGroups holds that groups which include each other don't multiply.
func TestManyGroups(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("build-system.requires = []\n")
	for i := range 200 {
		fmt.Fprintf(&b, "[tool.poetry.group.g%d]\ninclude-groups = [", i)
		for k := range 200 {
			fmt.Fprintf(&b, "'g%d',", k)
		}
		fmt.Fprintf(&b, "]\ndependencies.p%d = '*'\n", i)
	}
	got := manifest.Read(one("pyproject.toml", b.String()), "pyproject.toml", manifest.Options{})
	if len(got.Requirements) != 200 || len(got.Requirements[0].Groups) != 200 || len(got.Errors) > 0 {
		t.Errorf("%d requirements in %d groups, %v", len(got.Requirements), len(got.Requirements[0].Groups), got.Errors)
	}
}

func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// TestMaxFile holds that a file beyond the limit is not read.
func TestMaxFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"pyproject.toml", "requirements.txt", "Dockerfile"} {
		got := manifest.Read(one(file, strings.Repeat("#", 101)), file, manifest.Options{MaxFile: 100})
		if len(got.Errors) != 1 || len(got.Requirements) > 0 {
			t.Errorf("%s: %s", file, show(got))
		}
	}
}

// TestEnvironmentIsInput holds that variables come from the options alone.
func TestEnvironmentIsInput(t *testing.T) {
	t.Setenv("LOOPX_TEST_VERSION", "1.0")
	fsys := one("requirements.txt", "a==${LOOPX_TEST_VERSION}\n")
	if got := manifest.Read(fsys, "requirements.txt", manifest.Options{}); got.Requirements[0].Unprovable == "" {
		t.Errorf("the process environment is read: %s", show(got))
	}
	got := manifest.Read(fsys, "requirements.txt", manifest.Options{Env: map[string]string{"LOOPX_TEST_VERSION": "2.0"}})
	if admits(got.Requirements[0]) != "==2.0" {
		t.Errorf("the given value is not used: %s", show(got))
	}
}

// TestKindOption holds that the kind may be said.
func TestKindOption(t *testing.T) {
	t.Parallel()
	got := manifest.Read(one("deps", "a>=1\n"), "deps", manifest.Options{Kind: manifest.RequirementsFile})
	if len(got.Requirements) != 1 || len(got.Errors) > 0 {
		t.Errorf("%s", show(got))
	}
}
