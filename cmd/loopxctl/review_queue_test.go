package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy"
)

// pulls is a repository with pull requests, and the list that gh prints of them.
type pulls struct {
	*gitbed.Repo
	t    *testing.T
	base string
	list []map[string]any
}

const (
	cleanDockerfile   = "FROM debian:bookworm-slim\nRUN curl -fsS https://example.com/\n"
	blockedDockerfile = "FROM debian:bookworm-slim\nRUN curl -kfsS https://example.com/\n"
)

func newPulls(t *testing.T) *pulls {
	t.Helper()
	repo := gitbed.New(t)
	p := &pulls{Repo: repo, t: t, base: repo.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text(cleanDockerfile), "README.md": gitbed.Text("x\n")})}
	repo.Git("update-ref", "refs/remotes/origin/main", p.base)
	return p
}

// add adds a pull request whose head has files.
func (p *pulls) add(files gitbed.Files, change map[string]any) {
	p.t.Helper()
	number := len(p.list) + 1
	head := p.Commit(fmt.Sprint("pr", number), p.base, files)
	var changed []any
	for name := range files {
		changed = append(changed, map[string]any{"path": name, "additions": 1, "deletions": 0})
	}
	pr := map[string]any{
		"number": number, "title": fmt.Sprint("change ", number), "url": fmt.Sprintf("https://github.com/o/r/pull/%d", number),
		"author": map[string]any{"login": "someone"}, "state": "OPEN", "isDraft": false, "baseRefName": "main", "baseRefOid": p.base,
		"headRefName": "topic", "headRefOid": head, "createdAt": "2026-11-01T00:00:00Z", "mergedAt": nil, "additions": 1, "deletions": 0,
		"changedFiles": len(files), "files": changed, "labels": []any{},
	}
	maps.Copy(pr, change)
	p.list = append(p.list, pr)
}

// review runs review --queue over the list.
func (p *pulls) review(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	data, err := json.Marshal(p.list)
	if err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(p.t.TempDir(), "prs.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		p.t.Fatal(err)
	}
	var out, diag bytes.Buffer
	code = run(p.t.Context(), strings.NewReader(""), &out, &diag, append([]string{
		"review", "--root", p.Dir, "--queue", file, "--no-database", "--now", "2026-11-11T00:00:00Z",
	}, args...), append(gitbed.Environ(), "LOOPX_HOST=typo"))
	return code, out.String(), diag.String()
}

// statuses are the numbers and statuses of a list of a document.
func statuses(list []struct {
	Number  int
	Status  string
	Verdict *struct{ Event string }
},
) []string {
	var all []string
	for _, e := range list {
		text := fmt.Sprint(e.Number, " ", e.Status)
		if e.Verdict != nil {
			text += " " + e.Verdict.Event
		}
		all = append(all, text)
	}
	return all
}

// TestReviewQueueNamed holds that the paths that the target's policy names count, and
// that the label for what is private does however it is spelt.
func TestReviewQueueNamed(t *testing.T) {
	t.Parallel()
	p := newPulls(t)
	p.base = p.Commit("main", p.base, gitbed.Files{"loopx.yaml": gitbed.Text("review: {sensitive_paths: [deploy/]}\n")})
	p.Git("update-ref", "refs/remotes/origin/main", p.base)
	p.add(gitbed.Files{"deploy/x": gitbed.Text("x\n")}, nil)
	p.add(gitbed.Files{"other/x": gitbed.Text("x\n"), "loopx.yaml": gitbed.Text("{}\n")}, map[string]any{"title": "a secret", "labels": []any{map[string]any{"name": "Private or security-sensitive"}}})
	code, out, _ := p.review("--format", "json")
	var doc struct {
		Open []struct {
			Number int
			Areas  []string
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitBlocked || strings.Contains(out, "a secret") {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	got := fmt.Sprint(doc.Open)
	if got != "[{2 [policy]} {1 [named]}]" {
		t.Error(got)
	}
}

// TestReviewQueue reviews a real repository's pull requests: a new blocker, none, one
// that was merged, one whose commits are elsewhere, a private one, and one whose base
// has it already.
func TestReviewQueue(t *testing.T) {
	t.Parallel()
	p := newPulls(t)
	merged := map[string]any{"state": "MERGED", "mergedAt": "2026-11-05T00:00:00Z"}
	p.add(gitbed.Files{"README.md": gitbed.Text("y\n")}, nil)
	p.add(gitbed.Files{"app/Dockerfile": gitbed.Text(blockedDockerfile)}, nil)
	p.add(gitbed.Files{"app/Dockerfile": gitbed.Text(blockedDockerfile)}, merged)
	p.add(gitbed.Files{"README.md": gitbed.Text("z\n")}, map[string]any{"headRefOid": strings.Repeat("1", 40)})
	p.add(gitbed.Files{"README.md": gitbed.Text("a\n")}, map[string]any{"title": "a secret", "labels": []any{map[string]any{"name": policy.SensitiveTag}}})
	p.add(gitbed.Files{"README.md": gitbed.Text("b\n")}, map[string]any{"isDraft": true})
	code, out, diag := p.review("--format", "json")
	if code != exitBlocked || strings.Count(diag, "LOOPX_HOST ")+strings.Count(diag, "LOOPX_HOST:") != 1 || strings.Contains(out, "a secret") {
		t.Errorf("exit code %d\n%s%s", code, out, diag)
	}
	if err := validate([]byte(out)); err != nil {
		t.Error(err)
	}
	var doc struct {
		Blocking     bool
		Open, Merged []struct {
			Number  int
			Status  string
			Verdict *struct{ Event string }
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 blocked REQUEST_CHANGES", "5 blocked APPROVE", "4 not_reviewed", "1 clean APPROVE", "6 clean APPROVE"}, statuses(doc.Open)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"3 audit REQUEST_CHANGES"}, statuses(doc.Merged)); diff != "" || !doc.Blocking {
		t.Error(diff)
	}
	if _, text, _ := p.review(); !strings.Contains(text, "git fetch --no-tags origin refs/heads/main refs/pull/4/head\n  loopxctl review --base "+p.base) {
		t.Error(text)
	}
	if _, lines, _ := p.review("--format", "github-review"); strings.Count(lines, "\n") != 4 || !strings.Contains(lines, `"endpoint":"repos/o/r/pulls/2/reviews"`) {
		t.Error(lines)
	}
}

// What can't be reviewed is a failure, and never clean: exit code 3.
func TestReviewQueueFails(t *testing.T) {
	t.Parallel()
	p := newPulls(t)
	p.add(gitbed.Files{"README.md": gitbed.Text("y\n")}, nil)
	p.list[0]["baseRefOid"] = p.list[0]["headRefOid"]
	if code, out, diag := p.review(); code != exitFailed || !strings.Contains(diag, "#1 could not be reviewed: the base that the list names has the head already") || !strings.Contains(out, "failed") {
		t.Errorf("exit code %d\n%s%s", code, out, diag)
	}
	p = newPulls(t)
	p.add(gitbed.Files{"README.md": gitbed.Text("y\n")}, nil)
	broken := p.Commit("main", p.base, gitbed.Files{"loopx.yaml": gitbed.Text("review: [\n")})
	p.Git("update-ref", "refs/remotes/origin/main", broken)
	if code, _, diag := p.review(); code != exitFailed || !strings.Contains(diag, "#1 could not be reviewed: ") {
		t.Errorf("exit code %d\n%s", code, diag)
	}
	if code, out, _ := p.review("--remote", "upstream"); code != exitClean || !strings.Contains(out, "1 not reviewed") {
		t.Errorf("without the target branch: exit code %d\n%s", code, out)
	}
	if code, _, diag := p.review("--root", t.TempDir()); code != exitFailed {
		t.Errorf("outside of a repository: exit code %d\n%s", code, diag)
	}
}
