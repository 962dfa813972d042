package floors_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/floors"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// edgeCase is one row of testdata/floor-edge-cases.json.
type edgeCase struct {
	ID, Group, Where, Text, Floor, Verdict string
}

func edgeCases(t *testing.T) []edgeCase {
	t.Helper()
	data, err := os.ReadFile("testdata/floor-edge-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []edgeCase
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// edgeFiles are what a row means where its text is not simply a line of a
// requirements file.
type edgeFiles struct {
	files map[string]string
	// records are advisories, in place of the row's floor.
	records []string
	// name is the project that the row asks about, if it is not that of the
	// floor.
	name string
}

const buildSystem = "[build-system]\nrequires = [\"setuptools>=83.0.0\"]\n"

// one is a set of one file.
func one(name, text string) edgeFiles { return edgeFiles{files: map[string]string{name: text}} }

// project is a pyproject.toml with its build requirements.
func project(text string) edgeFiles { return one("pyproject.toml", buildSystem+text) }

// poetry is a dependency of Poetry, which sees no other list.
func poetry(text string) edgeFiles { return project("[tool.poetry.dependencies]\n" + text + "\n") }

// dockerfile is a Dockerfile with files beside it.
func dockerfile(text string, more ...string) edgeFiles {
	e := one("Dockerfile", "FROM debian:trixie-slim\n"+text+"\n")
	for i := 0; i < len(more); i += 2 {
		e.files[more[i]] = more[i+1]
	}
	return e
}

// advised is a requirement and what records say about it.
func advised(records ...string) edgeFiles { return edgeFiles{records: records} }

// edges are the rows whose text describes a situation.
func edges() map[string]edgeFiles {
	return map[string]edgeFiles{
		"F33": project("[project]\nrequires-python = \">=3.9\"\ndependencies = ['setuptools>=70; python_version < \"3.0\"']\n"),

		"F52": advised(record("PYSEC-2026-1", "", events("introduced", "0", "fixed", "1.5"))),
		"F53": advised(record("PYSEC-2026-1", "", events("introduced", "1.0", "fixed", "1.5", "introduced", "2.0", "fixed", "2.2"))),
		"F54": advised(record("PYSEC-2026-1", "", events("introduced", "1.0", "fixed", "1.5", "introduced", "2.0", "fixed", "2.2"))),
		"F55": advised(record("PYSEC-2026-1", "", events("introduced", "1.0", "fixed", "1.5", "introduced", "2.0", "fixed", "2.2"))),
		"F56": advised(record("PYSEC-2026-1", "", events("introduced", "0", "fixed", "2.1"))),
		"F57": advised(record("PYSEC-2026-1", "", events("introduced", "0"))),
		"F58": advised(record("PYSEC-2026-1", "", events("introduced", "0", "last_affected", "1.11.0"))),
		"F59": advised(record("PYSEC-2026-1", "", events("introduced", "0", "last_affected", "1.11.0"))),
		"F60": advised(record("PYSEC-2026-1", "", events("introduced", "0", "fixed", "23.9.0")+`,"versions":["23.9.0","23.9.0.post1"]`)),
		"F61": advised(record("PYSEC-2026-1", "",
			events("introduced", "2.11", "fixed", "2.11.7", "introduced", "0", "fixed", "2.11.6")+`,"versions":["2.11.5","2.11.6"]`)),
		"F62": advised(record("PYSEC-2026-1", `"withdrawn":"2026-02-02T00:00:00Z"`, events("introduced", "0"))),
		"F63": advised(
			record("GHSA-xxxx-xxxx-xxxx", `"aliases":["CVE-2026-1"]`, events("introduced", "0", "fixed", "1.4")),
			record("PYSEC-2026-1", `"aliases":["CVE-2026-1"]`, events("introduced", "0", "fixed", "1.5"))),
		"F64": advised(record("MAL-2026-1", "", events("introduced", "0"))),
		"F65": advised(record("PYSEC-2026-1", "", `,"ranges":[{"type":"GIT","repo":"https://example.com/r","events":[{"introduced":"0"}]}]`)),
		"F66": advised(record("PYSEC-2026-1", "", events("introduced", "0", "fixed", "0.2.0-n653"))),

		"F67": one("pyproject.toml", "[project]\nname = \"a\"\n"),
		"F68": one("pyproject.toml", "[build-system]\nrequires = [\"setuptools>=83.0.0\", \"setuptools<90\"]\n"),
		"F69": project("[project]\ndependencies = [\"setuptools>=70\"]\n[tool.uv]\nconstraint-dependencies = [\"setuptools>=83.0.0\"]\n"),
		"F70": {files: map[string]string{
			"pyproject.toml":   buildSystem + "[project]\ndynamic = [\"dependencies\"]\n[tool.setuptools.dynamic]\ndependencies = {file = [\"requirements.txt\"]}\n",
			"requirements.txt": "setuptools>=83.0.0\n",
		}},
		"F71": one("pyproject.toml", "[build-system]\nrequires = []\n[project]\ndynamic = [\"dependencies\"]\n"),
		"F72": project("[project]\ndynamic = [\"dependencies\"]\ndependencies = [\"setuptools>=83.0.0\"]\n"),
		"F73": project("[dependency-groups]\ndev = [{include-group = \"test\"}]\ntest = [\"setuptools>=83.0.0\"]\n"),
		"F74": project("[dependency-groups]\na = [{include-group = \"b\"}]\nb = [{include-group = \"a\"}]\n"),
		"F75": project("[dependency-groups]\ndev = []\nDev = []\n"),
		"F76": poetry(`setuptools = "^70.1"`),
		"F77": poetry(`setuptools = "^0.2.3"`),
		"F78": poetry(`setuptools = "~83.0"`),
		"F79": poetry(`setuptools = "83.0.0"`),
		"F80": poetry(`setuptools = "*"`),
		"F81": poetry(`setuptools = ">=70 || ^84"`),
		"F82": poetry(`setuptools = [{version = "<=80", python = "<3.9"}, {version = ">=83", python = ">=3.9"}]`),
		"F83": one("pyproject.toml", "[build-system]\nrequires = []\n[tool.poetry.dependencies]\nsetuptools = {path = \"../setuptools\", develop = true}\n"),
		"F84": one("pyproject.toml", "[build-system]\nrequires = []\n[tool.poetry.dependencies]\npython = \"^3.9\"\n"),
		"F85": one("pyproject.toml", "[build-system]\nrequires = []\n[project]\ndependencies = [\"setuptools>=70\"]\n[tool.uv.sources]\nsetuptools = {workspace = true}\n"),
		"F86": {files: map[string]string{"pyproject.toml": buildSystem + "[project]\ndependencies = [\"mycompany-lib>=1\"]\n"}, name: "mycompany-lib"},
		"F87": one("setup.cfg", "[options]\ninstall_requires =\n    setuptools>=70\n"),
		"F88": one("setup.py", "from setuptools import setup\n\nsetup(install_requires=[\"setuptools>=70\"])\n"),
		"F89": {files: map[string]string{"requirements.txt": "setuptools\n-c constraints.txt\n", "constraints.txt": "setuptools>=83.0.0\n"}},
		"F90": {files: map[string]string{"requirements.txt": "-c constraints.txt\n", "constraints.txt": "setuptools>=70\n"}},
		"F91": {files: map[string]string{"constraints.txt": "-r base.txt\n", "base.txt": "setuptools>=83.0.0\n"}},
		"F92": one("requirements.txt", "setuptools==82.0.1 \\\n    --hash=sha256:"+strings.Repeat("0", 64)+"\n"),
		"F93": one("requirements.txt", "setuptools==82.0.1 # comment \\\nfoo\n"),
		"F95": one("requirements.txt", "-e .[dev]\n./pkg\n../x\n"),
		"F96": one("requirements.txt", "--pre\nsetuptools>=83.0.0\n"),
		"F97": one("uv.lock", lockedUv("82.0.1", "python_full_version < '3.10'")+lockedUv("83.0.0", "python_full_version >= '3.10'")),
		"F98": {files: map[string]string{
			"poetry.lock": "[[package]]\nname = \"setuptools\"\n[package.source]\ntype = \"git\"\nurl = \"https://example.com/r\"\n",
			"pdm.lock":    "[[package]]\nname = \"setuptools\"\ngit = \"https://example.com/r\"\n",
			"pylock.toml": "[[packages]]\nname = \"setuptools\"\nvcs = {type = \"git\", url = \"https://example.com/r\", commit-id = \"c\"}\n",
		}},
		"F99": one("Pipfile.lock", `{"default": {"setuptools": {"version": "==82.0.1"}}}`),
		"F100": {files: map[string]string{
			"pyproject.toml": buildSystem + "[project]\ndependencies = [\"setuptools>=70\"]\n", "uv.lock": lockedUv("83.0.0", "python_version >= '3.10'"),
		}},

		"F101": dockerfile("RUN pip install setuptools>=83.0.0"),
		"F102": dockerfile(`RUN pip install "setuptools>=83.0.0,<84"`),
		"F103": dockerfile(`RUN ["pip","install","setuptools>=83.0.0"]`),
		"F104": dockerfile("RUN pip install setuptools<84"),
		"F105": dockerfile("RUN pip3 install -t X setuptools==82.0.1\nRUN python3 -m pip install --prefix X setuptools==82.0.1\n" +
			"RUN /venv/bin/pip install setuptools==82.0.1\nRUN uv pip install --index-url X setuptools==82.0.1\nRUN pipx install setuptools==82.0.1"),
		"F106": dockerfile("ARG V=82.0.1\nRUN pip install setuptools==${V}"),
		"F107": dockerfile("RUN pip install --upgrade pip setuptools wheel"),
		"F108": dockerfile("COPY requirements.txt .\nRUN pip install -r requirements.txt", "requirements.txt", "setuptools>=83.0.0\n"),
		"F109": dockerfile("ENV PIP_CONSTRAINT=/c.txt\nCOPY c.txt /\nRUN pip install setuptools", "c.txt", "setuptools>=83.0.0\n"),
		"F110": dockerfile("RUN conda install setuptools=70\nRUN apt-get install python3-setuptools"),
	}
}

// lockedUv is one package of a uv.lock.
func lockedUv(version, marker string) string {
	return "[[package]]\nname = \"setuptools\"\nversion = \"" + version + "\"\nresolution-markers = [\"" + marker + "\"]\n" +
		"source = { registry = \"https://example.com/simple\" }\n"
}

// TestEdgeCases holds every row of the table to the answer that it states. Of a
// text that describes a situation, edges has the files.
func TestEdgeCases(t *testing.T) {
	t.Parallel()
	all, described := edgeCases(t), edges()
	if len(all) != 110 {
		t.Errorf("%d rows", len(all))
	}
	for _, tc := range all {
		e := described[tc.ID]
		delete(described, tc.ID)
		if e.files == nil {
			e.files = map[string]string{"requirements.txt": tc.Text + "\n"}
		}
		cfg := "{}"
		if e.records == nil {
			name, version, _ := strings.Cut(tc.Floor, " ")
			cfg = "floors: {" + name + ": {version: '" + version + "'}}"
			if e.name == "" {
				e.name = pep503.Normalize(name)
			}
		} else {
			e.name = "foo"
		}
		r := check(t, e.files, cfg, e.records...)
		if got := answerAbout(r, e.name); string(got) != tc.Verdict {
			t.Errorf("%s %s: %s; want %s\n%s", tc.ID, tc.Text, got, tc.Verdict, brief(r))
		}
	}
	for id := range described {
		t.Errorf("%s is in no table", id)
	}
}

// answerAbout is what a report says of a project: the worst answer to its
// requirements, constraints aside that are checked with another one. Where these
// pass, a note of their file, or that the file was read since another one names
// it, is the answer: there was more to look at. Where nothing is about the
// project, the row is about something else.
func answerAbout(r *floors.Report, name string) floors.Answer {
	var asked, rest floors.Answer
	files := map[string]bool{}
	for _, v := range r.Verdicts {
		if v.Requirement != nil && v.Requirement.Name == name && v.Answer != floors.NotApplicable {
			asked = worse(asked, v.Answer)
			files[v.File] = true
		}
	}
	for _, v := range r.Verdicts {
		if v.Requirement == nil && v.Rule != "FloorDatabase" && (asked == "" && v.Answer != floors.Look || files[v.File]) {
			rest = worse(rest, v.Answer)
		}
	}
	switch {
	case asked == floors.Pass && rest == floors.Unprovable:
		return floors.Look
	case asked == floors.Pass || asked == "":
		asked = worse(asked, rest)
	}
	if asked == "" {
		return floors.NotApplicable
	}
	return asked
}

func worse(a, b floors.Answer) floors.Answer {
	if slices.Index(floors.Answers(), b) > slices.Index(floors.Answers(), a) {
		return b
	}
	return a
}
