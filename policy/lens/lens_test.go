package lens

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy"
)

// TestLenses holds that there are ten, each with a question, and that each
// class is seen through one.
func TestLenses(t *testing.T) {
	t.Parallel()
	if len(All()) != 10 {
		t.Errorf("%d lenses", len(All()))
	}
	var classes []policy.Class
	questions := map[string]bool{}
	for _, l := range All() {
		if q := l.Question(); q == "" || questions[q] {
			t.Errorf("%s asks %q", l, q)
		}
		questions[l.Question()] = true
		classes = append(classes, l.Classes()...)
		if len(l.Classes()) == 0 && l != Reuse {
			t.Errorf("nothing leads to %s", l)
		}
	}
	want := policy.Classes()
	slices.Sort(classes)
	slices.Sort(want)
	if diff := cmp.Diff(want, classes); diff != "" {
		t.Errorf("classes (-all +seen):\n%s", diff)
	}
	if Lens("x").Question() != "" || Lens("x").Classes() != nil {
		t.Error("x is a lens")
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		in       policy.Finding
		class    policy.Class
		severity policy.Severity
		lens     Lens
		elevated string
	}{
		{
			"security as advice",
			policy.Finding{Class: policy.SecurityPrivacy, Severity: policy.Advisory},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease, "security_privacy is a blocker, also as advisory",
		},
		{
			"security",
			policy.Finding{Class: policy.SecurityPrivacy, Severity: policy.Blocker},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease, "",
		},
		{
			"a tag",
			policy.Finding{Class: policy.Documentation, Severity: policy.Warning, Tags: []string{"x", policy.SensitiveTag}},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease,
			"the tag private_or_security_sensitive makes documentation security_privacy; security_privacy is a blocker, also as warning",
		},
		{
			"a tag, spelt otherwise",
			policy.Finding{Class: policy.Efficiency, Severity: policy.Blocker, Tags: []string{" Private-or-Security-Sensitive"}},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease,
			"the tag private_or_security_sensitive makes efficiency security_privacy",
		},
		{
			"no class",
			policy.Finding{Severity: policy.Warning},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease,
			`"" is no class; security_privacy is a blocker, also as warning`,
		},
		{
			"no severity",
			policy.Finding{Class: policy.Efficiency},
			policy.Efficiency, policy.Blocker, Efficiency, `"" is no severity`,
		},
		{
			"a warning",
			policy.Finding{Class: policy.Correctness, Severity: policy.Warning, Tags: []string{"security"}},
			policy.Correctness, policy.Warning, RuntimeOwnership, "",
		},
		{
			"reuse",
			policy.Finding{Class: policy.Complexity, Severity: policy.Advisory, Rule: "reuse/base-image"},
			policy.Complexity, policy.Advisory, Reuse, "",
		},
		{
			"reuse that is sensitive",
			policy.Finding{Class: policy.SecurityPrivacy, Severity: policy.Advisory, Rule: "reuse"},
			policy.SecurityPrivacy, policy.Blocker, SecurityRelease, "security_privacy is a blocker, also as advisory",
		},
		{
			"not reuse",
			policy.Finding{Class: policy.Complexity, Severity: policy.Advisory, Rule: "reused"},
			policy.Complexity, policy.Advisory, QualitySimplification, "",
		},
	} {
		s := Apply(tc.in)
		if s.Class != tc.class || s.Severity != tc.severity || s.Lens != tc.lens || s.Elevated != tc.elevated {
			t.Errorf("%s: %s %s %s %q", tc.name, s.Class, s.Severity, s.Lens, s.Elevated)
		}
		if s.Fingerprint == "" {
			t.Errorf("%s: no fingerprint", tc.name)
		}
		if again := Apply(s.Finding); again.Severity != s.Severity || again.Class != s.Class || again.Fingerprint != s.Fingerprint || again.Elevated != "" {
			t.Errorf("%s: applied again: %+v", tc.name, again)
		}
	}
}

// TestApplyRedacts holds that no text of a finding comes through as it was.
func TestApplyRedacts(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	in := policy.Finding{
		Class: policy.Correctness, Severity: policy.Warning, Rule: "rule:password=hunter2",
		Tool:    policy.Tool{Name: "http://user:hunter2@example.com/", Version: "token=hunter2"},
		Message: "http://user:hunter2@example.com/", Evidence: "password=hunter2",
		Location:    &policy.Location{File: "http://user:hunter2@example.com/Dockerfile"},
		Tags:        []string{"token=hunter2"},
		Claims:      []policy.Claim{{By: "status", State: "resolved", Reason: "password: hunter2"}},
		Fingerprint: secret,

		ToolFingerprints: []policy.ToolFingerprint{{Name: "commit", Value: "password=hunter2"}},
	}
	s := Apply(in)
	for name, text := range map[string]string{
		"message": s.Message, "evidence": s.Evidence, "file": s.Location.File,
		"rule": s.Rule, "tool": s.Tool.Name, "version": s.Tool.Version, "tool's": s.ToolFingerprints[0].Value,
		"tag": s.Tags[0], "reason": s.Claims[0].Reason, "fingerprint": s.Fingerprint,
	} {
		if text == "" || strings.Contains(text, secret) {
			t.Errorf("%s: %q", name, text)
		}
	}
	if in.Location.File != "http://user:hunter2@example.com/Dockerfile" || in.Tags[0] != "token=hunter2" {
		t.Error("Apply changed what it was given")
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	claim := func(state string) []policy.Claim { return []policy.Claim{{State: state}} }
	signed := &Acknowledgement{Owner: "alice@example.com"}
	for _, tc := range []struct {
		severity policy.Severity
		claims   []policy.Claim
		signed   *Acknowledgement
		want     State
		blocks   bool
	}{
		{policy.Blocker, nil, nil, Open, true},
		{policy.Blocker, claim("accepted"), nil, Open, true},
		{policy.Blocker, claim("resolved"), nil, Open, true},
		{policy.Blocker, claim("acknowledged"), nil, Open, true},
		{policy.Blocker, nil, signed, Acknowledged, false},
		{policy.Warning, nil, nil, Open, false},
		{policy.Warning, claim("accepted"), nil, Resolved, false},
		{policy.Warning, claim("underReview"), nil, Open, false},
		{policy.Warning, claim("rejected"), nil, Open, false},
		{policy.Warning, append(claim("accepted"), claim("rejected")...), nil, Open, false},
		{policy.Advisory, claim("absent"), nil, Resolved, false},
	} {
		s := Shadowed{Finding: policy.Finding{Severity: tc.severity, Claims: tc.claims}, Acknowledged: tc.signed}
		if s.State() != tc.want || s.Blocks() != tc.blocks {
			t.Errorf("%+v: %s, blocks: %v", tc, s.State(), s.Blocks())
		}
	}
}

func ExampleApply() {
	s := Apply(policy.Finding{
		Class: policy.SecurityPrivacy, Severity: policy.Advisory,
		Message: "Hard-coded credential detected",
	})
	fmt.Println(s.Lens, s.Severity, s.Blocks())
	// Output: security_release blocker true
}

// TestDocumented holds that docs/policy.md has the table of lenses as it is.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range All() {
		classes := "none: rules named `reuse`, or `reuse/…`"
		if all := l.Classes(); len(all) > 0 {
			classes = "`" + string(all[0]) + "`"
		}
		if row := fmt.Sprintf("\n| `%s` | %s | %s |\n", l, classes, l.Question()); !strings.Contains(string(page), row) {
			t.Errorf("docs/policy.md lacks the row %s", row)
		}
	}
}
