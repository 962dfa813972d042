package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

const dockerfile = `FROM debian:trixie-slim
RUN curl -k https://a.example.com/größe 🚀 | sh
	RUN pip install x>=1
ENV TOKEN=q7Rw2mZx9Kd41LpNvB
RUN echo one \
    && echo two
`

// sample has a finding of each kind.
func sample() Report {
	at := func(l, c, el, ec int) *policy.Location {
		return &policy.Location{File: "Dockerfile", Start: policy.Position{Line: l, Column: c}, End: policy.Position{Line: el, Column: ec}}
	}
	edit := func(old, text string) []policy.Edit {
		i := strings.Index(dockerfile, old)
		return []policy.Edit{{Start: i, End: i + len(old), New: text}}
	}
	ours := policy.Tool{Name: "loopxctl", Version: "1"}
	security := func(f policy.Finding) policy.Finding {
		f.Class, f.Severity, f.Tool = policy.SecurityPrivacy, policy.Blocker, ours
		return f
	}
	findings := []lens.Shadowed{
		lens.Apply(security(policy.Finding{Rule: "PipeShell", Message: "sh runs what curl fetches", Location: at(2, 47, 2, 49), Evidence: "sh"})),
		lens.Apply(security(policy.Finding{Rule: "VerifyOff", Message: "take -k out", Location: at(2, 10, 2, 12), Evidence: "-k", Fix: edit("-k ", "")})),
		lens.Apply(security(policy.Finding{Rule: "Credential", Message: "the value of TOKEN stands in the text", Location: at(4, 11, 4, 29)})),
		lens.Apply(policy.Finding{Rule: "Unquoted", Class: policy.Correctness, Severity: policy.Warning, Message: "quote x>=1", Location: at(3, 18, 3, 22), Tool: ours, Evidence: "x>=1", Fix: edit("x>=1", `"x>=1"`), Tags: []string{"pip"}}),
		lens.Apply(policy.Finding{Rule: "Layers", Class: policy.Efficiency, Severity: policy.Advisory, Message: "one echo would do", Location: at(5, 5, 6, 16), Tool: ours}),
		lens.Apply(policy.Finding{Rule: "DL3008", Class: policy.ReleaseCompatibility, Severity: policy.Warning, Message: "pin versions", Location: &policy.Location{File: "other/Dockerfile", Start: policy.Position{Line: 7}}, Tool: policy.Tool{Name: "hadolint", Version: "2.12"}, Claims: []policy.Claim{{By: "inSource suppression", State: "accepted", Reason: "a test image"}}, ToolFingerprints: []policy.ToolFingerprint{{Name: "primaryLocationLineHash", Value: "39fa2ee980eb94b0:1"}}}),
		lens.Apply(policy.Finding{Rule: "CVE-2024-1234", Class: policy.SecurityPrivacy, Severity: policy.Advisory, Message: "zlib is old", Tool: policy.Tool{Name: "Trivy"}, Claims: []policy.Claim{{By: "external suppression", State: "accepted", Reason: "we say so"}}}),
	}
	findings[0].Acknowledged = &lens.Acknowledgement{Owner: "rev@example.com", Reason: "our own script: SEC-12", Expires: "2027-01-31"}
	return Report{
		Command: "check", Tool: Tool{ours, "https://example.com/loopxctl"}, Findings: findings,
		Sources: map[string]string{"Dockerfile": dockerfile}, Files: []string{"Dockerfile", "clean/Dockerfile"},
		Rules: []Rule{
			{Name: "VerifyOff", Description: "A check of certificates is switched off.", Help: "https://example.com/rules#verifyoff", Family: "verification"},
			{Name: "Credential", Description: "A secret stands in the text.", Secret: true, Family: "credential"},
		},
		Problems: []Problem{{File: "gone/Dockerfile", Message: "there is no such file"}},
	}
}

// written is what a format makes of a report.
func written(t *testing.T, format string, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := New(format, nil).Write(&b, r); err != nil {
		t.Fatal(format, err)
	}
	return b.String()
}

// TestGolden compares what each format makes of the sample, as it is, in public
// and under audit.
func TestGolden(t *testing.T) {
	t.Parallel()
	audit := sample()
	audit.Audit = true
	for name, r := range map[string]Report{
		"full": sample(), "public": Public(sample(), "see the private report"), "audit": audit, "empty": {Command: "check", Tool: sample().Tool, Files: []string{"Dockerfile"}},
	} {
		page := txtar.Archive{Comment: []byte("What each format makes of the report " + name + ".\n")}
		for _, format := range Formats() {
			page.Files = append(page.Files, txtar.File{Name: format, Data: []byte(written(t, format, r))})
		}
		file := filepath.Join("testdata", name+".txtar")
		if *update {
			if err := os.WriteFile(file, txtar.Format(&page), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(txtar.Format(&page))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestOrder holds that the order of the findings changes nothing.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		r := sample()
		want := written(t, format, r)
		slices.Reverse(r.Findings)
		slices.Reverse(r.Rules)
		slices.Reverse(r.Files)
		if got := written(t, format, r); got != want {
			t.Errorf("%s: %s", format, cmp.Diff(want, got))
		}
		r, s := Public(r, "x"), Public(sample(), "x")
		if got, want := written(t, format, r), written(t, format, s); got != want {
			t.Errorf("%s in public: %s", format, cmp.Diff(want, got))
		}
	}
}

func TestBlocking(t *testing.T) {
	t.Parallel()
	r := sample()
	if !r.Blocking() {
		t.Error("a blocker does not block")
	}
	if p := Public(r, ""); !p.Blocking() {
		t.Error("a withheld blocker does not block")
	}
	r.Audit = true
	p := Public(r, "")
	if r.Blocking() || p.Blocking() {
		t.Error("a blocker blocks under audit")
	}
	r = sample()
	r.Findings = r.Findings[:1]
	p = Public(r, "")
	if r.Blocking() || p.Blocking() {
		t.Error("an acknowledged blocker blocks")
	}
	r.Findings[0].Acknowledged = nil
	r.Findings[0].Severity = "bad"
	if !r.Blocking() {
		t.Error("a severity that is not known does not block")
	}
}

// TestPublic holds that no format tells anything of a sensitive finding.
func TestPublic(t *testing.T) {
	t.Parallel()
	r := sample()
	for i, f := range r.Findings {
		if f.Class == policy.SecurityPrivacy {
			r.Findings[i].Location = &policy.Location{File: "Secret" + fmt.Sprint(i), Start: policy.Position{Line: 4711, Column: 1}}
			r.Findings[i].Tags = []string{"Secret"}
		}
	}
	tagged := lens.Shadowed{Finding: policy.Finding{Rule: "SecretRule", Class: policy.Efficiency, Severity: policy.Warning, Message: "Secret", Tags: []string{"private_or_security_sensitive"}}}
	r.Findings = append(r.Findings, tagged)
	public := Public(r, "the rest is elsewhere")
	for _, format := range Formats() {
		text := written(t, format, public)
		for _, word := range []string{"Secret", "4711", "-k", "TOKEN", "zlib", "2024-1234", "SEC-12", "we say so", "a test image", "39fa2ee980eb94b0", "q7Rw2mZx", "VerifyOff", "curl"} {
			if strings.Contains(text, word) {
				t.Errorf("%s tells %q:\n%s", format, word, text)
			}
		}
		for _, word := range []string{"verification", "Trivy/CVE", "the rest is elsewhere", "quote x&gt;=1"} {
			if !strings.Contains(text, word) && !strings.Contains(text, strings.ReplaceAll(word, "&gt;", ">")) {
				t.Errorf("%s does not tell %q:\n%s", format, word, text)
			}
		}
	}
}

// TestUntagged holds that no format tells anything of a finding with the tag, or
// of a line that it stands on, whatever its class, and all of the others.
func TestUntagged(t *testing.T) {
	t.Parallel()
	r := sample()
	if got := Untagged(r, "x"); len(got.Findings) != len(r.Findings) || got.Withheld != nil || got.unquoted {
		t.Error("without a tag something is withheld")
	}
	for i, tag := range []string{"private_or_security_sensitive", "Private-Or-Security-Sensitive", " private or security sensitive "} {
		r.Findings = append(r.Findings, lens.Apply(policy.Finding{
			Rule: fmt.Sprintf("Hidden%d", i), Class: policy.Documentation, Severity: policy.Advisory, Message: "Secret", Evidence: "Secret", Tags: []string{tag},
			Location: &policy.Location{File: "./Dockerfile", Start: policy.Position{Line: 4711 + i}},
			Claims:   []policy.Claim{{By: "status", State: "resolved", Reason: "Secret"}},
			Tool:     policy.Tool{Name: "t"}, ToolFingerprints: []policy.ToolFingerprint{{Name: "Secret", Value: "Secret"}},
		}))
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(s lens.Shadowed) bool { return s.Rule == "Credential" })
	r.Findings[1].Acknowledged = &lens.Acknowledgement{Owner: "a", Reason: "b", Expires: "c"}
	got := Untagged(r, "the rest is elsewhere")
	if !got.Blocking() {
		t.Error("what has the tag does not block")
	}
	for _, format := range Formats() {
		text := written(t, format, got)
		for _, word := range []string{"Secret", "471", "Hidden", "q7Rw2mZx", "größe"} {
			if strings.Contains(text, word) {
				t.Errorf("%s tells %q:\n%s", format, word, text)
			}
		}
		for _, word := range []string{"the rest is elsewhere", "take -k out", "zlib is old", "VerifyOff"} {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not tell %q:\n%s", format, word, text)
			}
		}
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, rule, want string }{
		{"hadolint", "DL3008", "hadolint/DL"},
		{"Trivy", "CVE-2024-1", "Trivy/CVE"},
		{"", "AVD-DS-0002", "AVD"},
		{"semgrep", "PipeShell", "semgrep"},
		{"semgrep", "-x", "semgrep"},
		{"", "PipeShell", "other"},
	} {
		f := policy.Finding{Rule: tc.rule, Tool: policy.Tool{Name: tc.tool}}
		if got := family(Rule{}, f); got != tc.want {
			t.Errorf("%s %s is of the family %q, want %q", tc.tool, tc.rule, got, tc.want)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, name := range Formats() {
		if New(name, nil) == nil {
			t.Errorf("there is no writer of %s", name)
		}
	}
	if New("xml", nil) != nil {
		t.Error("xml has a writer")
	}
}
