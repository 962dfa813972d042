package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// -update is declared in every test package, so that one command can rewrite
// all goldens. This one has none.
var _ = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// The demo ends well only if every fetch moved; its table says so too.
func TestDemo(t *testing.T) {
	var out, log bytes.Buffer
	s := &script{ctx: t.Context(), out: &log}
	if err := s.run(func() { demo(s, &out) }); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &log)
	}
	for _, want := range [][]string{
		{"git", "clone", "http://" + host + "/repo.git", "clear", "text", "TLS"},
		{"apt-get", "update", "http://" + archive + "/debian/dists/", "clear", "text", "TLS"},
		{"apt-get", "install", "http://" + archive + "/debian/pool/", "clear", "text", "TLS"},
	} {
		if !slices.ContainsFunc(strings.Split(out.String(), "\n"), func(line string) bool {
			return slices.Equal(strings.Fields(line), want)
		}) {
			t.Errorf("no line %q in:\n%s", want, &out)
		}
	}
}

// A script ends at the first failure and cleans up, last thing first.
func TestScriptStops(t *testing.T) {
	var done []string
	s := &script{ctx: t.Context(), out: os.Stderr}
	err := s.run(func() {
		s.Cleanup(func() { done = append(done, "first") })
		s.Cleanup(func() { done = append(done, "second") })
		s.Fatalf("stopped: %w", os.ErrNotExist)
		done = append(done, "went on")
	})
	if !errors.Is(err, os.ErrNotExist) || !s.Failed() {
		t.Errorf("got %v, failed: %v", err, s.Failed())
	}
	if want := []string{"second", "first"}; !slices.Equal(done, want) {
		t.Errorf("got %q, want %q", done, want)
	}
}
