package result

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

func finding(class policy.Class, severity policy.Severity, claims ...policy.Claim) lens.Shadowed {
	return lens.Apply(policy.Finding{Class: class, Severity: severity, Message: "m", Claims: claims})
}

func check(status policy.Status, required bool, class policy.Class) policy.Check {
	return policy.Check{Name: "n", Status: status, Required: required, Class: class}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	resolved := policy.Claim{By: "status", State: "resolved"}
	signed := finding(policy.SecurityPrivacy, policy.Warning)
	signed.Acknowledged = &lens.Acknowledgement{Owner: "alice@example.com", Reason: "test data", Expires: "2026-12-31"}
	for _, tc := range []struct {
		name     string
		findings []lens.Shadowed
		checks   []policy.Check
		decision Decision
		codes    string
		lens     lens.Lens
		states   map[lens.Lens]State // those that are triggered
	}{
		{"nothing", nil, nil, Pass, "", "", nil},
		{
			"security",
			[]lens.Shadowed{finding(policy.SecurityPrivacy, policy.Advisory)},
			nil,
			Fail, "security_privacy", lens.SecurityRelease,
			map[lens.Lens]State{lens.SecurityRelease: Blocked},
		},
		{
			"security, said to be resolved",
			[]lens.Shadowed{finding(policy.SecurityPrivacy, policy.Advisory, resolved)},
			nil,
			Fail, "security_privacy", lens.SecurityRelease,
			map[lens.Lens]State{lens.SecurityRelease: Blocked},
		},
		{
			"security, signed for",
			[]lens.Shadowed{signed},
			nil,
			Pass, "", "",
			map[lens.Lens]State{lens.SecurityRelease: Resolved},
		},
		{
			"security, signed for, and once more",
			[]lens.Shadowed{signed, finding(policy.SecurityPrivacy, policy.Warning)},
			nil,
			Fail, "security_privacy", lens.SecurityRelease,
			map[lens.Lens]State{lens.SecurityRelease: Blocked},
		},
		{
			"a warning",
			[]lens.Shadowed{finding(policy.Efficiency, policy.Warning)},
			nil,
			Pass, "", lens.Efficiency,
			map[lens.Lens]State{lens.Efficiency: Risk},
		},
		{
			"a warning, resolved",
			[]lens.Shadowed{finding(policy.Efficiency, policy.Warning, resolved)},
			nil,
			Pass, "", "",
			map[lens.Lens]State{lens.Efficiency: Resolved},
		},
		{
			"a warning, resolved, and a passed test of it",
			[]lens.Shadowed{finding(policy.Validation, policy.Warning, resolved)},
			[]policy.Check{check(policy.Passed, true, "")},
			Pass, "", "",
			map[lens.Lens]State{lens.TestValidation: Resolved},
		},
		{
			"a passed validation", nil,
			[]policy.Check{check(policy.Passed, true, policy.SecurityPrivacy)},
			Pass, "", "",
			map[lens.Lens]State{lens.SecurityRelease: Satisfied},
		},
		{
			"a failed validation", nil,
			[]policy.Check{check(policy.Failed, false, policy.Validation)},
			Fail, "validation_failed", lens.TestValidation,
			map[lens.Lens]State{lens.TestValidation: Blocked},
		},
		{
			"a skipped one that was required", nil,
			[]policy.Check{check(policy.Skipped, true, "")},
			Fail, "validation_skipped", lens.TestValidation,
			map[lens.Lens]State{lens.TestValidation: Blocked},
		},
		{"a skipped one that was not", nil, []policy.Check{check(policy.Skipped, false, "")}, Pass, "", "", nil},
		{
			"a status that nobody knows", nil,
			[]policy.Check{check("broken", false, "")},
			Fail, "validation_failed", lens.TestValidation,
			map[lens.Lens]State{lens.TestValidation: Blocked},
		},
		{
			"security goes first",
			[]lens.Shadowed{finding(policy.APIContract, policy.Blocker), finding(policy.SecurityPrivacy, policy.Warning), finding(policy.APIContract, policy.Blocker)},
			[]policy.Check{check(policy.Failed, true, "")},
			Fail, "api_contract security_privacy validation_failed", lens.SecurityRelease,
			map[lens.Lens]State{lens.SecurityRelease: Blocked, lens.TypeAPIBoundary: Blocked, lens.TestValidation: Blocked},
		},
		{
			"a finding that nobody applied a lens to",
			[]lens.Shadowed{{Finding: policy.Finding{Class: policy.SecurityPrivacy}}},
			nil,
			Fail, "security_privacy", lens.SecurityRelease,
			map[lens.Lens]State{lens.SecurityRelease: Blocked},
		},
	} {
		r := Judge(tc.findings, tc.checks)
		if r.Decision != tc.decision || r.Blocking != (tc.decision == Fail) || strings.Join(r.Codes, " ") != tc.codes || r.Lens != tc.lens {
			t.Errorf("%s: %s, blocking: %v, codes: %s, lens: %s", tc.name, r.Decision, r.Blocking, r.Codes, r.Lens)
		}
		want := map[lens.Lens]State{}
		for _, l := range lens.All() {
			want[l] = NotTriggered
			if s, ok := tc.states[l]; ok {
				want[l] = s
			}
		}
		if diff := cmp.Diff(want, r.Guardrails); diff != "" {
			t.Errorf("%s: guardrails (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	s := finding(policy.SecurityPrivacy, policy.Warning, policy.Claim{By: "external suppression", State: "accepted", Reason: "old"})
	s.Location = &policy.Location{File: "f", Start: policy.Position{Line: 3, Column: 1}, End: policy.Position{Line: 3, Column: 9}}
	s.Acknowledged = &lens.Acknowledgement{Owner: "alice@example.com", Reason: "test data", Expires: "2026-12-31"}
	s.Tool = policy.Tool{Name: "t", Version: "1"}
	s.ToolFingerprints = []policy.ToolFingerprint{{Name: "a", Value: "b"}}
	text, err := json.Marshal(Judge([]lens.Shadowed{s}, []policy.Check{check(policy.Passed, true, "")}).Document())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"decision":"pass"`, `"blocking_codes":[]`, `"status":"acknowledged"`, `"file":"f","line":3,"column":1,"end_line":3,"end_column":9`,
		`"tool":{"name":"t","version":"1"}`, `"claims":[{"by":"external suppression","state":"accepted","reason":"old"}]`,
		`"acknowledgement":{"owner":"alice@example.com","reason":"test data","expires":"2026-12-31"}`,
		`"tool_fingerprints":[{"name":"a","value":"b"}]`,
		`"validations":[{"name":"n","status":"passed","required":true,"blocking":false,"lens":"test_validation"}]`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
}

func ExampleProcess() {
	r := Process(lens.Apply(policy.Finding{
		Class: policy.SecurityPrivacy, Severity: policy.Warning, Message: "Hard-coded credential detected",
	}))
	fmt.Println(r.Lens, r.Guardrails[r.Lens], r.Blocking, r.Decision, r.Codes)
	// Output: security_release blocked true fail [security_privacy]
}
