package manifest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest"
)

// TestEdgeCases holds what the edge cases about files and RUN lines need of the
// reader. Ids are those of the project's table of edge cases: requirements come
// as "scope name admits", what is read of the rest as notes and errors.
func TestEdgeCases(t *testing.T) {
	t.Parallel()
	const build = "[build-system]\nrequires = []\n"
	for _, tc := range []struct {
		id, file, text string
		more           map[string]string
		want           []string
	}{
		{id: "F67", file: "pyproject.toml", text: "[project]\nname = \"a\"\n", want: []string{"note policy"}},
		{
			id: "F68", file: "pyproject.toml", text: "[build-system]\nrequires = [\"setuptools>=83.0.0\", \"setuptools<90\"]\n",
			want: []string{"build setuptools >=83.0.0", "build setuptools <90", "one set"},
		},
		{
			id: "F69", file: "pyproject.toml",
			text: build + "[project]\ndependencies = [\"setuptools>=70\"]\n[tool.uv]\nconstraint-dependencies = [\"setuptools>=83.0.0\"]\n",
			want: []string{"runtime setuptools >=70", "constraints setuptools >=83.0.0", "2 sets"},
		},
		{
			id: "F70", file: "pyproject.toml",
			text: build + "[project]\ndynamic = [\"dependencies\"]\n[tool.setuptools.dynamic]\ndependencies = {file = [\"r.txt\"]}\n",
			more: map[string]string{"r.txt": "setuptools>=70\n"},
			want: []string{"runtime setuptools >=70"},
		},
		{id: "F71", file: "pyproject.toml", text: build + "[project]\ndynamic = [\"dependencies\"]\n", want: []string{"note unprovable"}},
		{
			id: "F72", file: "pyproject.toml", text: build + "[project]\ndynamic = [\"dependencies\"]\ndependencies = [\"setuptools\"]\n",
			want: []string{"runtime setuptools *", "note unprovable"},
		},
		{
			id: "F73", file: "pyproject.toml", text: build + "[dependency-groups]\ndev = [{include-group = \"test\"}]\ntest = [\"setuptools\"]\n",
			want: []string{"groups setuptools * of test,dev"},
		},
		{
			id: "F74", file: "pyproject.toml", text: build + "[dependency-groups]\na = [{include-group = \"b\"}]\nb = [{include-group = \"a\"}]\nc = [{include-group = \"d\"}]\n",
			want: []string{"error 5:6", "error 6:6"},
		},
		{id: "F75", file: "pyproject.toml", text: build + "[dependency-groups]\ndev = []\nDev = []\n", want: []string{"error 5:1"}},
		{id: "F76", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \"^70.1\"\n", want: []string{"runtime setuptools >=70.1,<71.0"}},
		{id: "F77", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \"^0.2.3\"\n", want: []string{"runtime setuptools >=0.2.3,<0.3.0"}},
		{id: "F78", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \"~83.0\"\n", want: []string{"runtime setuptools >=83.0,<83.1"}},
		{id: "F79", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \"83.0.0\"\n", want: []string{"runtime setuptools ==83.0.0"}},
		{id: "F80", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \"*\"\n", want: []string{"runtime setuptools *"}},
		{id: "F81", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = \">=70 || ^84\"\n", want: []string{"runtime setuptools >=70 or >=84,<85"}},
		{
			id: "F82", file: "pyproject.toml",
			text: build + "[tool.poetry.dependencies]\nsetuptools = [{version = \"<=80\", python = \"<3.9\"}, {version = \">=83\", python = \">=3.9\"}]\n",
			want: []string{"runtime setuptools <=80 if python_full_version < \"3.9\"", "runtime setuptools >=83 if python_full_version >= \"3.9\"", "2 sets"},
		},
		{
			id: "F83", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\nsetuptools = {path = \"../setuptools\", develop = true}\n",
			want: []string{"runtime setuptools - local"},
		},
		{id: "F84", file: "pyproject.toml", text: build + "[tool.poetry.dependencies]\npython = \"^3.9\"\n", want: []string{"python ^3.9"}},
		{
			id: "F85", file: "pyproject.toml", text: build + "[project]\ndependencies = [\"setuptools>=70\"]\n[tool.uv.sources]\nsetuptools = {workspace = true}\n",
			want: []string{"runtime setuptools >=70 local"},
		},
		{id: "F86", file: "pyproject.toml", text: build + "[project]\ndependencies = [\"mycompany-lib>=1\"]\n", want: []string{"runtime mycompany-lib >=1"}},
		{id: "F87", file: "setup.cfg", text: "[options]\ninstall_requires =\n    setuptools>=70\n", want: []string{"runtime setuptools >=70"}},
		{
			id: "F87 file", file: "setup.cfg", text: "[options]\ninstall_requires = file: r.txt\n", more: map[string]string{"r.txt": "setuptools>=70\n"},
			want: []string{"runtime setuptools >=70"},
		},
		{id: "F88", file: "setup.py", text: "from setuptools import setup\nsetup(install_requires=[\"setuptools>=70\"])\n", want: []string{"runtime setuptools >=70"}},
		{id: "F88 not literal", file: "setup.py", text: "from setuptools import setup\nsetup(install_requires=open('x').read())\n", want: []string{"note unprovable"}},
		{
			id: "F89", file: "requirements.txt", text: "setuptools\n-c constraints.txt\n", more: map[string]string{"constraints.txt": "setuptools>=83.0.0\n"},
			want: []string{"requirements setuptools *", "constraints setuptools >=83.0.0", "one set"},
		},
		{
			id: "F90", file: "requirements.txt", text: "-c constraints.txt\n", more: map[string]string{"constraints.txt": "setuptools>=70\n"},
			want: []string{"constraints setuptools >=70"},
		},
		{
			id: "F91", file: "constraints.txt", text: "-r base.txt\n", more: map[string]string{"base.txt": "setuptools\n"},
			want: []string{"requirements setuptools *"},
		},
		{
			id: "F92", file: "requirements.txt", text: "setuptools==82.0.1 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\n",
			want: []string{"requirements setuptools ==82.0.1 hashed fixed at 1:1"},
		},
		{
			id: "F93", file: "requirements.txt", text: "setuptools==82.0.1 # comment \\\nfoo\n",
			want: []string{"requirements setuptools ==82.0.1", "note check"},
		},
		{id: "F94", file: "requirements.txt", text: "setuptools==${VER}\n", want: []string{"requirements setuptools - unprovable"}},
		{
			id: "F95", file: "requirements.txt", text: "-e .[dev]\n./pkg\n../x\n",
			want: []string{"requirements  - local", "requirements  - local", "requirements  - local", "one set"},
		},
		{id: "F96", file: "requirements.txt", text: "setuptools==83.*\n--pre\n", want: []string{"requirements setuptools ==83.* pre"}},
		{
			id: "F97", file: "uv.lock", text: "[[package]]\nname = \"setuptools\"\nversion = \"82.0.1\"\n[[package]]\nname = \"setuptools\"\nversion = \"83.0.0\"\n",
			want: []string{"locks setuptools ==82.0.1", "locks setuptools ==83.0.0", "2 sets"},
		},
		{
			id: "F98", file: "poetry.lock", text: "[[package]]\nname = \"setuptools\"\n[package.source]\ntype = \"git\"\nurl = \"u\"\n",
			want: []string{"locks setuptools - unprovable"},
		},
		{id: "F98 pdm", file: "pdm.lock", text: "[[package]]\nname = \"setuptools\"\ngit = \"u\"\n", want: []string{"locks setuptools - unprovable"}},
		{
			id: "F98 pylock", file: "pylock.toml", text: "[[packages]]\nname = \"setuptools\"\nvcs = {type = \"git\", url = \"u\", commit-id = \"c\"}\n",
			want: []string{"locks setuptools - unprovable"},
		},
		{id: "F99", file: "Pipfile.lock", text: `{"default": {"setuptools": {"version": "==82.0.1"}}}`, want: []string{"locks setuptools ==82.0.1 of default"}},
		{id: "F101", file: "Dockerfile", text: "FROM x\nRUN pip install setuptools>=83.0.0\n", want: []string{"dockerfile setuptools * lost >=83.0.0"}},
		{id: "F102", file: "Dockerfile", text: "FROM x\nRUN pip install \"setuptools>=83.0.0,<84\"\n", want: []string{"dockerfile setuptools >=83.0.0,<84"}},
		{id: "F103", file: "Dockerfile", text: "FROM x\nRUN [\"pip\",\"install\",\"setuptools>=83.0.0\"]\n", want: []string{"dockerfile setuptools >=83.0.0"}},
		{id: "F104", file: "Dockerfile", text: "FROM x\nRUN pip install setuptools<84\n", want: []string{"dockerfile setuptools * lost <84"}},
		{
			id: "F105", file: "Dockerfile",
			text: "FROM x\nRUN pip3 install -t X setuptools==1\nRUN python3 -m pip install --prefix X setuptools==2\nRUN /venv/bin/pip install setuptools==3\n" +
				"RUN uv pip install --index-url X setuptools==4\nRUN pipx install setuptools==5\n",
			want: []string{"dockerfile setuptools ==1", "dockerfile setuptools ==2", "dockerfile setuptools ==3", "dockerfile setuptools ==4", "dockerfile setuptools ==5", "5 sets"},
		},
		{
			id: "F106", file: "Dockerfile", text: "FROM x\nARG V=82.0.1\nRUN pip install setuptools==${V}\n",
			want: []string{"dockerfile setuptools ==82.0.1 fixed at 3:17", "note check"},
		},
		{id: "F106 no default", file: "Dockerfile", text: "FROM x\nARG V\nRUN pip install setuptools==${V}\n", want: []string{"dockerfile setuptools - unprovable"}},
		{
			id: "F107", file: "Dockerfile", text: "FROM x\nRUN pip install --upgrade pip setuptools wheel\n",
			want: []string{"dockerfile pip *", "dockerfile setuptools *", "dockerfile wheel *", "one set"},
		},
		{
			id: "F108", file: "Dockerfile", text: "FROM x\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
			more: map[string]string{"requirements.txt": "setuptools\n"},
			want: []string{"dockerfile setuptools *"},
		},
		{id: "F108 not copied", file: "Dockerfile", text: "FROM x\nRUN pip install -r requirements.txt\n", want: []string{"note unprovable"}},
		{
			id: "F109", file: "Dockerfile", text: "FROM x\nENV PIP_CONSTRAINT=/c.txt\nCOPY c.txt /\nRUN pip install setuptools\n",
			more: map[string]string{"c.txt": "setuptools>=83.0.0\n"},
			want: []string{"dockerfile setuptools *", "constraints setuptools >=83.0.0", "one set", "note policy"},
		},
		{
			id: "F110", file: "Dockerfile", text: "FROM x\nRUN conda install setuptools=70\nRUN apt-get install python3-setuptools\n",
			want: []string{"note not-applicable", "note not-applicable"},
		},
	} {
		fsys := fstest.MapFS{tc.file: &fstest.MapFile{Data: []byte(tc.text)}}
		for name, text := range tc.more {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		got := manifest.Read(fsys, tc.file, manifest.Options{})
		checkPlaces(t, fsys, got)
		if diff := cmp.Diff(tc.want, brief(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.id, diff)
		}
	}
}

// brief is a reading in a few words a line.
func brief(r manifest.Reading) []string {
	var out, sets []string
	for _, q := range r.Requirements {
		var s strings.Builder
		s.WriteString(fmt.Sprintf("%s %s %s", q.Scope, q.Name, admits(q)))
		if q.Marker != nil {
			s.WriteString(" if " + q.Marker.String())
		}
		if len(q.Groups) > 0 {
			s.WriteString(" of " + strings.Join(q.Groups, ","))
		}
		for _, more := range []struct {
			is   bool
			word string
		}{
			{q.Local(), "local"},
			{q.Pre, "pre"},
			{q.Hashed, "hashed"},
			{q.Unprovable != "", "unprovable"},
			{q.Lost.Text != "", "lost " + q.Lost.Text},
			{q.Fixed != "" && q.Unprovable == "" && q.Scope != manifest.Locks && !q.Local(), fmt.Sprintf("fixed at %d:%d", q.Span.Start.Line, q.Span.Start.Column)},
		} {
			if more.is {
				s.WriteString(" " + more.word)
			}
		}
		out = append(out, s.String())
		if !slices.Contains(sets, q.Sets[0]) {
			sets = append(sets, q.Sets[0])
		}
	}
	if len(r.Requirements) > 1 && len(sets) == 1 {
		out = append(out, "one set")
	} else if len(sets) > 1 {
		out = append(out, fmt.Sprintf("%d sets", len(sets)))
	}
	for _, p := range r.Python {
		out = append(out, "python "+p.Text)
	}
	for _, n := range r.Notes {
		out = append(out, "note "+string(n.Answer))
	}
	for _, e := range r.Errors {
		out = append(out, fmt.Sprintf("error %d:%d", e.At.Line, e.At.Column))
	}
	return out
}
