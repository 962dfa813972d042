package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/gate"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/provenance"
	"github.com/loopx/loopx-frontend/policy/report"
)

// TestReleaseGateExample runs the script of the example, and holds that it prints
// what its page shows.
func TestReleaseGateExample(t *testing.T) {
	t.Parallel()
	dir, path := exampleToRun(t, "release-gate", "example")
	cmd := exec.CommandContext(t.Context(), "sh", "gate.sh", "--color", "never")
	cmd.Dir, cmd.Env = dir, []string{path, "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, shown, ok := strings.Cut(string(page), "```text\n")
	shown, _, closed := strings.Cut(shown, "```\n")
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".*") + "$"
	if !ok || !closed || !regexp.MustCompile(pattern).Match(out) {
		t.Errorf("the page shows:\n%s\nit prints:\n%s", shown, out)
	}
}

// TestReleaseGateSchema holds that the schema of the verdict is closed, and that
// verdicts keep to it.
func TestReleaseGateSchema(t *testing.T) {
	t.Parallel()
	schema := published("release-gate")
	root, err := parseSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range root["$defs"].(map[string]any) {
		if def := def.(map[string]any); def["type"] == "object" && def["additionalProperties"] != false {
			t.Errorf("%s is open", name)
		}
	}
	digest := "sha256:" + strings.Repeat("1", 64)
	v := gate.Judge(gate.Input{
		Tool: policy.Tool{Name: "loopxctl", Version: "1"}, Now: time.Unix(0, 0),
		Tree: gate.Tree{
			Repository: "git.example.com/a/b", Commit: strings.Repeat("a", 40), Tags: []string{"v1"}, Ran: []string{"dockerfile"},
			Findings: []lens.Shadowed{lens.Apply(policy.Finding{
				Rule: "R", Class: policy.SecurityPrivacy, Message: "m", Location: &policy.Location{File: "f", Start: policy.Position{Line: 1}},
			})},
			Problems: []report.Problem{{File: "f", Line: 2, Message: "m"}},
			Notices:  gate.NoticeRun{Since: time.Unix(1, 0), Commit: "c", Records: []gate.Notice{{ID: "CVE-1", Affected: true}}},
		},
		Images: []gate.Image{
			{Ref: "app:1", Digest: digest, Platforms: []gate.Platform{{
				Name: "linux/amd64", Digest: digest, Attestation: digest,
				Build: &provenance.Build{Mode: provenance.Max, Subjects: []provenance.Subject{{Digest: digest}}},
			}}},
			{Ref: "broken", Broken: "no"},
		},
	})
	var good string
	for _, public := range []bool{true, false} {
		var b bytes.Buffer
		if err := v.JSON(&b, public); err != nil {
			t.Fatal(err)
		}
		good = b.String()
		if err := validateLens(schema, b.Bytes()); err != nil {
			t.Errorf("public %v: %v\n%s", public, err, good)
		}
	}
	for _, change := range [][2]string{
		{`"decision": "fail"`, `"decision": "maybe"`},
		{`"schema_version": 1`, `"schema_version": 2`},
		{`"command": "release-gate"`, `"command": "gate"`},
		{`"status": "unprovable"`, `"status": "unknown"`},
		{`"grade": "unsigned"`, `"grade": "good"`},
		{`"name": "image.bases"`, `"name": "image.base"`},
		{`"public": false`, `"public": false, "more": 1`},
		{`"time": "1970-01-01T00:00:00Z"`, `"time": "today"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good || validateLens(schema, []byte(bad)) == nil {
			t.Errorf("%s passes for %s", change[1], change[0])
		}
	}
}
