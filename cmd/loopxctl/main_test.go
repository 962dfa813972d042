package main

import (
	"bytes"
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"loopxctl": main})
}

// TestScript runs the real command. Each file of testdata/script is one page:
// what is typed, what goes in and what comes out.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":        code,
			"valid":       valid,
			"valid_lines": validLines,
		},
	})
}

// code runs a command and wants this exit code: code N COMMAND [ARG]...
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// valid checks a JSON file, or stdout, against the schema: valid FILE
func valid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid FILE")
	}
	if err := validate([]byte(ts.ReadFile(args[0]))); err != nil {
		ts.Fatalf("%v", err)
	}
}

// loopxctl runs the command in this process.
func loopxctl(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, diag bytes.Buffer
	code = run(t.Context(), strings.NewReader(stdin), &out, &diag, args, nil)
	return code, out.String(), diag.String()
}

// TestBytes holds that every byte which is not part of an address goes through:
// line endings, a byte order mark, blanks at a line's end, bytes that are not
// UTF-8, a missing last newline.
func TestBytes(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"FROM a\r\nRUN curl http://example.com/\r\n", "FROM a\r\nRUN curl https://example.com/\r\n"},
		{"\ufeffFROM a\nRUN curl http://example.com/", "\ufeffFROM a\nRUN curl https://example.com/"},
		{"FROM a \t\n\nRUN\tcurl  http://example.com/  \n", "FROM a \t\n\nRUN\tcurl  https://example.com/  \n"},
		{"FROM a\n# \x1b[31m \xff\nRUN curl http://example.com/\n", "FROM a\n# \x1b[31m \xff\nRUN curl https://example.com/\n"},
		{"FROM a\nRUN curl http://user:word@example.com/\n", "FROM a\nRUN curl https://user:word@example.com/\n"},
		{"FROM a\n", "FROM a\n"},
	} {
		code, out, diag := loopxctl(t, tc.in, "rewrite", "-")
		if code != exitClean || out != tc.want || diag != "" {
			t.Errorf("%q: exit code %d, %q, want %q; stderr %q", tc.in, code, out, tc.want, diag)
		}
		if code, again, _ := loopxctl(t, out, "rewrite", "-"); code != exitClean || again != out {
			t.Errorf("%q: the output is rewritten again, to %q", tc.in, again)
		}
	}
}

// failing is a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestUnwritableStdout(t *testing.T) {
	for _, args := range [][]string{
		{"rewrite", "-"},
		{"rewrite", "-", "--format", "json"},
		{"explain", "-"},
		{"hosts"},
		{"--help"},
	} {
		var diag bytes.Buffer
		code := run(t.Context(), strings.NewReader("FROM a\n"), failing{}, &diag, args, nil)
		want := "loopxctl: cannot write to standard output: no space left on device\n"
		if code != exitFailed || diag.String() != want {
			t.Errorf("%q: exit code %d, stderr %q", args, code, diag.String())
		}
	}
}

// FuzzRun holds that no input makes the command panic, and that all formats
// exit alike.
func FuzzRun(f *testing.F) {
	f.Add("FROM a\nRUN curl http://example.com/x\nADD ftp://example.com/y /\n")
	f.Add("FROM a\nRUN <<E\napt-get update\nE\n")
	f.Add("\x00\xff")
	f.Fuzz(func(t *testing.T, src string) {
		image := "--frontend-image=loopx@sha256:" + strings.Repeat("0", 64)
		text, _, _ := loopxctl(t, src, "rewrite", image, "-")
		diff, _, _ := loopxctl(t, src, "rewrite", image, "--diff", "-")
		data, out, _ := loopxctl(t, src, "rewrite", image, "--format=json", "-")
		if text != diff || text != data {
			t.Errorf("%q: exit codes text %d, diff %d, json %d", src, text, diff, data)
		}
		if err := validate([]byte(out)); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	})
}
