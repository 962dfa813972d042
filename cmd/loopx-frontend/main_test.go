package main

import (
	"bytes"
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/gateway/client"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--version"}, &stdout, &stderr); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if got, want := stdout.String(), "loopx-frontend devel unknown\n"; got != want || stderr.Len() > 0 {
		t.Errorf("got %q, stderr %q, want %q", got, stderr.String(), want)
	}
}

func TestUnknownFlag(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--no-such-flag"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}

// Started by hand there is no daemon to talk to: one line says so.
func TestWithoutDaemon(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), nil, &stdout, &stderr); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	got := stderr.String()
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "fatal error: failed to initialize client from environment") {
		t.Errorf("stderr %q", got)
	}
}

func TestPanicBecomesError(t *testing.T) {
	build := recovered(func(context.Context, client.Client) (*client.Result, error) { panic("boom") })
	res, err := build(t.Context(), nil)
	if res != nil || err == nil || !strings.Contains(err.Error(), "internal error: boom") {
		t.Errorf("got %v, %v", res, err)
	}
}
