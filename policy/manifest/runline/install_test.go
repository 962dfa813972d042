package runline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
	"github.com/loopx/loopx-frontend/rewrite"
)

// installs is one line for each install of the instructions below FROM: the
// tool and its arguments, each with its kind, its lines and what is odd about
// it.
func installs(t *testing.T, instructions string) string {
	t.Helper()
	src := "FROM x\nWORKDIR /w\n" + instructions + "\n"
	commands, err := rewrite.Commands([]byte(src), rewrite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range commands {
		res := runline.Read(c)
		if res.Unread != "" {
			out = append(out, "unread: "+res.Unread)
		}
		for _, i := range runline.Installs(res.Calls) {
			out = append(out, shown(src, i))
		}
	}
	return strings.Join(out, "\n")
}

func shown(src string, i runline.Install) string {
	if i.Foreign {
		return i.Tool + ": foreign"
	}
	kinds := []string{
		runline.Requirement: "", runline.File: "-r ", runline.Constraint: "-c ", runline.BuildConstraint: "-b ",
		runline.Override: "-o ", runline.Editable: "-e ", runline.Group: "--group ",
	}
	var words []string
	for _, a := range i.Arguments {
		var s strings.Builder
		s.WriteString(kinds[a.Kind] + a.String())
		if raw := src[a.Start:a.End]; raw != a.String() {
			fmt.Fprintf(&s, "<%s>", raw)
		}
		for _, v := range a.Vars {
			s.WriteString(" $" + v.Name)
			if v.Given {
				s.WriteString("?")
			}
		}
		if len(a.Unknown) > 0 {
			s.WriteString(" unknown " + strings.Join(a.Unknown, ","))
		}
		if a.Lost.Len() > 0 {
			s.WriteString(" lost " + a.Lost.String())
		}
		words = append(words, s.String())
	}
	out := i.Tool + ": " + strings.Join(words, "; ")
	if i.Pre {
		out += " (pre)"
	}
	var settings []string
	for name, v := range i.Call.Settings {
		settings = append(settings, name+"="+v.String())
	}
	slices.Sort(settings)
	if len(settings) > 0 {
		out += " with " + strings.Join(settings, " ")
	}
	if i.Call.Dir != "/w" {
		out += " in " + i.Call.Dir
	}
	return out
}

func TestInstalls(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		// F101 to F104
		{"RUN pip install setuptools>=83.0.0", "pip install: setuptools lost >=83.0.0"},
		{`RUN pip install "setuptools>=83.0.0,<84"`, `pip install: setuptools>=83.0.0,<84<"setuptools>=83.0.0,<84">`},
		{`RUN ["pip","install","setuptools>=83.0.0"]`, "pip install: setuptools>=83.0.0"},
		{"RUN pip install setuptools<84", "pip install: setuptools lost <84"},
		{"RUN pip install a>=1,<2 b<=3 'c>1' 2>/dev/null", "pip install: a lost >=1,<2; b lost <=3; c>1<'c>1'>"},
		{"RUN pip install a >=1", "pip install: a lost  >=1"},
		{"RUN pip install a >log", "pip install: a"},
		{"RUN pip install a>=$V", "pip install: a lost >=$V"},
		{"RUN pip install a\\>=1", "pip install: a>=1<a\\>=1>"},
		// F105: programs
		{"RUN pip3 install a==1", "pip install: a==1"},
		{"RUN pip3.12 install a==1", "pip install: a==1"},
		{"RUN python3 -m pip install a==1", "pip install: a==1"},
		{"RUN python -I -u -W error -m pip install a", "pip install: a"},
		{"RUN python3.12 -Im pip install a", "pip install: a"},
		{"RUN /venv/bin/pip install a", "pip install: a"},
		{"RUN /venv/bin/python -m pip --no-cache-dir install a", "pip install: a"},
		{"RUN uv pip install --system a", "uv pip install: a"},
		{"RUN uv --no-cache pip install a", "uv pip install: a"},
		{"RUN python -m uv pip install a", "uv pip install: a"},
		{"RUN uv pip sync requirements.txt", "uv pip sync: -r requirements.txt"},
		{"RUN uv add --group dev a", "uv add: a"},
		{"RUN uv tool install ruff@0.5.0 --with 'a>=1,<2,b' --with=c", "uv tool install: ruff@0.5.0; a>=1,<2; b; c"},
		{"RUN uvx --with a ruff==1 check b", "uvx: a; ruff==1"},
		{"RUN uvx --from httpie==3 http b", "uvx: httpie==3"},
		{"RUN uv tool run ruff check", "uv tool run: ruff"},
		{"RUN uv run --with a x.py b", "uv run: a"},
		{"RUN pipx install a==1 --preinstall b", "pipx install: a==1; b"},
		{"RUN pipx inject v a b", "pipx inject: a; b"},
		{"RUN pipx run --spec a==1 b c", "pipx run: a==1"},
		{"RUN pipx run a b", "pipx run: a"},
		{"RUN poetry add -G dev 'a@^1.0' b", "poetry add: a@^1.0<'a@^1.0'>; b"},
		{"RUN poetry self add a", "poetry self add: a"},
		{"RUN pdm add -dG test a -e ./b", "pdm add: a; -e ./b"},
		{"RUN pipenv install --deploy -r r.txt a", "pipenv install: -r r.txt; a"},
		{"RUN pip-sync r.txt", "pip-sync: -r r.txt"},
		{"RUN pip download -d x a", "pip download: a"},
		// F105: options
		{"RUN pip install --index-url https://e.com -t /x --prefix /y a", "pip install: a"},
		{"RUN pip install -qr r.txt -rs.txt --requirement=t.txt -c c.txt -e .", "pip install: -r r.txt; -r s.txt; -r t.txt; -c c.txt; -e ."},
		{"RUN pip install -U --no-cache-dir -- a", "pip install: a"},
		{"RUN pip install --pre a", "pip install: a (pre)"},
		{"RUN uv pip install --prerelease allow a --prerelease=never b", "uv pip install: a; b"},
		{"RUN pip install --group dev --build-constraint b.txt a", "pip install: --group dev; -b b.txt; a"},
		// F107
		{"RUN pip install --upgrade pip setuptools wheel", "pip install: pip; setuptools; wheel"},
		// F106
		{"ARG V=1\nRUN pip install a==${V}", "pip install: a==1<a==${V}> $V?"},
		{"ENV V=1\nRUN pip install \"a==$V\"", `pip install: a==1<"a==$V"> $V`},
		{"ARG V\nRUN pip install a==$V", "pip install: a==${V}<a==$V> unknown V"},
		{"RUN pip install a==${V:-1}", "pip install: a==1<a==${V:-1}>"},
		{"RUN pip install a==${V%.*}", "pip install: a==${V}<a==${V%.*}> unknown V"},
		{"RUN V=1 && pip install a==$V", "pip install: a==1<a==$V>"},
		{"RUN export V=1; pip install a==$V", "pip install: a==1<a==$V>"},
		{"ENV P=\"a==1 b\"\nRUN pip install $P c", "pip install: a==1 $P; b $P; c"},
		{"RUN if x; then V=1; else V=2; fi; pip install a==$V", "pip install: a==2<a==$V>\npip install: a==1<a==$V>"},
		{"RUN for p in a==1 b; do pip install $p; done", "pip install: a==1<$p>\npip install: b<$p>"},
		{"RUN pip install $(cat r.txt)", "pip install: ${$(…)}<$(cat r.txt)> unknown $(…)"},
		{"RUN [\"pip\",\"install\",\"a==$V\"]", "pip install: a==$V"},
		// F109
		{"ENV PIP_CONSTRAINT=/c.txt\nRUN pip install a", "pip install: a with PIP_CONSTRAINT=/c.txt"},
		{"RUN PIP_CONSTRAINT=/c.txt pip install a", "pip install: a with PIP_CONSTRAINT=/c.txt"},
		// F110
		{"RUN conda install setuptools=70", "conda: foreign"},
		{"RUN apt-get update && apt-get install -y python3-setuptools", "apt-get: foreign"},
		{"RUN apt-get install -y curl python3", ""},
		{"RUN apk add py3-pip", "apk: foreign"},
		// what starts it
		{"RUN sudo -H pip install a", "pip install: a"},
		{"RUN env A=b python -m pip install a", "pip install: a"},
		{"RUN retry 5 pip install a", "pip install: a"},
		{"RUN sh -ec 'pip install \"a>=1\"'", `pip install: a>=1<"a>=1">`},
		{"RUN [\"sh\",\"-c\",\"pip install a>=1\"]", "pip install: a lost >=1"},
		{"RUN bash -o pipefail -c \"pip install a | tee x\"", "pip install: a"},
		{"RUN if ! command -v x; then (cd /y && pip install a); fi; pip install b", "pip install: a in /y\npip install: b"},
		{"RUN <<E\npip install a>=1\nE", "pip install: a lost >=1"},
		{"RUN <<E\n#!/usr/bin/env bash\npip install a\nE", "pip install: a"},
		{"RUN bash <<E\npip install a\nE", "pip install: a"},
		{"RUN pip install \\\n  # why\n  a \\\n  b>=1 # not a comment's \\\n", "pip install: a; b lost >=1"},
		{"ONBUILD RUN pip install a", "pip install: a"},
		// no installs
		{"RUN echo pip install a; which pip; pip --version; pip list", ""},
		{"RUN python setup.py install", ""},
		{"RUN pip install", "pip install: "},
		{"RUN uv sync", ""},
		{"RUN uv pip compile r.in", ""},
		// not shell
		{"SHELL [\"powershell\",\"-Command\"]\nRUN pip install a", "unread: it is a command of powershell, which is not read"},
		{"RUN <<E\n#!/usr/bin/python3\nimport a\nE", "unread: it is a script of another program than a shell, which is not read"},
		{"RUN pip install 'a", "unread: it can't be read as shell: 1:13: reached EOF without closing quote `'`"},
	} {
		if diff := cmp.Diff(tc.want, installs(t, tc.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}

// TestBounds holds that a text that is too much ends, and is said to be.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"doubled":  "RUN A=aaaaaaaaaaaaaaaa" + strings.Repeat("; A=$A$A", 60) + "; pip install $A",
		"commands": "RUN " + strings.Repeat("a;", 5000) + "pip install b",
		"loops":    "RUN " + strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 8) + "x" + strings.Repeat("; done", 8),
		"nested":   "RUN <<E\n" + nested(12) + "E",
	} {
		if got := installs(t, text); !strings.Contains(got, "unread: ") {
			t.Errorf("%s: %.200s", name, got)
		}
	}
}

// nested is a command in n shells.
func nested(n int) string {
	s := "pip install a\n"
	for i := range n {
		s = fmt.Sprintf("bash <<H%d\n%sH%d\n", i, s, i)
	}
	return s
}
