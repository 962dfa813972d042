package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/journal"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// TestPresetPages holds that some script types each flag with one of the commands
// that share it, and that the help of each command has examples of it.
func TestPresetPages(t *testing.T) {
	t.Parallel()
	lines := typedLines(t, "testdata/script/*.txtar")
	// Those of run that other commands have are typed there.
	others := map[string]bool{}
	for _, add := range []func(*cobra.Command){newAcceptanceFlags, newScanFlagsOnly} {
		cmd := &cobra.Command{}
		add(cmd)
		cmd.Flags().VisitAll(func(f *pflag.Flag) { others[f.Name] = true })
	}
	for _, cmd := range newPreset(&program{env: lookup(nil)}).Commands() {
		typed := "loopxctl " + cmd.CommandPath()
		if !strings.Contains(cmd.Example, typed) || cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s: no example, or no help", typed)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if cmd.Name() == "run" && others[f.Name] {
				return
			}
			for _, line := range lines {
				if strings.Contains(line, typed+" ") && strings.Contains(line, "--"+f.Name) {
					return
				}
			}
			t.Errorf("no script types %s --%s", typed, f.Name)
		})
	}
}

func newAcceptanceFlags(cmd *cobra.Command) {
	a := newAcceptance(&program{env: lookup(nil)})
	a.declare(cmd)
}

func newScanFlagsOnly(cmd *cobra.Command) {
	var s scanFlags
	s.operator.declare(cmd)
	s.declareWalk(cmd)
	s.floors.declareDatabase(cmd)
	cmd.Flags().String("color", "", "")
}

// project is a folder with a Dockerfile that blocks nothing.
func project(t *testing.T, policy string) string {
	t.Helper()
	dir := t.TempDir()
	writeTemp(t, filepath.Join(dir, "Dockerfile"), "FROM debian\nRUN apt-get update\n")
	writeTemp(t, filepath.Join(dir, config.File), policy)
	return dir
}

// process is the command as a process of its own: this program, which is the command
// when it is called by its name.
func process(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Args[0], cmd.Env = "loopxctl", []string{"HOME=/nowhere"}
	return cmd
}

const onlyDockerfiles = "presets: {security: {checks: [dockerfile]}}\n"

// TestPresetRunTurn: while a run goes on, another one says so, or waits.
func TestPresetRunTurn(t *testing.T) {
	t.Parallel()
	dir, state := project(t, onlyDockerfiles), t.TempDir()
	turn, err := journal.Begin(t.Context(), state, false)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"preset", "run", "security", "--root", dir, "--state", state}
	code, _, diag := loopxctl(t, "", args...)
	if want := "loopxctl: " + state + ": another run is going on\nWait for it with --wait.\n"; code != exitFailed || diag != want {
		t.Fatalf("exit code %d, %q, want %q", code, diag, want)
	}
	cmd := process(t.Context(), append(args, "--wait")...)
	diagnostics, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const waits = "loopxctl: another run is going on: waiting for it\n"
	told := make([]byte, len(waits))
	if _, err := diagnostics.Read(told); err != nil || string(told) != waits {
		t.Fatalf("%q, %v", told, err)
	}
	if log, err := journal.Read(state); err != nil || len(log.Records) != 0 {
		t.Fatalf("%+v, %v", log, err)
	}
	if err := turn.End(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if log, err := journal.Read(state); err != nil || len(log.Records) != 1 {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestPresetRunsAtOnce starts real processes for one period: each of them ends
// well, and the period is run once.
func TestPresetRunsAtOnce(t *testing.T) {
	t.Parallel()
	dir, state := project(t, onlyDockerfiles), t.TempDir()
	var all []*exec.Cmd
	for range 6 {
		cmd := process(t.Context(), "preset", "run", "security", "--if-due", "--wait", "--root", dir, "--state", state)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if log, err := journal.Read(state); err != nil || len(log.Records) != 1 || log.Records[0].Decision != journal.Passed {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestPresetRunKilled kills real runs at many points: every run that came to its
// end is recorded, no record is half, and none is lost.
func TestPresetRunKilled(t *testing.T) {
	t.Parallel()
	dir, state := project(t, onlyDockerfiles), t.TempDir()
	for i := range 20 {
		writeTemp(t, filepath.Join(dir, "services", string(rune('a'+i)), "Dockerfile"), "FROM debian\n"+strings.Repeat("RUN apt-get update\n", 50))
	}
	run := func(life time.Duration) (ended bool) {
		ctx, cancel := context.WithTimeout(t.Context(), life) // which kills it
		defer cancel()
		cmd := process(ctx, "preset", "run", "security", "--root", dir, "--state", state)
		return cmd.Run() == nil
	}
	begin := time.Now()
	if !run(time.Minute) {
		t.Fatal("the preset does not pass")
	}
	whole := time.Since(begin)
	least, killed := 1, 0
	for i := range 16 {
		if run(max(time.Millisecond, whole*time.Duration(i)/13)) { // the first never gets far
			least++
		} else {
			killed++
		}
		log, err := journal.Read(state)
		if err != nil || len(log.Records) < least || log.Torn != 0 {
			t.Fatalf("round %d: %d records of %d runs, %d torn, %v", i, len(log.Records), least, log.Torn, err)
		}
		least = len(log.Records) // one may be killed after it was recorded
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
	if !run(time.Minute) {
		t.Error("after runs that were killed, none goes")
	}
}

// TestPresetNotice: a notice is evaluated by the command for it, and the verdict is
// recorded, without what it is about.
func TestPresetNotice(t *testing.T) {
	t.Parallel()
	dir, state := project(t, "database: {source: none}\n"), t.TempDir()
	writeTemp(t, filepath.Join(dir, "requirements.txt"), "setuptools>=70\n")
	record := func(name, fixed string) string {
		return writeTemp(t, filepath.Join(dir, name), `{"id":"`+fixed+`","modified":"2026-11-29T00:00:00Z","affected":[{"package":{"ecosystem":"PyPI","name":"setuptools"},"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"0"},{"fixed":"`+fixed+`"}]}]}]}`)
	}
	for _, tc := range []struct {
		file string
		code int
		want journal.Decision
	}{
		{record("affected.json", "83.0.0"), exitBlocked, journal.Blocked},
		{record("clean.json", "60.0.0"), exitClean, journal.Passed},
	} {
		var out, diag bytes.Buffer
		args := []string{"preset", "run", "security", "--trigger", "notice", "--notice", tc.file, "--root", dir, "--state", state, "--format", "json"}
		code := run(t.Context(), strings.NewReader(""), &out, &diag, args, []string{"HOME=" + t.TempDir()})
		log, err := journal.Read(state)
		if err != nil {
			t.Fatal(err)
		}
		if len(log.Records) == 0 {
			t.Fatalf("%s: exit code %d, nothing is recorded\n%s", tc.file, code, diag.String())
		}
		r := log.Records[len(log.Records)-1]
		if code != tc.code || r.Decision != tc.want || r.Trigger != string(preset.Notice) || r.Period != nil || r.Report != sum(out.Bytes()) {
			t.Errorf("%s: exit code %d, %+v\n%s%s", tc.file, code, r, out.String(), diag.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(state, "journal.jsonl"))
	if err != nil || bytes.Contains(text, []byte("setuptools")) {
		t.Errorf("the journal tells of a finding: %s, %v", text, err)
	}
}

// TestPresetCommit holds that a record names the commit that was checked.
func TestPresetCommit(t *testing.T) {
	t.Parallel()
	dir, state := project(t, onlyDockerfiles), t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			exit, _ := errors.AsType[*exec.ExitError](err)
			t.Fatalf("git %q: %v %s", args, err, exit.Stderr)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "a")
	for _, dirty := range []bool{false, true} {
		if dirty {
			writeTemp(t, filepath.Join(dir, "Dockerfile"), "FROM debian:12\n")
		}
		var out, diag bytes.Buffer
		code := run(t.Context(), strings.NewReader(""), &out, &diag, []string{"preset", "run", "security", "--root", dir, "--state", state}, os.Environ())
		log, err := journal.Read(state)
		if err != nil || code != exitClean {
			t.Fatal(code, err, diag.String())
		}
		if r := log.Records[len(log.Records)-1]; r.Commit != git("rev-parse", "HEAD") || r.Dirty != dirty {
			t.Errorf("%+v, want dirty %v", r, dirty)
		}
	}
}

// TestPresetImages: images are verified as the release gate does; one that can't be
// read is no pass.
func TestPresetImages(t *testing.T) {
	t.Parallel()
	dir := project(t, "presets: {security: {checks: [image], images: [out/layout]}}\n")
	args := []string{"preset", "run", "security", "--root", dir, "--state", t.TempDir(), "--progress", "plain"}
	code, out, diag := loopxctl(t, "", args...)
	if code != exitFailed || !strings.Contains(out, "image  failed ") || !strings.Contains(diag, "security: 1 of 1: image (") || !strings.Contains(diag, "loopxctl: out/layout: ") {
		t.Errorf("exit code %d\n%s%s", code, out, diag)
	}
	index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: empty.Image})
	if _, err := layout.Write(filepath.Join(dir, "out", "layout"), index); err != nil {
		t.Fatal(err)
	}
	code, out, diag = loopxctl(t, "", args...)
	if code != exitBlocked || !strings.Contains(out, " [image.provenance ") || !strings.Contains(out, "image  blocked  blockers 1, files 1\n") {
		t.Errorf("exit code %d\n%s%s", code, out, diag)
	}
}

// TestPresetRelease: the trigger release is the gate, which records its verdict.
func TestPresetRelease(t *testing.T) {
	t.Parallel()
	dir, state := project(t, "database: {source: none}\n"), t.TempDir()
	args := []string{"preset", "run", "security", "--trigger", "release", "--root", dir, "--state", state, "--format", "json"}
	code, out, diag := loopxctl(t, "", args...)
	log, err := journal.Read(state)
	if err != nil || code != exitBlocked || !strings.Contains(out, `"command": "release-gate"`) {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, diag)
	}
	if len(log.Records) != 1 || log.Records[0].Trigger != string(preset.Release) || log.Records[0].Decision != journal.Blocked {
		t.Errorf("%+v", log.Records)
	}
	code, _, diag = loopxctl(t, "", append(args, "--private-output", "x", "--public")...)
	if want := "--private-output does not go with --trigger release"; code != exitUsage || !strings.Contains(diag, want) {
		t.Errorf("exit code %d, %q", code, diag)
	}
}
