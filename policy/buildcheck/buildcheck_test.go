package buildcheck

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/rewrite"
)

// TestClasses holds that each rule of the BuildKit that is built in has a
// class, and that no other has.
func TestClasses(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/moby/buildkit").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(out)), "frontend/dockerfile/linter/ruleset.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.KeyValueExpr); ok {
			key, _ := field.Key.(*ast.Ident)
			if value, ok := field.Value.(*ast.BasicLit); ok && key != nil && key.Name == "Name" {
				name, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				rules[name] = true
			}
		}
		return true
	})
	for name := range rules {
		if classes[name] == "" {
			t.Errorf("%s has no class", name)
		}
	}
	for name := range classes {
		if !rules[name] {
			t.Errorf("BuildKit has no rule %s", name)
		}
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, url string
		class     policy.Class
		severity  policy.Severity
	}{
		{"SecretsUsedInArgOrEnv", "", policy.SecurityPrivacy, policy.Warning},
		{"WorkdirRelativePath", "", policy.Correctness, policy.Warning},
		{"OneOfTheFuture", dockerRules + "go/dockerfile/rule/x/", policy.Correctness, policy.Warning},
		{"OneOfTheFuture", "https://example.com/", policy.SecurityPrivacy, policy.Warning},
		{"OneOfTheFuture", "", policy.SecurityPrivacy, policy.Warning},
	} {
		if class, severity := classify(Warning{RuleName: tc.rule, URL: tc.url}); class != tc.class || severity != tc.severity {
			t.Errorf("%s: %s %s", tc.rule, class, severity)
		}
	}
	for _, r := range rewrite.Rules() {
		class, severity := classify(Warning{RuleName: r.Name})
		if string(severity) != string(r.Severity) || (class == policy.SecurityPrivacy) != (r.Severity == rewrite.Blocker) {
			t.Errorf("%s: %s %s", r.Name, class, severity)
		}
	}
}

// TestIntake reads what BuildKit's own type is encoded to.
func TestIntake(t *testing.T) {
	t.Parallel()
	place := func(source, line int32) *pb.Location {
		return &pb.Location{SourceIndex: source, Ranges: []*pb.Range{{Start: &pb.Position{Line: line}, End: &pb.Position{Line: line + 1}}}}
	}
	results := lint.LintResults{
		Warnings: []lint.Warning{
			{RuleName: "SecretsUsedInArgOrEnv", Description: "d", URL: "u", Detail: "Do not use ENV\nfor sensitive data", Location: place(0, 2)},
			{RuleName: "StageNameCasing", Description: "only described", Location: &pb.Location{SourceIndex: 1}},
			{RuleName: "FromAsCasing", Location: place(7, 1)},
			{RuleName: "FromAsCasing", Location: &pb.Location{SourceIndex: -1}},
			{RuleName: "FromAsCasing", Location: place(0, 99)},
			{RuleName: "FromAsCasing"},
		},
		Sources: []*pb.SourceInfo{
			{Filename: "Dockerfile", Data: []byte("FROM a\nENV DB_PASSWORD=hunter2\n")},
			{Filename: "other/Dockerfile"},
		},
	}
	read := func() policy.Intake {
		text, err := json.Marshal(results)
		if err != nil {
			t.Fatal(err)
		}
		var r Report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		return r.Intake()
	}
	tool := policy.Tool{Name: Tool}
	from := policy.Finding{Rule: "FromAsCasing", Class: policy.Complexity, Severity: policy.Warning, Message: "FromAsCasing", Tool: tool}
	far := from
	far.Location = &policy.Location{File: "Dockerfile", Start: policy.Position{Line: 99}, End: policy.Position{Line: 100}}
	want := policy.Intake{
		Findings: []policy.Finding{
			{
				Rule: "SecretsUsedInArgOrEnv", Class: policy.SecurityPrivacy, Severity: policy.Warning, Tool: tool,
				Message: "Do not use ENV for sensitive data", Evidence: "ENV DB_PASSWORD=***",
				Location: &policy.Location{File: "Dockerfile", Start: policy.Position{Line: 2}, End: policy.Position{Line: 3}},
			},
			{
				Rule: "StageNameCasing", Class: policy.Complexity, Severity: policy.Warning, Tool: tool,
				Message: "only described", Location: &policy.Location{File: "other/Dockerfile"},
			},
			from, from, far, from,
		},
		Checks: []policy.Check{{Name: "Docker build checks", Status: policy.Passed, Required: true, Class: policy.Validation, Tool: tool}},
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	results.Error = &lint.BuildError{Message: "unknown instruction: FORM"}
	if c := read().Checks[0]; c.Status != policy.Failed || c.Message != "unknown instruction: FORM" {
		t.Errorf("a build error: %+v", c)
	}
}
