package dockerfile

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/rewrite"
)

// TestRules holds that each rule of package rewrite has one family, and each
// family only rules that exist.
func TestRules(t *testing.T) {
	t.Parallel()
	var names, listed []string
	for _, r := range Rules() {
		names = append(names, r.Name)
		if r.Family == "" || !slices.Contains(policy.Classes(), r.Class) || !slices.Contains(policy.Severities(), r.Severity) {
			t.Errorf("%s is of the family %q, the class %q, the severity %q", r.Name, r.Family, r.Class, r.Severity)
		}
		if (r.Class == policy.SecurityPrivacy) != (r.Severity == policy.Blocker) {
			t.Errorf("%s is %s of the class %s, which is for blockers, and they for it", r.Name, r.Severity, r.Class)
		}
		if r.Secret != (r.Family == credential) {
			t.Errorf("%s: %v", r.Name, r.Secret)
		}
	}
	for _, rules := range families {
		listed = append(listed, rules...)
	}
	slices.Sort(names)
	slices.Sort(listed)
	if diff := cmp.Diff(names, listed); diff != "" {
		t.Errorf("-rules +families:\n%s", diff)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	const src = `FROM debian:trixie-slim
RUN curl -k https://u:hunter2@a.example.com/x
RUN curl -k https://a.example.com/x
ENV API_TOKEN=q7Rw2mZx9Kd41LpNvB
RUN pip install x>=1
RUN curl -O http://a.example.com/x
`
	plan, err := rewrite.New([]byte(src), rewrite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range (Source{Name: "./a/Dockerfile", Text: []byte(src), Plan: plan}).Findings() {
		at := f.Location
		got = append(got, fmt.Sprintf("%s:%d:%d-%d:%d %s %s %s %q %d", at.File, at.Start.Line, at.Start.Column, at.End.Line, at.End.Column, f.Rule, f.Class, f.Severity, f.Evidence, len(f.Fix)))
		if f.Fingerprint != policy.Fingerprint(f.Finding) || f.Elevated != "" || f.Tool.Name != policy.ToolName {
			t.Errorf("%+v", f)
		}
	}
	want := []string{
		`a/Dockerfile:2:10-2:12 VerificationOff security_privacy blocker "-k" 0`,
		`a/Dockerfile:3:10-3:12 VerificationOff security_privacy blocker "-k" 0`,
		`a/Dockerfile:4:15-4:33 CredentialInVariable security_privacy blocker "" 0`,
		`a/Dockerfile:5:17-5:21 UnquotedRequirement correctness warning "x>=1" 2`,
		`a/Dockerfile:6:13-6:35 ClearTextFetch validation advisory "http://a.example.com/x" 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFingerprint holds that a finding keeps its fingerprint when it moves.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	const line = "RUN curl -k https://a.example.com/x\n"
	prints := func(src string) (all []string) {
		plan, err := rewrite.New([]byte(src), rewrite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range (Source{Name: "Dockerfile", Text: []byte(src), Plan: plan}).Findings() {
			all = append(all, f.Fingerprint)
		}
		return all
	}
	first, moved := prints("FROM debian:trixie-slim\n"+line), prints("FROM debian:trixie-slim\nRUN true\n\n"+line)
	if diff := cmp.Diff(first, moved); diff != "" || len(first) == 0 {
		t.Errorf("-first +moved:\n%s", diff)
	}
}
