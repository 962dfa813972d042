package rewrite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed is one line for each command: its stage and place, its argv, what is
// set, where it runs.
func listed(t *testing.T, text string, cfg Config) string {
	t.Helper()
	list, err := Commands([]byte(text), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s:%d", c.Stage, c.Range.Start.Line)
		if c.Shell {
			b.WriteString(" shell")
		}
		for _, a := range c.Args {
			fmt.Fprintf(&b, " %q", a.String())
			if i, j, ok := a.Range(0, a.Len()); ok {
				fmt.Fprintf(&b, "@%d-%d", i, j)
			}
		}
		if c.Script.Len() > 0 {
			fmt.Fprintf(&b, " script %q", c.Script.String())
		}
		for _, v := range c.Env {
			fmt.Fprintf(&b, " %s=%s", v.Name, v.Value.String())
			if c.Given[v.Name] {
				b.WriteString("?")
			}
		}
		if c.Dir != BaseDir {
			fmt.Fprintf(&b, " in %s", c.Dir)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"shell and exec form", "FROM x\nRUN a b\nRUN [\"a\",\"b\"]\n", `0:2 shell "/bin/sh" "-c" "a b"@11-14` + "\n" + `0:3 "a"@21-22 "b"@25-26` + "\n"},
		{
			"a command on two lines", "FROM x AS s\nRUN a \\\n  # no\n  b\n", `s:2 shell "/bin/sh" "-c" "a   b"@16-30` + "\n",
		},
		{
			"ARG and ENV", "ARG G=1\nFROM x\nARG G\nARG A=2\nARG N\nENV E=$A\nRUN a\n",
			`0:7 shell "/bin/sh" "-c" "a"@48-49 G=1? A=2? E=2` + "\n",
		},
		{
			"a stage that continues another", "FROM x AS b\nARG A=1\nENV E=2\nWORKDIR /w\nFROM b\nWORKDIR v\nRUN a\n",
			`1:7 shell "/bin/sh" "-c" "a"@60-61 A=1? E=2 in /w/v` + "\n",
		},
		{"SHELL", "FROM x\nSHELL [\"bash\",\"-ec\"]\nRUN a\n", `0:3 shell "bash" "-ec" "a"@32-33` + "\n"},
		{"ONBUILD", "FROM x\nONBUILD RUN a\nENV E=1\n", `0:2 shell "/bin/sh" "-c" "a"@19-20 E=1` + "\n"},
		{"a heredoc", "FROM x\nRUN <<E\na\nb\nE\n", `0:2 shell "/bin/sh" "-c" "a\nb\n"@15-19` + "\n"},
		{"a script", "FROM x\nRUN <<E\n#!/bin/bash\na\nE\n", `0:2 shell "/bin/sh" "-c" "/dev/pipes/E" script "#!/bin/bash\na\n"` + "\n"},
	} {
		if diff := cmp.Diff(tc.want, listed(t, tc.text, Config{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestCommandsTakeBuildArgs(t *testing.T) {
	t.Parallel()
	got := listed(t, "FROM x\nARG A=1\nRUN a\n", Config{BuildArgs: map[string]string{"A": "2"}})
	if want := `0:3 shell "/bin/sh" "-c" "a"@19-20 A=2?` + "\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCommandsFailAsBuildKit(t *testing.T) {
	t.Parallel()
	_, err := Commands([]byte("FROM x\nRUNN a\n"), Config{})
	if _, ok := err.(*ParseError); !ok {
		t.Errorf("the error is %#v", err)
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ instructions, name, want string }{
		{"FROM y\nCOPY r.txt .", "/?/r.txt", "r.txt r.txt/r.txt"},
		{"FROM y AS b\nWORKDIR s\nCOPY r.txt x\nFROM b", "/?/s/x", "r.txt"},
		{"COPY requirements.txt .", "/w/requirements.txt", "requirements.txt requirements.txt/requirements.txt"},
		{"COPY requirements.txt /tmp/r.txt", "/tmp/r.txt", "requirements.txt"},
		{"COPY . .", "/w/a/b.txt", "a/b.txt"},
		{"COPY src /app", "/app/b.txt", "src/b.txt"},
		{"COPY *.txt /app/", "/app/b.txt", "b.txt"},
		{"COPY *.txt /app/", "/app/b.cfg", ""},
		{"COPY r/*.txt /app/", "/app/b.txt", "r/b.txt"},
		{"COPY ../../etc/passwd /app", "/app", "etc/passwd"},
		{"COPY a /w/x\nCOPY b /w/x", "/w/x", "b a"},
		{"COPY --from=b /x /w/x", "/w/x", "x (b)"},
		{"COPY --parents a/b.txt /w/", "/w/a/b.txt", "a/b.txt"},
		{"ADD https://example.org/r.txt /w/", "/w/r.txt", "https:/example.org/r.txt (a URL) https:/example.org/r.txt/r.txt (a URL)"},
		{"COPY <<E /w/r.txt\na\nE", "/w/r.txt", "E (a heredoc of the Dockerfile)"},
		{"ARG D=/d\nCOPY r.txt $D/", "/d/r.txt", "r.txt r.txt/r.txt"},
		{"COPY r.txt $UNKNOWN/", "/d/r.txt", ""},
		{"RUN --mount=type=bind,source=r.txt,target=r.txt true", "/w/r.txt", ""}, // over with its RUN
	} {
		list, err := Commands([]byte("FROM x\nWORKDIR /w\n"+tc.instructions+"\nRUN a\n"), Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range list[len(list)-1].Sources(tc.name) {
			s := p.From
			if p.Elsewhere != "" {
				s += " (" + p.Elsewhere + ")"
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.instructions, diff)
		}
	}
}

func TestBindMounts(t *testing.T) {
	t.Parallel()
	list, err := Commands([]byte("FROM x\nARG S=r.txt\nRUN --mount=source=$S,target=/t/r.txt --mount=type=cache,target=/c a\nRUN b\n"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Placed{{From: "r.txt", To: "/t/r.txt"}}
	if diff := cmp.Diff(want, list[0].Files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(list[1].Files) > 0 {
		t.Errorf("the mount is there in the next RUN: %v", list[1].Files)
	}
}
