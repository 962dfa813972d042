package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// validLines checks each line of a file, or of stdout, against the schema of
// --format jsonl, the last one against that of the summary: valid_lines FILE
func validLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid_lines FILE")
	}
	if err := validateLines(ts.ReadFile(args[0])); err != nil {
		ts.Fatalf("%v", err)
	}
}

func validateLines(text string) error {
	root, err := loadSchema()
	if err != nil {
		return err
	}
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		name := "file-line"
		if i == len(lines)-1 {
			name = "summary-line"
		}
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		if err := checker(root.Defs).check(root.Defs[name], v, "$"); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if len(lines) == 0 {
		return errors.New("there are no lines")
	}
	return nil
}

// TestInOrder holds that each index is done once and taken in order, while others
// are still done.
func TestInOrder(t *testing.T) {
	t.Parallel()
	const n = 5 * ahead
	done := make([]atomic.Int32, n)
	taken := 0
	err := inOrder(t.Context(), n, func(i int) error {
		done[i].Add(1)
		return nil
	}, func(i int) error {
		if i != taken || done[i].Load() != 1 {
			t.Errorf("%d is taken in place of %d, done %d times", i, taken, done[i].Load())
		}
		taken++
		return nil
	})
	if err != nil || taken != n {
		t.Errorf("%d taken, %v", taken, err)
	}
}

// TestInOrderEnds holds that the first error in order ends the run, that no call is
// left over, and that what is done ahead has a bound.
func TestInOrderEnds(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for name, fail := range map[string]struct{ do, took error }{"do": {do: bad}, "took": {took: bad}} {
		var started, running atomic.Int32
		err := inOrder(t.Context(), 10*ahead, func(i int) error {
			started.Add(1)
			running.Add(1)
			defer running.Add(-1)
			if i == 3 {
				return fail.do
			}
			return nil
		}, func(i int) error {
			if i == 3 {
				return fail.took
			}
			return nil
		})
		if !errors.Is(err, bad) || running.Load() != 0 || started.Load() > 2*ahead {
			t.Errorf("%s: %v, %d running, %d started", name, err, running.Load(), started.Load())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inOrder(ctx, 10*ahead, func(int) error { return nil }, nothing); err == nil || err.Error() != "stopped: context canceled" {
		t.Errorf("%v", err)
	}
	if err := inOrder(t.Context(), 0, nil, nil); err != nil {
		t.Error(err)
	}
}

// TestLinesWritten holds that a full disk ends a run of lines with one message.
func TestLinesWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFleet(t, dir, 20)
	var diag bytes.Buffer
	code := run(t.Context(), strings.NewReader(""), failing{}, &diag, []string{"check", "-r", "--format", "jsonl", dir}, nil)
	if want := "loopxctl: cannot write to standard output: no space left on device\n"; code != exitFailed || diag.String() != want {
		t.Errorf("exit code %d, %q", code, diag.String())
	}
}

// TestFleetFormats holds that a fleet exits alike in every format, that its lines
// are valid, and that two runs print the same.
func TestFleetFormats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFleet(t, dir, 100)
	for _, command := range []string{"check", "rewrite", "explain"} {
		want := exitBlocked
		if command == "explain" {
			want = exitClean
		}
		for _, format := range []string{"text", "json", jsonLines} {
			args := []string{command, "-r", "--format", format, dir}
			if command == "rewrite" {
				args = append(args, "--apt=refuse")
			}
			if command == "rewrite" && format == "text" {
				args = append(args, "--check")
			}
			code, out, diag := loopxctl(t, "", args...)
			_, again, _ := loopxctl(t, "", args...)
			if code != want || out != again {
				t.Errorf("%q: exit code %d, the same %v, %s", args, code, out == again, diag)
			}
			if format != jsonLines {
				continue
			}
			if err := validateLines(out); err != nil || strings.Count(out, "\n") != 101 {
				t.Errorf("%q: %d lines, %v", args, strings.Count(out, "\n"), err)
			}
		}
	}
}

// TestLinesAsDone holds that the first lines are there before the last file is
// read: it is a pipe that nobody has written to.
func TestLinesAsDone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFleet(t, dir, 3)
	read, write := io.Pipe()
	out, stdout := io.Pipe()
	defer out.Close()
	ended := make(chan int)
	go func() {
		args := []string{"check", "-r", "--format", "jsonl", dir, "-"}
		ended <- run(t.Context(), read, stdout, io.Discard, args, nil)
	}()
	lines := json.NewDecoder(out)
	for i := range 4 {
		if i == 3 {
			fmt.Fprint(write, "FROM scratch\n")
			write.Close()
		}
		var line struct{ File struct{ File string } }
		if err := lines.Decode(&line); err != nil || line.File.File == "" {
			t.Fatalf("%+v, %v", line, err)
		}
	}
	var last struct {
		Summary struct{ Files struct{ Total int } }
	}
	if err := lines.Decode(&last); err != nil || last.Summary.Files.Total != 4 {
		t.Errorf("%+v, %v", last, err)
	}
	if code := <-ended; code != exitBlocked {
		t.Errorf("exit code %d", code)
	}
}

// TestWaiversScript holds that sh reads the draft whatever is in the Dockerfiles
// and in their names, and that it runs nothing from there.
func TestWaiversScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"$(touch taken)", "'; touch taken; '", "`touch taken`", "a\nb\ntouch taken\n", "\x1b[31m", "ü", "-n"} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		text := "FROM a\nRUN curl -k 'https://x.example.com/$(touch taken)\\\n`touch taken`' \"\x1b[31m\"\nADD ftp://user:hunter2@ftp.example.com/a'$(touch taken) /\n"
		if err := os.WriteFile(filepath.Join(sub, "Dockerfile"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(t.TempDir(), "waivers.sh")
	code, out, diag := loopxctl(t, "", "audit", "--root", dir, "--write-waivers", script, dir)
	if code != exitClean {
		t.Fatalf("exit code %d, %s%s", code, out, diag)
	}
	text, err := os.ReadFile(script)
	if err != nil || bytes.Contains(text, []byte("hunter2")) || bytes.Contains(text, []byte("\x1b")) {
		t.Errorf("%v\n%s", err, text)
	}
	cmd := exec.CommandContext(t.Context(), "sh", script)
	cmd.Dir, cmd.Env = dir, []string{}
	told, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(told), " without a reason: not signed\n") {
		t.Errorf("%v, %q", err, told)
	}
	for _, at := range []string{dir, filepath.Dir(script)} {
		if _, err := os.Stat(filepath.Join(at, "taken")); err == nil {
			t.Errorf("the script ran what stands in a Dockerfile\n%s", text)
		}
	}
}
