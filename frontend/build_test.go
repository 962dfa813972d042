package frontend

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/builder"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/errdefs"
	"github.com/moby/buildkit/solver/pb"
	"google.golang.org/protobuf/proto"
)

const movable = `FROM debian
RUN curl -O http://downloads.example.org/x
ADD http://downloads.example.org/y /y
RUN make
`

// identifiers are the addresses of the http sources in a definition.
func identifiers(t *testing.T, def *pb.Definition) []string {
	t.Helper()
	var out []string
	for _, raw := range def.Def {
		var op pb.Op
		if err := proto.Unmarshal(raw, &op); err != nil {
			t.Fatal(err)
		}
		if id := op.GetSource().GetIdentifier(); strings.HasPrefix(id, "http") {
			out = append(out, id)
		}
	}
	return out
}

func TestSolvesWhatStockSolvesWhereNothingApplies(t *testing.T) {
	dockerfile := "FROM debian AS a\nRUN mkdir /x\nFROM debian\nCOPY --from=a /x /x\nADD https://example.org/x /y\nRUN curl https://example.org/x\n"
	opts := map[string]string{"platform": "linux/amd64", "build-arg:LOOPX_MODE": "enforce"}
	ours, stock := newFake(dockerfile, opts), newFake(dockerfile, opts)
	got := mustBuild(t, ours)
	want, err := builder.Build(t.Context(), stock)
	if err != nil {
		t.Fatal(err)
	}
	if len(ours.solved) != len(stock.solved) {
		t.Fatalf("solved %d definitions, stock %d", len(ours.solved), len(stock.solved))
	}
	for i := range ours.solved {
		if !proto.Equal(ours.solved[i], stock.solved[i]) {
			t.Errorf("definition %d differs from stock's", i)
		}
	}
	if len(got.Metadata[buildreport.Key]) == 0 {
		t.Error("there is no report")
	}
	delete(got.Metadata, buildreport.Key)
	if diff := cmp.Diff(want.Metadata, got.Metadata); diff != "" {
		t.Errorf("metadata (-stock +ours):\n%s", diff)
	}
}

func TestImageConfigIsStocks(t *testing.T) {
	ours, stock := newFake(movable, nil), newFake(movable, nil)
	got := mustBuild(t, ours)
	want, err := builder.Build(t.Context(), stock)
	if err != nil {
		t.Fatal(err)
	}
	const key = "containerimage.config"
	if diff := cmp.Diff(withoutDates(t, want.Metadata[key]), withoutDates(t, got.Metadata[key])); diff != "" {
		t.Errorf("image config (-stock +ours):\n%s", diff)
	}
}

func withoutDates(t *testing.T, config []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(config, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "created")
	for _, h := range m["history"].([]any) {
		delete(h.(map[string]any), "created")
	}
	return m
}

// TestForeignSyntaxIsNotFollowed: the fake refuses to run another frontend, as
// stock asks it to.
func TestForeignSyntaxIsNotFollowed(t *testing.T) {
	for name, tc := range map[string]struct {
		dockerfile string
		opts       map[string]string
	}{
		"directive":       {"# syntax=registry.example.org/other:1\n" + movable, nil},
		"c-style":         {"// syntax=registry.example.org/other:1\n", nil},
		"BUILDKIT_SYNTAX": {movable, map[string]string{"build-arg:BUILDKIT_SYNTAX": "registry.example.org/other:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := builder.Build(t.Context(), newFake(tc.dockerfile, tc.opts)); err == nil || !strings.Contains(err.Error(), "asked to run frontend gateway.v0") {
				t.Fatalf("stock doesn't follow it: %v", err)
			}
			if _, err := Build(t.Context(), newFake(tc.dockerfile, tc.opts)); err != nil && strings.Contains(err.Error(), "asked to run") {
				t.Errorf("followed: %v", err)
			}
		})
	}
}

// TestForeignSyntaxWithoutChecks: who asks for the stock frontend's answers is
// told, on the line, that another frontend is not followed; a line that names a
// Dockerfile frontend, or a request that came by a syntax line, is none of it.
func TestForeignSyntaxWithoutChecks(t *testing.T) {
	for name, tc := range map[string]struct {
		ref, cmdline string
		refused      bool
	}{
		"other":            {"registry.example.org/other:1", "", true},
		"docker's":         {"docker/dockerfile:1", "", false},
		"upstream's":       {"docker.io/docker/dockerfile-upstream:master", "", false},
		"ours":             {"localhost:5000/loopx-frontend:dev", "", false},
		"by a syntax line": {"registry.example.org/other:1", "registry.example.org/other:1", false},
	} {
		t.Run(name, func(t *testing.T) {
			opts := map[string]string{"build-arg:LOOPX_CHECKS": "off"}
			if tc.cmdline != "" {
				opts["cmdline"] = tc.cmdline
			}
			_, err := Build(t.Context(), newFake("# syntax="+tc.ref+"\n"+movable, opts))
			if !tc.refused {
				if err != nil && strings.Contains(err.Error(), "is not followed") {
					t.Error(err)
				}
				return
			}
			sources := errdefs.Sources(err)
			if len(sources) != 1 || sources[0].Ranges[0].Start.Line != 1 || sources[0].Info.Filename != "Dockerfile" {
				t.Errorf("error %v, sources %v", err, sources)
			}
		})
	}
}

func TestConfigurationFailsFirst(t *testing.T) {
	for variable, value := range map[string]string{
		"LOOPX_MODE":          "loud",
		"LOOPX_CHECKS":        "maybe",
		"LOOPX_REPORT":        "yes",
		"LOOPX_HOSTS":         "example.org=http://mirror.example.org",
		"LOOPX_DEBIAN_MIRROR": "http://mirror.example.org/debian",
		"LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR": "ftp://mirror.example.org",
	} {
		g := newFake(movable, map[string]string{"build-arg:" + variable: value})
		_, err := Build(t.Context(), g)
		var bad *route.ConfigError
		if !errors.As(err, &bad) || bad.Variable != variable {
			t.Errorf("%s=%s: error %v", variable, value, err)
		}
		if len(g.solved) > 0 {
			t.Errorf("%s: something was fetched", variable)
		}
	}
}

// TestDockerfileIsNotConfiguration: an ARG of the file is the file's.
func TestDockerfileIsNotConfiguration(t *testing.T) {
	g := newFake("ARG LOOPX_MODE=audit\nFROM debian\nARG LOOPX_MODE=audit\nENV LOOPX_MODE=audit\nRUN curl ftp://ftp.example.org/x\n", nil)
	var refused *RefusedError
	if _, err := Build(t.Context(), g); !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
}

func TestUnknownVariableIsNoted(t *testing.T) {
	g := newFake("FROM debian\nARG LOOPX_OWN\nRUN make\n", map[string]string{
		"build-arg:LOOPX_MOD": "audit", "build-arg:LOOPX_OWN": "1", "build-arg:OTHER": "1",
	})
	mustBuild(t, g)
	want := []string{
		"build arg LOOPX_MOD is not a variable of the LoopX frontend (did you mean LOOPX_MODE?)",
		"build arg LOOPX_OWN is not a variable of the LoopX frontend",
	}
	if diff := cmp.Diff(want, messages(g)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if g.warnings[0].vertex == "" {
		t.Error("the warning belongs to no vertex, and clients drop it")
	}
}

func TestWeakeningIsNoted(t *testing.T) {
	g := newFake("FROM debian\nRUN make\n", map[string]string{"build-arg:LOOPX_HOSTS": "downloads.example.org=keep"})
	mustBuild(t, g)
	if len(g.warnings) != 1 || !strings.HasPrefix(g.warnings[0].msg, "LOOPX_HOSTS: ") {
		t.Errorf("warnings: %v", messages(g))
	}
}

func messages(g *fakeGateway) []string {
	var out []string
	for _, w := range g.warnings {
		out = append(out, w.msg)
	}
	slices.Sort(out)
	return out
}

const refusedFile = `FROM debian
RUN make && \
    curl http://downloads.example.org:8080/x
RUN curl ftp://ftp.example.org/y
ADD http://user:secret@downloads.example.org:8080/z /z
`

func TestEnforceListsAllRefusals(t *testing.T) {
	g := newFake(refusedFile, nil)
	_, err := Build(t.Context(), g)
	var refused *RefusedError
	if !errors.As(err, &refused) || len(refused.Findings) != 3 {
		t.Fatalf("error %v", err)
	}
	text := err.Error()
	for _, want := range []string{
		"3 fetches can't be moved to TLS", "LOOPX_MODE=audit",
		"\n  Dockerfile:3: http://downloads.example.org:8080/x is", "\n  Dockerfile:4: ftp://ftp.example.org/y is", "\n  Dockerfile:5: http://***@downloads.example.org:8080/z is",
		"LOOPX_HOSTS=downloads.example.org:8080=upgrade",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the error lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("the error shows a password:\n%s", text)
	}
	var at []string
	for _, s := range errdefs.Sources(err) {
		at = append(at, fmt.Sprintf("%s:%d", s.Info.Filename, s.Ranges[0].Start.Line))
		if string(s.Info.Data) != refusedFile {
			t.Error("the source is not the user's file")
		}
	}
	if diff := cmp.Diff([]string{"Dockerfile:3", "Dockerfile:4", "Dockerfile:5"}, at); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if len(g.built()) > 0 {
		t.Error("the build went on")
	}
	if len(g.warnings) > 0 {
		t.Errorf("warnings: %v", messages(g))
	}
}

func TestAuditWarns(t *testing.T) {
	g := newFake("# check=skip=all\n"+refusedFile, map[string]string{"build-arg:LOOPX_MODE": "audit"})
	mustBuild(t, g)
	var at []string
	for _, w := range g.warnings {
		if !strings.HasPrefix(w.msg, "ClearTextRefused: ") {
			continue
		}
		at = append(at, fmt.Sprintf("%s:%d", w.opts.SourceInfo.Filename, w.opts.Range[0].Start.Line))
		if w.opts.URL == "" || len(w.opts.Detail) == 0 || w.vertex == "" {
			t.Errorf("incomplete: %+v", w)
		}
	}
	if diff := cmp.Diff([]string{"Dockerfile:4", "Dockerfile:5", "Dockerfile:6"}, at); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if len(g.built()) != 1 {
		t.Error("the build did not go on")
	}
}

func TestChecksOffIsQuietAndStillMoves(t *testing.T) {
	g := newFake(refusedFile, map[string]string{"build-arg:LOOPX_MODE": "audit", "build-arg:LOOPX_CHECKS": "off", "build-arg:LOOPX_TYPO": ""})
	mustBuild(t, g)
	if len(g.warnings) > 0 {
		t.Errorf("warnings: %v", messages(g))
	}
	g = newFake(movable, map[string]string{"build-arg:LOOPX_CHECKS": "off"})
	mustBuild(t, g)
	if diff := cmp.Diff([]string{"https://downloads.example.org/y"}, identifiers(t, g.built()[0])); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if _, err := Build(t.Context(), newFake(refusedFile, map[string]string{"build-arg:LOOPX_CHECKS": "off"})); err == nil {
		t.Error("a refused fetch passes")
	}
}

func TestCheckOptions(t *testing.T) {
	const add = "ADD http://downloads.example.org/y /y\n"
	for name, tc := range map[string]struct {
		dockerfile string
		opts       map[string]string
		warned     bool
		err        string
	}{
		"plain":               {"FROM debian\n" + add, nil, true, ""},
		"skip in the file":    {"# check=skip=AddWithoutChecksum\nFROM debian\n" + add, nil, false, ""},
		"skip all":            {"# check=skip=all\nFROM debian\n" + add, nil, false, ""},
		"skip another":        {"# check=skip=JSONArgsRecommended\nFROM debian\n" + add, nil, true, ""},
		"above the line":      {"FROM debian\n# check=skip=AddWithoutChecksum\n" + add, nil, false, ""},
		"above another":       {"FROM debian\n# check=skip=AddWithoutChecksum\nRUN make\n" + add, nil, true, ""},
		"operator":            {"FROM debian\n" + add, map[string]string{dockerfileCheck: "skip=AddWithoutChecksum"}, false, ""},
		"operator beats file": {"# check=skip=all\nFROM debian\n" + add, map[string]string{dockerfileCheck: "skip=StageNameCasing"}, true, ""},
		"error":               {"# check=error=true\nFROM debian\n" + add, nil, true, "lint violation found for rules: AddWithoutChecksum"},
		"error and skip":      {"# check=skip=AddWithoutChecksum;error=true\nFROM debian\n" + add, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFake(tc.dockerfile, tc.opts)
			_, err := Build(t.Context(), g)
			if got := fmt.Sprint(err); tc.err == "" && err != nil || tc.err != "" && got != tc.err {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			warned := slices.ContainsFunc(g.warnings, func(w fakeWarning) bool { return strings.HasPrefix(w.msg, "AddWithoutChecksum: ") })
			if warned != tc.warned {
				t.Errorf("warnings %v", messages(g))
			}
		})
	}
}

// TestPlatformsWarnOnce builds for two platforms: each gets its definition,
// the user one warning.
func TestPlatformsWarnOnce(t *testing.T) {
	g := newFake("FROM debian\nADD http://downloads.example.org/y /y\n", map[string]string{"platform": "linux/amd64,linux/arm64"})
	mustBuild(t, g)
	if len(g.built()) != 2 {
		t.Fatalf("%d definitions", len(g.built()))
	}
	for _, def := range g.built() {
		if diff := cmp.Diff([]string{"https://downloads.example.org/y"}, identifiers(t, def)); diff != "" {
			t.Errorf("sources (-want +got):\n%s", diff)
		}
	}
	if len(g.warnings) != 1 {
		t.Errorf("warnings: %v", messages(g))
	}
}

func TestFrontendInputsStay(t *testing.T) {
	theirs := llb.Image("docker.io/library/debian:latest").
		Run(llb.Shlex("curl -O http://downloads.example.org/theirs")).Root()
	g := newFake("FROM debian\nCOPY --from=theirs /x /x\nRUN curl -O http://downloads.example.org/ours\n", map[string]string{"context:theirs": "input:theirs"})
	g.inputs = map[string]llb.State{"theirs": theirs}
	mustBuild(t, g)
	var text strings.Builder
	for _, raw := range g.built()[0].Def {
		text.WriteString(string(raw))
	}
	if !strings.Contains(text.String(), "http://downloads.example.org/theirs") {
		t.Error("the input was changed")
	}
	if !strings.Contains(text.String(), "https://downloads.example.org/ours") {
		t.Error("our own RUN was not")
	}
}

func TestRemoteContextMoves(t *testing.T) {
	g := newFake("", map[string]string{"context": "http://downloads.example.org/context.tar", "build-arg:SOURCE_DATE_EPOCH": "context"})
	_, _ = Build(t.Context(), g) // the fake serves no archive
	if len(g.solved) == 0 {
		t.Fatal("nothing was solved")
	}
	for _, def := range g.solved {
		if diff := cmp.Diff([]string{"https://downloads.example.org/context.tar"}, identifiers(t, def)); diff != "" {
			t.Errorf("sources (-want +got):\n%s", diff)
		}
	}
	if len(g.warnings) > 0 {
		t.Errorf("warnings: %v", messages(g))
	}
}

func TestResolveSourceMetadataMoves(t *testing.T) {
	fake := newFake("FROM scratch\n", nil)
	w := wrapped(t, fake)
	op := &pb.SourceOp{Identifier: "http://downloads.example.org/x"}
	if _, err := w.ResolveSourceMetadata(t.Context(), op, sourceresolver.Opt{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"https://downloads.example.org/x"}, fake.resolved); diff != "" {
		t.Errorf("resolved (-want +got):\n%s", diff)
	}
	if op.Identifier != "http://downloads.example.org/x" {
		t.Error("the caller's op was changed")
	}
	op.Identifier = "http://downloads.example.org:8080/x"
	var refused *RefusedError
	if _, err := w.ResolveSourceMetadata(t.Context(), op, sourceresolver.Opt{}); !errors.As(err, &refused) {
		t.Errorf("error %v", err)
	}
}

func TestOperatorCA(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		err   string
	}{
		"certificate": {map[string]string{"corp.crt": testCA(t), "README": "not read"}, ""},
		"nothing":     {map[string]string{"README": "-"}, "build context loopx-ca: it holds no *.crt or *.pem file"},
		"empty":       {nil, "build context loopx-ca: it holds no *.crt or *.pem file"},
		"key":         {map[string]string{"corp.pem": testCA(t) + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}, "build context loopx-ca: corp.pem: holds a private key"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFake(movable+"RUN npm ci\nRUN echo plain\n", map[string]string{"context:loopx-ca": "local:loopx-ca"})
			g.locals["loopx-ca"] = tc.files
			_, err := Build(t.Context(), g)
			if tc.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for command, want := range map[string]bool{"npm ci": true, "echo plain": false, "make": true, "curl -O https://downloads.example.org/x": true} {
				if got := hasMount(t, g.built()[0], command); got != want {
					t.Errorf("RUN %s has the bundle: %v", command, got)
				}
			}
		})
	}
}

// TestSubrequestsAreStocks compares the answers that hold nothing of ours.
func TestSubrequestsAreStocks(t *testing.T) {
	for _, dockerfile := range []string{movable, "FROM debian\nRUN mkdir /x\n", "FROM debian AS a\nARG X=1\n# b is for y\nFROM a AS b\nENV A B\n"} {
		for _, id := range []string{"frontend.subrequests.describe", "frontend.outline", "frontend.targets", "frontend.lint", "frontend.convertllb"} {
			if dockerfile == movable && (id == "frontend.lint" || id == "frontend.convertllb") {
				continue
			}
			opts := map[string]string{"requestid": id}
			got := mustBuild(t, newFake(dockerfile, opts))
			want, err := builder.Build(t.Context(), newFake(dockerfile, opts))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Metadata["result.txt"], got.Metadata["result.txt"]); diff != "" {
				t.Errorf("%s of\n%s(-stock +ours):\n%s", id, dockerfile, diff)
			}
			if diff := cmp.Diff(decoded(t, want.Metadata["result.json"]), decoded(t, got.Metadata["result.json"])); diff != "" {
				t.Errorf("%s of\n%s(-stock +ours):\n%s", id, dockerfile, diff)
			}
		}
	}
}

// decoded reads JSON: protojson writes blanks at random.
func decoded(t *testing.T, dt []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(dt, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLintAddsFindings(t *testing.T) {
	dockerfile := refusedFile + "ADD http://downloads.example.org/y /y\nENV A B\n"
	res := mustBuild(t, newFake(dockerfile, map[string]string{"requestid": "frontend.lint"}))
	var results lint.LintResults
	if err := json.Unmarshal(res.Metadata["result.json"], &results); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range results.Warnings {
		got = append(got, fmt.Sprintf("%d %s", w.Location.Ranges[0].Start.Line, w.RuleName))
		if w.Description == "" || w.URL == "" || w.Detail == "" {
			t.Errorf("incomplete: %+v", w)
		}
	}
	slices.Sort(got)
	want := []string{
		"3 ClearTextRefused", "4 ClearTextRefused", "5 ClearTextRefused",
		"6 AddWithoutChecksum", "7 LegacyKeyValueFormat",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	stock, err := builder.Build(t.Context(), newFake(dockerfile, map[string]string{"requestid": "frontend.lint"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sources(t, stock.Metadata["result.json"]), sources(t, res.Metadata["result.json"])); diff != "" {
		t.Errorf("sources (-stock +ours):\n%s", diff)
	}
	if string(res.Metadata["result.statuscode"]) != "1" || !strings.Contains(string(res.Metadata["result.txt"]), "WARNING: ClearTextRefused") {
		t.Errorf("status %s, text\n%s", res.Metadata["result.statuscode"], res.Metadata["result.txt"])
	}
}

func sources(t *testing.T, dt []byte) any {
	return decoded(t, dt).(map[string]any)["sources"]
}

func TestLintRulesAreKnown(t *testing.T) {
	for _, name := range lintRules(llbpass.AptAuto) {
		if r := ruleNamed(name); r.Description == "" {
			t.Errorf("package rewrite has no rule %s", name)
		}
	}
}

// TestCheckErrorInLint: an error asked for by the file is in the answer, as
// BuildKit's own are.
func TestCheckErrorInLint(t *testing.T) {
	res := mustBuild(t, newFake("# check=error=true\nFROM debian\nADD http://downloads.example.org/y /y\n", map[string]string{"requestid": "frontend.lint"}))
	if got := string(res.Metadata["result.json"]); !strings.Contains(got, "lint violation found for rules: AddWithoutChecksum") {
		t.Errorf("answer:\n%s", got)
	}
}

func TestLintOptions(t *testing.T) {
	const add = "ADD http://downloads.example.org/y /y\n"
	for name, tc := range map[string]struct {
		dockerfile string
		opts       map[string]string
		status     string
	}{
		"finding":    {"FROM debian\n" + add, nil, "1"},
		"skipped":    {"# check=skip=AddWithoutChecksum\nFROM debian\n" + add, nil, "0"},
		"checks off": {"FROM debian\n" + add, map[string]string{"build-arg:LOOPX_CHECKS": "off"}, "0"},
		"host kept":  {"FROM debian\n" + add, map[string]string{"build-arg:LOOPX_HOSTS": "downloads.example.org=keep"}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := map[string]string{"requestid": "frontend.lint"}
			maps.Copy(opts, tc.opts)
			res := mustBuild(t, newFake(tc.dockerfile, opts))
			if got := string(res.Metadata["result.statuscode"]); got != tc.status {
				t.Errorf("status %s, want %s:\n%s", got, tc.status, res.Metadata["result.txt"])
			}
		})
	}
}

func TestConvertLLBMoves(t *testing.T) {
	opts := map[string]string{"requestid": "frontend.convertllb", "platform": "linux/amd64"}
	res := mustBuild(t, newFake(movable, opts))
	got, err := readConverted(res.Metadata["result.json"])
	if err != nil {
		t.Fatal(err)
	}
	g := newFake(movable, map[string]string{"platform": "linux/amd64"})
	mustBuild(t, g)
	want := g.built()[0]
	if diff := cmp.Diff(opSet(want), opSet(got)); diff != "" {
		t.Errorf("the answer is not what is built (-built +answer):\n%s", diff)
	}
	if len(got.Source.Locations) != len(want.Source.Locations) {
		t.Errorf("%d locations, want %d", len(got.Source.Locations), len(want.Source.Locations))
	}
	if _, err := Build(t.Context(), newFake(refusedFile, opts)); err == nil {
		t.Error("a refused fetch passes")
	}
}

// TestConvertedReadsBack reads stock's answers for BuildKit's own files.
func TestConvertedReadsBack(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(buildKitDir(t), "frontend/dockerfile/parser/testfiles/*/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, file := range files {
		dockerfile, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res, err := builder.Build(t.Context(), newFake(string(dockerfile), map[string]string{"requestid": "frontend.convertllb", "cmdline": "x"}))
		if err != nil {
			continue // BuildKit refuses it
		}
		answers++
		def, err := readConverted(res.Metadata["result.json"])
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		out, err := writeConverted(def)
		if err != nil {
			t.Fatal(err)
		}
		again, err := out.ToResult()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, res.Metadata["result.json"]), decoded(t, again.Metadata["result.json"])); diff != "" {
			t.Errorf("%s (-stock +ours):\n%s", file, diff)
		}
	}
	if answers < 20 {
		t.Errorf("only %d answers", answers)
	}
}

// buildKitDir is the folder of BuildKit's module.
func buildKitDir(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/moby/buildkit").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func opSet(def *pb.Definition) []string {
	var out []string
	for _, raw := range def.Def {
		out = append(out, string(raw))
	}
	slices.Sort(out)
	return out
}

func TestWrapperKeepsTheClientsOwn(t *testing.T) {
	// The interface has no such method, and a client may lack it.
	if st, err := wrapped(t, struct{ client.Client }{newFake("", nil)}).CurrentFrontend(); st != nil || err != nil {
		t.Errorf("a client without gives %v, %v", st, err)
	}
	st, err := wrapped(t, newFake("", nil)).CurrentFrontend()
	if st == nil || err != nil {
		t.Errorf("a client with gives %v, %v", st, err)
	}
}

func TestOptionsAreACopy(t *testing.T) {
	fake := newFake("", map[string]string{"cmdline": "theirs"})
	w := wrapped(t, fake)
	if got := w.BuildOpts().Opts["cmdline"]; got != "theirs" {
		t.Errorf("cmdline is %q", got)
	}
	w.BuildOpts().Opts["multi-platform"] = "true"
	if fake.opts["multi-platform"] != "" {
		t.Error("the client's own options were written")
	}
	if w.BuildOpts().Opts["multi-platform"] != "true" {
		t.Error("what the builder writes is lost")
	}
}
