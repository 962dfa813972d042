package frontend

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/errdefs"
	"golang.org/x/crypto/ssh"
)

// blocked has a blocker that the text shows, one of the pass, and one in a
// stage that takes no part.
const blocked = `FROM debian AS other
RUN wget --no-check-certificate https://downloads.example.org/other
FROM debian
ARG HOST=downloads.example.org
RUN curl -k https://$HOST/x
ADD http://downloads.example.org:8080/y /y
`

func TestEnforceListsBlockersOfTheText(t *testing.T) {
	g := newFake(blocked, nil)
	_, err := Build(t.Context(), g)
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || len(refused.Findings) != 2 {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{
		"2 findings stop this build (LOOPX_MODE=audit warns instead):\n  Dockerfile:5: ", "[VerificationOff ", "\n  Dockerfile:6: ", "[ClearTextRefused ",
		"loopxctl ack create --file Dockerfile --finding " + refused.Findings[0].Fingerprint[:12] + " --reason",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%s", want, err)
		}
	}
	var at []int32
	for _, s := range errdefs.Sources(err) {
		at = append(at, s.Ranges[0].Start.Line)
	}
	if diff := cmp.Diff([]int32{5, 6}, at); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if len(g.built()) > 0 {
		t.Error("the build went on")
	}
}

func TestTextIsJudged(t *testing.T) {
	const secret = "ENV API_TOKEN=q7Rw2mZx9Kd41LpNvB\n"
	for name, tc := range map[string]struct {
		file string
		opts map[string]string
		want []string // rules, nil for a build that goes on
	}{
		"settings alone":  {"FROM scratch\n" + secret, nil, []string{"CredentialInVariable"}},
		"another target":  {blocked, map[string]string{"target": "other"}, []string{"VerificationOff"}},
		"checks off":      {"FROM debian\n" + secret + "RUN curl -k https://downloads.example.org/\n", map[string]string{"build-arg:LOOPX_CHECKS": "off"}, nil},
		"audit":           {blocked, map[string]string{"build-arg:LOOPX_MODE": "audit"}, nil},
		"warnings":        {"FROM debian\nRUN curl https://downloads.example.org/ | sh\n", nil, nil},
		"ignored warning": {"FROM debian\n# loopx:ignore=CurlPipeShell reason=reviewed\nRUN curl https://downloads.example.org/ | sh\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Build(t.Context(), newFake(tc.file, tc.opts))
			var got []string
			if refused, ok := errors.AsType[*RefusedError](err); ok {
				for _, f := range refused.Findings {
					got = append(got, f.Rule)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("blockers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextWarns(t *testing.T) {
	g := newFake(blocked+"RUN curl https://downloads.example.org/ | sh\n", map[string]string{"build-arg:LOOPX_MODE": "audit"})
	mustBuild(t, g)
	var got []string
	for _, w := range g.warnings {
		rule, _, _ := strings.Cut(w.msg, ":")
		got = append(got, rule)
		if w.vertex == "" {
			t.Errorf("%s has no vertex", rule)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"ClearTextRefused", "CurlPipeShell", "VerificationOff"}, slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "LOOPX_") })); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// reviewer signs.
type reviewer struct {
	signer ssh.Signer
	line   string // of allowed_signers
}

const reviewerName = "reviewer@example.org"

func newReviewer(t *testing.T) reviewer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return reviewer{signer, reviewerName + " " + string(ssh.MarshalAuthorizedKey(signer.PublicKey()))}
}

// signs returns acknowledgements of all blockers of a Dockerfile.
func (r reviewer) signs(t *testing.T, file, path string) string {
	t.Helper()
	plan, err := rewrite.New([]byte(file), rewrite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	source := dockerfile.Source{Name: path, Text: []byte(file), Plan: plan}
	var data []byte
	for i, subject := range source.Subjects() {
		if plan.Findings[i].Severity != rewrite.Blocker {
			continue
		}
		now := time.Now().UTC().Truncate(time.Second)
		e := &ack.Entry{
			Subject: subject, Occurrences: 1, Reason: "reviewed", Principal: reviewerName,
			Created: now, Expires: now.AddDate(0, 0, 30), Repository: "example.org/team/app",
		}
		if err := e.Sign(r.signer); err != nil {
			t.Fatal(err)
		}
		if data, err = ack.Append(data, e, false); err != nil {
			t.Fatal(err)
		}
	}
	return string(data)
}

func TestAcknowledged(t *testing.T) {
	who, other := newReviewer(t), newReviewer(t)
	inGit := map[string]string{"vcs:source": "https://example.org/team/app.git", "vcs:localdir:dockerfile": "images/app"}
	signed := who.signs(t, blocked, "images/app/Dockerfile")
	baked := fstest.MapFS{"allowed_signers": {Data: []byte(who.line)}}
	const outOfDate = "was for another form of the instruction"
	for name, tc := range map[string]struct {
		file    string
		opts    map[string]string
		baked   fs.FS
		context map[string]string // the build context
		policy  map[string]string // the context loopx-policy, nil for none
		want    string            // in the error, "" for a build that goes on
	}{
		"signers in the image":    {baked: baked, context: map[string]string{ack.Path: signed}},
		"signers of the operator": {policy: map[string]string{"allowed_signers": who.line}, context: map[string]string{ack.Path: signed}},
		"all of the operator":     {policy: map[string]string{"allowed_signers": who.line, "acknowledgements.yaml": signed}},
		"named by build args": {
			opts:  map[string]string{"build-arg:LOOPX_REPOSITORY": "example.org/team/app", "build-arg:LOOPX_DOCKERFILE": "images/app/Dockerfile", "vcs:source": "", "vcs:localdir:dockerfile": ""},
			baked: baked, context: map[string]string{ack.Path: signed},
		},
		"nobody is trusted":          {context: map[string]string{ack.Path: signed}, want: "no trusted source of signers"},
		"signers of the change":      {context: map[string]string{ack.Path: signed, ".loopx/allowed_signers": who.line, "allowed_signers": who.line}, want: "no trusted source of signers"},
		"somebody else":              {baked: fstest.MapFS{"allowed_signers": {Data: []byte(other.line)}}, context: map[string]string{ack.Path: signed}, want: "is not among the signers of the frontend's image"},
		"the operator's word counts": {baked: baked, policy: map[string]string{"allowed_signers": other.line}, context: map[string]string{ack.Path: signed}, want: "is not among the signers of the build context loopx-policy"},
		"nothing signed":             {baked: baked, want: "[VerificationOff "},
		"another repository":         {baked: baked, opts: map[string]string{"vcs:source": "https://example.org/team/other"}, context: map[string]string{ack.Path: signed}, want: "is for the repository example.org/team/app"},
		"another file":               {baked: baked, opts: map[string]string{"vcs:localdir:dockerfile": "images/other"}, context: map[string]string{ack.Path: signed}, want: "[VerificationOff "},
		"another value":              {baked: baked, opts: map[string]string{"build-arg:HOST": "evil.example.org"}, context: map[string]string{ack.Path: signed}, want: outOfDate},
		"another instruction":        {file: strings.Replace(blocked, "/x\n", "/x | sh\n", 1), baked: baked, context: map[string]string{ack.Path: signed}, want: outOfDate},
		"one more":                   {file: blocked + "RUN true\nRUN curl -k https://$HOST/x\n", baked: baked, context: map[string]string{ack.Path: signed}, want: "signed for 1 of these findings, and there are 2"},
		"broken":                     {baked: baked, context: map[string]string{ack.Path: "nonsense: 1\n"}, want: "no acknowledgement counts"},
		"broken signers":             {baked: fstest.MapFS{"allowed_signers": {Data: []byte("x\n")}}, context: map[string]string{ack.Path: signed}, want: "/etc/loopx in the frontend's image: allowed_signers: line 1"},
		"no signers":                 {policy: map[string]string{"README": ""}, want: "build context loopx-policy: it has neither allowed_signers nor policy.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := maps.Clone(inGit)
			maps.Copy(opts, tc.opts)
			if tc.file == "" {
				tc.file = blocked
			}
			g := newFake(tc.file, opts)
			g.locals["context"] = tc.context
			if tc.policy != nil {
				g.opts["context:loopx-policy"] = "local:loopx-policy"
				g.locals["loopx-policy"] = tc.policy
			}
			res, err := Frontend{Policy: tc.baked}.Build(t.Context(), g)
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("error %v, want %q", err, tc.want)
			case tc.want != "":
				return
			}
			checkAcknowledged(t, g, res.Metadata[ReportKey])
		})
	}
}

// checkAcknowledged checks that a build says what a reviewer signed for.
func checkAcknowledged(t *testing.T, g *fakeGateway, report []byte) {
	t.Helper()
	until := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	var got []string
	for _, line := range g.shown {
		if strings.HasPrefix(line, "[internal] Dockerfile:") {
			got = append(got, line)
		}
	}
	want := []string{
		"[internal] Dockerfile:6: ClearTextRefused acknowledged by " + reviewerName + " until " + until + ": reviewed",
		"[internal] Dockerfile:5: VerificationOff acknowledged by " + reviewerName + " until " + until + ": reviewed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	var r Report
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == "blocker" && (f.AcknowledgedBy != reviewerName || f.AcknowledgedUntil != until || f.Reason != "reviewed") {
			t.Errorf("in the report: %+v", f)
		}
	}
	if len(r.Findings) != 2 {
		t.Errorf("%d findings in the report: %+v", len(r.Findings), r.Findings)
	}
}

func TestLintTellsBlockers(t *testing.T) {
	who := newReviewer(t)
	const secrets = "ENV API_TOKEN=q7Rw2mZx9Kd41LpNvB\nENV LEVEL=ghp_q7Rw2mZx9Kd41LpNvBq7Rw2mZx9Kd41LpNvB\n"
	for name, tc := range map[string]struct {
		signed string
		want   []string
	}{
		// BuildKit's own SecretsUsedInArgOrEnv has said the first of the two.
		"open":         {"", []string{"VerificationOff", "VerificationOff", "ClearTextRefused", "CredentialInFile"}},
		"acknowledged": {who.signs(t, blocked+secrets, "Dockerfile"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFake(blocked+secrets, map[string]string{"requestid": lint.RequestLint, "vcs:source": "https://example.org/team/app"})
			g.locals["context"] = map[string]string{ack.Path: tc.signed}
			res, err := Frontend{Policy: fstest.MapFS{"allowed_signers": {Data: []byte(who.line)}}}.Build(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			var results lint.LintResults
			if err := json.Unmarshal(res.Metadata["result.json"], &results); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range results.Warnings {
				if slices.ContainsFunc(rewrite.Rules(), func(r rewrite.Rule) bool { return r.Name == w.RuleName && r.Severity == rewrite.Blocker }) {
					got = append(got, w.RuleName)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("blockers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRulesPage holds that docs/rules.md says of each rule whether a build and
// --check tell it.
func TestRulesPage(t *testing.T) {
	page, err := os.ReadFile("../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	ofPass := []string{"ClearTextRefused", "AptUnguarded", "GuardTampering", "AptMayBeUnguarded", "NotEdited", "AddWithoutChecksum"}
	for _, r := range rewrite.Rules() {
		_, row, ok := strings.Cut(string(page), "\n| ["+r.Name+"](")
		if !ok {
			t.Errorf("%s has no row", r.Name)
			continue
		}
		columns := strings.Split(row, " | ")
		told := slices.Contains(append(textRules(), ofPass...), r.Name)
		if strings.HasPrefix(columns[2], "yes") != told {
			t.Errorf("a build tells %s: %v, and the page says %q", r.Name, told, columns[2])
		}
		if ends := strings.Contains(columns[2], "ends the build"); ends != (told && r.Severity == rewrite.Blocker) {
			t.Errorf("%s is %s, and the page says %q", r.Name, r.Severity, columns[2])
		}
		if told := slices.Contains(lintRules(llbpass.AptAuto), r.Name); strings.HasPrefix(columns[3], "yes") != told {
			t.Errorf("--check tells %s: %v, and the page says %q", r.Name, told, columns[3])
		}
	}
}
