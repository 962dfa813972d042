package main

import (
	"bufio"
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestResults(t *testing.T) {
	const output = `=== RUN   TestIntegration/TestAdd/worker=oci/frontend=gateway
    run.go:331: --- PASS: nothing
    --- PASS: TestIntegration/TestAdd/worker=oci/frontend=gateway (1.24s)
    --- FAIL: TestIntegration/TestLint/worker=oci/frontend=gateway (0.39s)
        --- PASS: TestIntegration/TestLint/worker=oci/frontend=gateway/warntype=progress (0.2s)
        --- FAIL: TestIntegration/TestLint/worker=oci/frontend=gateway/warntype=unmarshal (0.2s)
    --- SKIP: TestIntegration/TestRun/worker=oci/frontend=gateway/network.host=denied (0.00s)
    --- PASS: TestIntegration/TestRun/worker=oci/frontend=gateway/network.host=granted (0.00s)
--- FAIL: TestIntegration (160.02s)
`
	var progress strings.Builder
	got := follow(strings.NewReader(output), "ours", &progress)
	if want := "2 passed, 1 failed, 1 skipped"; got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := map[string][]string{"TestLint/worker=oci/frontend=gateway": {"warntype=unmarshal"}}
	if diff := cmp.Diff(want, got.failures); diff != "" {
		t.Errorf("failed subtests (-want +got):\n%s", diff)
	}
	if n := strings.Count(progress.String(), "\n"); n != 4 {
		t.Errorf("%d lines of progress:\n%s", n, progress.String())
	}
}

func TestReport(t *testing.T) {
	known := intended(options{})[0]
	rowOf := func(test, outcome string, parts ...string) results {
		return results{outcomes: map[string]string{test: outcome}, failures: map[string][]string{test: parts}}
	}
	for name, tc := range map[string]struct {
		stock, ours results
		behind      bool
		says        string
	}{
		"equal":            {rowOf("A", passed), rowOf("A", passed), false, ""},
		"both fail":        {rowOf("A", failed), rowOf("A", failed), false, "stock FAIL, ours FAIL: A\n"},
		"ours fails":       {rowOf("A", passed), rowOf("A", failed, "x"), true, "BEHIND: stock PASS, ours FAIL: A [\"x\"]\n"},
		"ours skips":       {rowOf("A", passed), rowOf("A", skipped), true, "BEHIND: stock PASS, ours SKIP: A []\n"},
		"ours is missing":  {rowOf("A", passed), newResults(), true, "BEHIND: stock PASS, ours not run: A []\n"},
		"stock fails":      {rowOf("A", failed), rowOf("A", passed), false, "stock FAIL, ours PASS: A\n"},
		"intended":         {rowOf(known.test, passed), rowOf(known.test, failed, known.parts...), false, "intended: " + known.test + ": " + known.reason + "\n"},
		"more than that":   {rowOf(known.test, passed), rowOf(known.test, failed, "more"), true, "BEHIND: stock PASS, ours FAIL: " + known.test + " [\"more\"]\n"},
		"no longer needed": {rowOf(known.test, passed), rowOf(known.test, passed), true, "BEHIND: no longer a difference, take it from the list: " + known.test + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if behind := report(&out, intended(options{}), tc.stock, tc.ours); behind != tc.behind {
				t.Errorf("behind: %t", behind)
			}
			if diff := cmp.Diff(tc.says, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// The texts that are edited stand in the BuildKit release that go.mod names.
func TestEditsFit(t *testing.T) {
	module, _, err := buildkit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits() {
		text, err := os.ReadFile(filepath.Join(module, e.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.old); n != e.times {
			t.Errorf("%s: %d times, want %d: %s", e.file, n, e.times, e.old)
		}
	}
}

// The registry says where it listens when its images can be had.
func TestRegistryServesLayout(t *testing.T) {
	dir := t.TempDir()
	image := standIn{names: []string{"library/busybox:latest"}, files: busyboxFiles(nil)}
	if err := writeStandIns(filepath.Join(dir, layoutName), []standIn{image}); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	go registryMain([]string{"serve", filepath.Join(dir, "config.yaml")}, in)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, host, ok := strings.Cut(strings.TrimSuffix(line, "\"\n"), "listening on ")
	if !ok {
		t.Fatalf("it said %q", line)
	}
	ref, err := name.ParseReference(host + "/library/busybox:latest")
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Image(ref, remote.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	config, err := got.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/bin/sh"}, config.Config.Cmd); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-no-such-flag"}, {"-only", "mine"}} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitTrouble || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
}
