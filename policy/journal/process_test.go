package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// process is a real one that records runs.
type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd, in, bufio.NewScanner(out)}
}

// ask has the process do what the word says, and returns its answer.
func (p *process) ask(t *testing.T, word string) string {
	t.Helper()
	fmt.Fprintln(p.in, word)
	if !p.out.Scan() || strings.HasPrefix(p.out.Text(), "error:") {
		t.Fatalf("%s: %q", word, p.out.Text())
	}
	return p.out.Text()
}

// TestKilled kills a process again and again while it records: every record that
// it told of is there, and none is half.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told []string
	for round := range 40 {
		p := start(t, dir)
		p.ask(t, "begin")
		// It records as fast as it can, and is killed somewhere after a few records.
		go func() {
			for range 1000 {
				if _, err := fmt.Fprintln(p.in, "append"); err != nil {
					return
				}
			}
		}()
		for n := 0; p.out.Scan() && len(p.out.Text()) == 26; n++ { // else the answer was cut off
			told = append(told, p.out.Text())
			if n == round%4 {
				_ = p.Process.Kill()
			}
		}
		_ = p.Wait() // it was killed
		log, err := Read(dir)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		there := map[string]bool{}
		for _, r := range log.Records {
			there[r.ID] = true
		}
		for _, id := range told {
			if !there[id] {
				t.Fatalf("round %d: the record %q is lost", round, id)
			}
		}
	}
	if len(told) < 40 {
		t.Errorf("only %d records were told of", len(told))
	}
	add(t, dir, record(time.Now()))
	if log, err := Read(dir); err != nil || log.Torn != 0 || len(log.Records) <= len(told) {
		t.Errorf("%d records, %d torn, %v", len(log.Records), log.Torn, err)
	}
}

// TestTwoProcesses: while one has the turn, another one is told so, or waits; and
// no record of either is lost.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := start(t, dir), start(t, dir)
	a.ask(t, "begin")
	_, err := Begin(t.Context(), dir, false)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, ErrTaken) || e.Error() != dir+": another run is going on" {
		t.Fatalf("%v", err)
	}
	waited := make(chan string, 1)
	go func() {
		fmt.Fprintln(b.in, "begin")
		b.out.Scan()
		waited <- b.out.Text()
	}()
	for range 20 {
		a.ask(t, "append")
	}
	select {
	case text := <-waited:
		t.Fatalf("both have the turn: %q", text)
	default:
	}
	a.ask(t, "end")
	if text := <-waited; text != "begin" {
		t.Fatalf("%q", text)
	}
	for range 20 {
		b.ask(t, "append")
	}
	if err := b.Process.Kill(); err != nil { // a turn ends with its process
		t.Fatal(err)
	}
	_ = b.Wait()
	add(t, dir, record(time.Now()))
	log, err := Read(dir)
	if err != nil || len(log.Records) != 41 {
		t.Errorf("%d records, %v", len(log.Records), err)
	}
	a.in.Close()
	if err := a.Wait(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v in %s, %v", entries, filepath.Base(dir), err)
	}
}
