package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/foreign"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// readLog decodes a log and checks what the standard and GitHub ask of it.
func readLog(t *testing.T, text string) sarifLog {
	t.Helper()
	var log sarifLog
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 { // 3.13.2, 3.13.4
		t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	switch {
	case run.Tool.Driver.Name == "": // 3.19.8
		t.Error("the tool has no name")
	case run.Results == nil: // 3.14.23: null says that nothing was computed
		t.Error("no results")
	case len(run.Results) > maxResults+1:
		t.Errorf("%d results", len(run.Results))
	}
	ids := map[string]bool{}
	for _, rule := range run.Tool.Driver.Rules {
		checkRule(t, rule.ID, rule.Properties.Tags, string(rule.Properties.SecuritySeverity))
		if ids[rule.ID] || rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" ||
			len(rule.FullDescription.Text) > 1024 {
			t.Errorf("the rule %+v", rule)
		}
		ids[rule.ID] = true
	}
	for _, result := range run.Results {
		checkResult(t, run, result)
	}
	return log
}

func checkRule(t *testing.T, id string, tags []string, score string) {
	t.Helper()
	if id == "" || len(tags) > 20 || len(slices.Compact(slices.Sorted(slices.Values(tags)))) != len(tags) {
		t.Errorf("rule %q with the tags %q", id, tags)
	}
	if slices.Contains(tags, "security") != (score != "") {
		t.Errorf("rule %q has the tags %q and the security severity %s", id, tags, score)
	}
	if score == "" {
		return
	}
	text, err := strconv.Unquote(score)
	if n, err2 := strconv.ParseFloat(text, 64); err != nil || err2 != nil || n <= 0 || n > 10 {
		t.Errorf("rule %q has the security severity %s", id, score)
	}
}

func checkResult(t *testing.T, run sarifRun, r sarifResult) {
	t.Helper()
	if r.RuleIndex == nil || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID { // 3.27.6
		t.Errorf("result of %s with another rule", r.RuleID)
	}
	if r.Message.Text == "" || len(r.Message.Text) > maxMessage+len("…") || !slices.Contains([]string{"error", "warning", "note"}, r.Level) {
		t.Errorf("result %+v", r)
	}
	if len(r.Locations) != 1 || r.Locations[0].Physical.Artifact.URI == "" {
		t.Fatalf("result of %s has no place", r.RuleID)
	}
	at := r.Locations[0].Physical.Region
	if at.StartLine < 1 || at.EndLine != 0 && (at.EndLine < at.StartLine || at.EndLine == at.StartLine && at.EndColumn < at.StartColumn) { // 3.30.2
		t.Errorf("region %+v", at)
	}
	for _, s := range r.Suppressions {
		if s.Kind != "external" && s.Kind != "inSource" || s.Status != "accepted" { // 3.35.2, 3.35.3
			t.Errorf("suppression %+v", s)
		}
	}
	for _, f := range r.Fixes {
		if len(f.Changes) == 0 || len(f.Changes[0].Replacements) == 0 || f.Changes[0].Artifact.URI == "" { // 3.55.3, 3.56.3
			t.Errorf("fix %+v", f)
		}
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	audit := sample()
	audit.Audit = true
	for _, r := range []Report{sample(), audit, Public(sample(), "elsewhere"), {Tool: sample().Tool}} {
		readLog(t, written(t, "sarif", r))
	}
}

// TestSARIFRead reads a log as that of any tool: no finding is lost, none is
// milder, and a suppression is a claim.
func TestSARIFRead(t *testing.T) {
	t.Parallel()
	r := sample()
	in, err := foreign.Read(strings.NewReader(written(t, "sarif", r)))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, f := range in.Findings {
		s := lens.Apply(f)
		got = append(got, fmt.Sprintf("%s %s %s %s %d", s.Rule, s.Class, s.Severity, s.Message, len(s.Claims)))
	}
	for _, e := range entries(&r) {
		want = append(want, fmt.Sprintf("%s %s %s %s %d", e.rule, e.Class, e.Severity, e.Message, len(suppressions(&e))))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if in.Checks[0].Status != policy.Failed {
		t.Errorf("a run with a problem is %s", in.Checks[0].Status)
	}
}

// TestSARIFLimits holds that a log is one that GitHub takes: the mildest of too
// many findings are left out, and ten megabytes are enough when it is
// compressed.
func TestSARIFLimits(t *testing.T) {
	t.Parallel()
	r := Report{Tool: sample().Tool}
	for i := range maxResults + 10 {
		f := policy.Finding{
			Rule: "R", Class: policy.Efficiency, Severity: policy.Warning, Message: fmt.Sprint("message ", i),
			Location: &policy.Location{File: fmt.Sprint("dir", i%500, "/Dockerfile"), Start: policy.Position{Line: 1 + i}}, Tool: r.Tool.Tool,
			Tags: []string{fmt.Sprint("tag", i)},
		}
		if i < 20 {
			f.Severity = policy.Advisory
		}
		f.Fingerprint = policy.Fingerprint(f)
		r.Findings = append(r.Findings, lens.Shadowed{Finding: f})
	}
	text := written(t, "sarif", r)
	run := readLog(t, text).Runs[0]
	count := map[string]int{}
	for _, result := range run.Results {
		count[result.Level]++
	}
	if diff := cmp.Diff(map[string]int{"note": 10, "warning": maxResults - 10}, count); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(notes) != 1 || notes[0].Level != "warning" || !strings.HasPrefix(notes[0].Message.Text, "10 more findings") || !*run.Invocations[0].ExecutionSuccessful {
		t.Errorf("the run tells %+v", run.Invocations[0])
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	if packed.Len() > 10<<20 {
		t.Errorf("%d bytes, compressed", packed.Len())
	}
}

// TestGitHubLimit holds that GitHub is not left to drop annotations without a
// word.
func TestGitHubLimit(t *testing.T) {
	t.Parallel()
	r := Report{Tool: sample().Tool}
	for i := range 12 {
		f := policy.Finding{Rule: "R", Class: policy.Efficiency, Severity: policy.Warning, Message: fmt.Sprint(i)}
		r.Findings = append(r.Findings, lens.Shadowed{Finding: f})
	}
	const last = "GitHub shows 10 annotations of a level for a step; all of them are in this log: 12 of level warning\n"
	if text := written(t, "github", r); strings.Count(text, "\n") != 13 || !strings.HasSuffix(text, last) {
		t.Error(text)
	}
}

func TestURI(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, want string }{
		{"a/Dockerfile", "a/Dockerfile"},
		{"a b%/ü", "a%20b%25/%C3%BC"},
		{"a:b", "./a:b"},
		{"<stdin>", "%3Cstdin%3E"},
		{"https://example.com/a", "https://example.com/a"},
		{"javascript:x", "./javascript:x"},
	} {
		if got := uri(tc.file); got != tc.want {
			t.Errorf("%s is %s, want %s", tc.file, got, tc.want)
		}
	}
}
