package scan_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/scan"
)

var _ = flag.Bool("update", false, "there are no goldens here")

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// files makes a tree of names and texts.
func files(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1]), Mode: 0o644}
	}
	return out
}

// run runs checks over a tree.
func run(t *testing.T, in scan.Input, checks ...scan.Check) *scan.Result {
	t.Helper()
	in.Now = now
	r, err := scan.Run(t.Context(), in, checks...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rules are those of the findings, with the files where they are.
func rules(o *scan.Outcome) []string {
	var all []string
	for _, f := range o.Findings {
		text := f.Rule
		if f.Location != nil {
			text = f.Location.File + " " + text
		}
		all = append(all, text)
	}
	return all
}

// problems are those of an outcome.
func problems(o *scan.Outcome) []string {
	var all []string
	for _, p := range o.Problems {
		all = append(all, strings.TrimSpace(p.File+" "+p.Message))
	}
	return all
}

func TestRun(t *testing.T) {
	t.Parallel()
	in := scan.Input{Tree: files(
		"Dockerfile", "FROM scratch\nRUN curl -O http://example.com/x\n",
		"b/web.Dockerfile", "FROM scratch\nADD ftp://example.com/x /\n",
		"c/Dockerfile", "FROM\n",
		"vendor/Dockerfile", "FROM\n",
		"requirements.txt", "requests\n",
		"loopx.yaml", "floors: {requests: '2.32.4'}\n",
	)}
	r := run(t, in, scan.Checks()...)
	for _, want := range []struct {
		check              scan.Check
		findings, problems []string
		changed            []string
		blocks             bool
	}{
		{
			check: scan.Dockerfile, blocks: true,
			findings: []string{"Dockerfile ClearTextFetch", "b/web.Dockerfile ClearTextRefused"},
			problems: []string{"c/Dockerfile dockerfile parse error on line 1: FROM requires either one or three arguments"},
		},
		{check: scan.Rewrite, changed: []string{"Dockerfile"}, problems: []string{"c/Dockerfile dockerfile parse error on line 1: FROM requires either one or three arguments"}},
		{check: scan.Lens},
		{check: scan.Acknowledgements},
		{check: scan.Advisories, problems: []string{"there is no advisory database: run loopxctl floors update"}},
	} {
		o := r.Outcome(want.check)
		if diff := cmp.Diff(want.findings, slices.DeleteFunc(rules(o), func(s string) bool {
			return strings.HasSuffix(s, "DownloadNotVerified") || strings.HasSuffix(s, "AddNotVerified")
		})); diff != "" {
			t.Errorf("%s: %s", want.check, diff)
		}
		if diff := cmp.Diff(want.problems, problems(o)); diff != "" {
			t.Errorf("%s: %s", want.check, diff)
		}
		if diff := cmp.Diff(want.changed, o.Changed); diff != "" || o.Blocks() != want.blocks || o.Failed() != (want.problems != nil) {
			t.Errorf("%s: %sblocks %v, failed %v", want.check, diff, o.Blocks(), o.Failed())
		}
		if len(o.Subjects) != len(o.Findings) {
			t.Errorf("%s: %d subjects of %d findings", want.check, len(o.Subjects), len(o.Findings))
		}
	}
	if o := r.Outcome(scan.Floors); !slices.Contains(o.Files, "requirements.txt") {
		t.Errorf("floors looked at %q", o.Files)
	}
}

// TestFloors holds that the policy given counts, and not the one in the tree.
func TestFloors(t *testing.T) {
	t.Parallel()
	in := scan.Input{Tree: files("requirements.txt", "requests\n", "loopx.yaml", "require_floor: true\n")}
	if o := run(t, in, scan.Floors).Outcome(scan.Floors); o.Blocks() {
		t.Errorf("the policy of the tree counts: %q", rules(o))
	}
}

// TestLens holds that reports of other tools are judged, and that one that can't
// be read is a problem.
func TestLens(t *testing.T) {
	t.Parallel()
	text := func(s string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
	}
	in := scan.Input{Tree: files(), Reports: []scan.Report{
		{Name: "good.sarif", Open: text(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"r","level":"note","message":{"text":"m"},"properties":{"tags":["private_or_security_sensitive"]}}]}]}`)},
		{Name: "bad.sarif", Open: text(`{`)},
		{Name: "gone.sarif", Open: func() (io.ReadCloser, error) { return nil, fs.ErrNotExist }},
	}}
	o := run(t, in, scan.Lens).Outcome(scan.Lens)
	if !o.Blocks() || len(o.Findings) != 1 || len(o.Problems) != 2 || o.Problems[1].Message != "the file is not there" {
		t.Errorf("%q %q", rules(o), problems(o))
	}
}

// TestEntries holds that a file of acknowledgements that can't be read is a
// problem, and that an entry without trusted signers lifts nothing.
func TestEntries(t *testing.T) {
	t.Parallel()
	broken := run(t, scan.Input{Tree: files(ack.Path, "version: 2\n")}, scan.Acknowledgements).Outcome(scan.Acknowledgements)
	if !broken.Failed() {
		t.Error("a broken file passes")
	}
	link := files()
	link[ack.Path] = &fstest.MapFile{Data: []byte("other"), Mode: fs.ModeSymlink | 0o777}
	if o := run(t, scan.Input{Tree: link}, scan.Acknowledgements).Outcome(scan.Acknowledgements); !o.Failed() {
		t.Error("a link passes for the file")
	}
	in := scan.Input{Tree: files("Dockerfile", "FROM scratch\nADD ftp://example.com/x /\n")}
	o := run(t, in, scan.Dockerfile).Outcome(scan.Dockerfile)
	blocker := slices.IndexFunc(o.Findings, func(f lens.Shadowed) bool { return f.Rule == "ClearTextRefused" })
	in.Entries = []ack.Entry{{
		Subject: o.Subjects[blocker], Occurrences: 1, Reason: "r", Principal: "a@example.com",
		Created: now, Expires: now.AddDate(0, 0, 30), Repository: "example.com/r",
	}}
	in.Trust = ack.Trust{Source: "test", Repository: "example.com/r"}
	r := run(t, in, scan.Dockerfile, scan.Acknowledgements)
	if !r.Outcomes[0].Blocks() || r.Entries[0].State != ack.Unsigned || !slices.Equal(rules(&r.Outcomes[1]), []string{ack.Path + " AcknowledgementInvalid"}) {
		t.Errorf("unsigned: %+v", r.Entries)
	}
	in.Trust.Policy.Unsigned = true
	r = run(t, in, scan.Dockerfile, scan.Acknowledgements)
	if r.Outcomes[0].Blocks() || r.Entries[0].State != ack.Good || len(r.Outcomes[1].Findings) != 0 {
		t.Errorf("the policy takes unsigned ones: %+v", r.Entries)
	}
	in.Tree = files("Dockerfile", "FROM scratch\n")
	r = run(t, in, scan.Dockerfile, scan.Acknowledgements)
	if got := rules(&r.Outcomes[1]); !slices.Equal(got, []string{ack.Path + " AcknowledgementUnused"}) {
		t.Errorf("unused: %q", got)
	}
}

// TestStopped holds that a run that was ended has no answer.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := scan.Run(ctx, scan.Input{Tree: files("Dockerfile", "FROM scratch\n")}, scan.Dockerfile); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := scan.Run(t.Context(), scan.Input{Tree: files()}, "dockerfiles"); err == nil {
		t.Error("a check that is none ran")
	}
}

// TestRules holds that each rule is described once.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range scan.Rules() {
		if seen[r.Name] || r.Family == "" {
			t.Errorf("%s", r.Name)
		}
		seen[r.Name] = true
	}
}
