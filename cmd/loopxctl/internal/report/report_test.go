package report

import (
	"slices"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// TestRoles holds that each role and action has a name of its own.
func TestRoles(t *testing.T) {
	names := map[string]bool{}
	for role := route.Fetch; role <= route.Runtime; role++ {
		if RoleWords(role) == "" || names[RoleName(role)] {
			t.Errorf("role %d has the name %q", role, RoleName(role))
		}
		names[RoleName(role)] = true
	}
	for action := route.Keep; action <= route.Refuse; action++ {
		if ActionName(action) == "" {
			t.Errorf("action %d has no name", action)
		}
	}
}

func TestNotEditedIsARule(t *testing.T) {
	if !slices.ContainsFunc(rewrite.Rules(), func(r rewrite.Rule) bool { return r.Name == notEdited }) {
		t.Errorf("there is no rule %s", notEdited)
	}
}

func TestVerdict(t *testing.T) {
	plan := func(findings []rewrite.Finding, guards ...rewrite.Guard) *rewrite.Plan {
		return &rewrite.Plan{Findings: findings, Guards: guards}
	}
	blocker := []rewrite.Finding{{Severity: rewrite.Blocker}}
	unedited := []rewrite.Finding{{Severity: rewrite.Warning, Rule: notEdited}}
	warning := []rewrite.Finding{{Severity: rewrite.Warning}}
	hidden, shown := rewrite.Guard{Needs: "both", Certain: true}, rewrite.Guard{Needs: "apt", Certain: true, Shown: true}
	text, build := Policy{Text: true}, Policy{}
	for _, tc := range []struct {
		name   string
		plan   *rewrite.Plan
		policy Policy
		want   string
	}{
		{"nothing", plan(nil), text, "clean"},
		{"a warning", plan(warning), text, "clean"},
		{"a blocker", plan(blocker), text, "blocked"},
		{"a blocker of a build", plan(blocker), build, "blocked"},
		{"a blocker, audited", plan(blocker), Policy{Text: true, Audit: true}, "clean"},
		{"a blocker, apt ignored", plan(blocker), Policy{Text: true, IgnoreApt: true}, "blocked"},
		{"a text that stays", plan(unedited), text, "blocked"},
		{"a text that stays, in a build", plan(unedited), build, "clean"},
		{"hidden sources", plan(nil, hidden), text, "blocked"},
		{"hidden sources, ignored", plan(nil, hidden), Policy{Text: true, IgnoreApt: true}, "clean"},
		{"hidden sources, audited", plan(nil, hidden), Policy{Text: true, Audit: true}, "clean"},
		{"hidden sources, in a build", plan(nil, hidden), build, "clean"},
		{"a script", plan(nil, rewrite.Guard{Needs: "apt", Opaque: true}), text, "blocked"},
		{"a program that may", plan(nil, rewrite.Guard{Needs: "apt"}), text, "clean"},
		{"shown sources", plan(nil, shown), text, "clean"},
		{"a CA bundle", plan(nil, rewrite.Guard{Needs: "ca"}), text, "clean"},
	} {
		if got := (&File{Plan: tc.plan, Policy: tc.policy}).Verdict(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
