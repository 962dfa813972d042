package frontend

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/errdefs"
	fstypes "github.com/tonistiigi/fsutil/types"
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
	return r.signsFor(t, file, path, "reviewed")
}

func (r reviewer) signsFor(t *testing.T, file, path, reason string) string {
	t.Helper()
	plan, err := rewrite.New([]byte(file), rewrite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	source := dockerfile.Source{Name: path, Text: []byte(file), Plan: plan}
	var data []byte
	for i, subject := range source.Subjects(source.Findings()) {
		if plan.Findings[i].Severity != rewrite.Blocker {
			continue
		}
		now := time.Now().UTC().Truncate(time.Second)
		e := &ack.Entry{
			Subject: subject, Occurrences: 1, Reason: reason, Principal: reviewerName,
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
			checkAcknowledged(t, g, res.Metadata[buildreport.Key])
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
	var r buildreport.Report
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

// TestOnlyWhatTheTextShows: a trigger of the base image fetches what a reviewer
// signed for in another instruction.
func TestOnlyWhatTheTextShows(t *testing.T) {
	const file = "FROM debian\nADD http://downloads.example.org:8080/y /y\n"
	who := newReviewer(t)
	f := Frontend{Policy: fstest.MapFS{"allowed_signers": {Data: []byte(who.line)}}}
	for trigger, want := range map[string]string{
		"RUN true": "",
		"ADD http://downloads.example.org:8080/y /z": "\n  Dockerfile:1: http://downloads.example.org:8080/y is fetched in clear text",
	} {
		g := newFake(file, map[string]string{"vcs:source": "https://example.org/team/app"})
		g.locals["context"] = map[string]string{ack.Path: who.signs(t, file, "Dockerfile")}
		g.onbuild = []string{trigger}
		_, err := f.Build(t.Context(), g)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) || strings.Contains(got, "Dockerfile:2") {
			t.Errorf("%s: error %v, want %q", trigger, err, want)
		}
	}
}

// TestStageOfATrigger: a trigger of the base image copies from a stage that
// nothing in the file needs.
func TestStageOfATrigger(t *testing.T) {
	const file = "FROM scratch AS other\nCOPY x /x\nADD --unpack=false https://downloads.example.org/x /y\n" +
		"ENV GIT_SSL_NO_VERIFY=1\nFROM debian\nRUN true\n"
	g := newFake(file, nil)
	if _, err := Build(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	g = newFake(file, nil)
	g.onbuild = []string{"COPY --from=other /x /x"}
	_, err := Build(t.Context(), g)
	if refused, ok := errors.AsType[*RefusedError](err); !ok || len(refused.Findings) != 1 || startLine(refused.Findings[0].Ranges) != 4 {
		t.Errorf("error %v", err)
	}
}

// withoutContext is a daemon that is given no build context.
type withoutContext struct{ *fakeGateway }

func (g withoutContext) Solve(ctx context.Context, req client.SolveRequest) (*client.Result, error) {
	for _, raw := range req.Definition.Def {
		if bytes.Contains(raw, []byte("local://context")) {
			return nil, errors.New("no access allowed to dir \"context\"")
		}
	}
	return g.fakeGateway.Solve(ctx, req)
}

// TestUnreadableAcknowledgements: they count for nothing, and stop nothing.
func TestUnreadableAcknowledgements(t *testing.T) {
	who := newReviewer(t)
	f := Frontend{Policy: fstest.MapFS{"allowed_signers": {Data: []byte(who.line)}}}
	request := func(opts map[string]string) *fakeGateway {
		g := newFake(blocked, opts)
		g.locals["context"] = map[string]string{ack.Path: "nonsense: 1\n"}
		return g
	}
	_, err := f.Build(t.Context(), request(nil))
	if refused, ok := errors.AsType[*RefusedError](err); !ok || len(refused.Findings) != 2 || !strings.Contains(err.Error(), "can't be read: .loopx/acknowledgements.yaml: line 1: ") {
		t.Errorf("error %v", err)
	}
	check := map[string]string{"requestid": lint.RequestLint}
	for name, c := range map[string]client.Client{
		"audit":                    request(map[string]string{"build-arg:LOOPX_MODE": "audit"}),
		"--check":                  request(check),
		"--check without a folder": withoutContext{request(check)},
	} {
		if _, err := f.Build(t.Context(), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// brokenRef can't list its folders.
type brokenRef struct{ client.Reference }

func (brokenRef) ReadDir(context.Context, client.ReadDirRequest) ([]*fstypes.Stat, error) {
	return nil, errors.New("broken")
}

// TestReadingFails: a list of revoked keys that can't be looked for is not a
// missing one.
func TestReadingFails(t *testing.T) {
	read := reading(t.Context(), brokenRef{})
	if _, err := read(ack.RevokedFile); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := read(ack.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that may be missing: %v", err)
	}
}

// TestWayOut: the command can be typed as it is printed.
func TestWayOut(t *testing.T) {
	const file = "FROM debian\nARG HOST\nRUN curl -k https://$HOST/\n"
	for path, want := range map[string]string{
		"images/app/Dockerfile": " --file images/app/Dockerfile --finding ",
		"a b/$(id)/Dockerfile":  ` --file 'a b/$(id)/Dockerfile' --finding `,
		"it's/Dockerfile":       ` --file 'it'\''s/Dockerfile' --finding `,
		"a\x1b[2J/Dockerfile":   "sign for: loopxctl ack create --help",
	} {
		_, err := Build(t.Context(), newFake(file, map[string]string{
			"build-arg:LOOPX_DOCKERFILE": path, "build-arg:HOST": "q7Rw2mZx9Kd41LpNvB", "build-arg:OTHER": "1",
		}))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "q7Rw2mZx9Kd41LpNvB") {
			t.Errorf("%q: error %v", path, err)
		} else if strings.Contains(want, "--finding") && !strings.HasSuffix(err.Error(), "--expires 30d, with the build's --build-arg of HOST") {
			t.Errorf("%q: the build args are not named: %v", path, err)
		}
	}
}

// TestWayOutOfAFolder: the acknowledgements are at the root of the repository,
// and the build context is not.
func TestWayOutOfAFolder(t *testing.T) {
	for dir, want := range map[string]bool{"": false, ".": false, "images/app": true} {
		_, err := Build(t.Context(), newFake(blocked, map[string]string{"vcs:localdir:context": dir}))
		const hint = "looks for .loopx/acknowledgements.yaml in its context, the folder images/app, and for acknowledgements.yaml in the context loopx-policy"
		if err == nil || strings.Contains(err.Error(), hint) != want || !want && strings.Contains(err.Error(), "looks for") {
			t.Errorf("%q: error %v", dir, err)
		}
	}
}

// TestAcknowledgementsShowNoSecret: what an entry and a build arg say is redacted.
func TestAcknowledgementsShowNoSecret(t *testing.T) {
	const secret = "ghp_q7Rw2mZx9Kd41LpNvBq7Rw2mZx9Kd41LpNvB"
	who := newReviewer(t)
	f := Frontend{Policy: fstest.MapFS{"allowed_signers": {Data: []byte(who.line)}}}
	for name, repository := range map[string]string{
		"lifted":       "https://user:" + secret + "@example.org/team/app.git",
		"for no other": "https://user:" + secret + "@example.org/team/other\x1b[2J",
	} {
		g := newFake(blocked, map[string]string{"build-arg:LOOPX_REPOSITORY": repository})
		g.locals["context"] = map[string]string{ack.Path: who.signsFor(t, blocked, "Dockerfile", "as in "+secret)}
		res, err := f.Build(t.Context(), g)
		said := fmt.Sprint(err, g.shown, g.warnings)
		if err == nil {
			said += string(res.Metadata[buildreport.Key])
		}
		if (err == nil) != (name == "lifted") || strings.Contains(said, secret) || strings.Contains(said, "\x1b") {
			t.Errorf("%s: it says %q", name, said)
		}
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
