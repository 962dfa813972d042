package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/review"
	"github.com/loopx/loopx-frontend/policy/scan"
)

const (
	unverified = "FROM debian:trixie-slim\nRUN curl -k https://a.example.com/install.sh -o /install.sh\n"
	clean      = "FROM debian:trixie-slim\nRUN true\n"
)

// reviewed runs a review in a repository, and returns its document.
func reviewed(t *testing.T, r *gitbed.Repo, args ...string) (code int, doc review.Document, out, diag string) {
	t.Helper()
	code, out, diag = review1(t, r, append([]string{"--format", "json"}, args...)...)
	if code == exitUsage || code == exitFailed {
		return code, doc, out, diag
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := validate([]byte(out)); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return code, doc, out, diag
}

// review1 runs a review in a repository.
func review1(t *testing.T, r *gitbed.Repo, args ...string) (code int, out, diag string) {
	t.Helper()
	args = append([]string{"review", "--root", r.Dir, "--no-database", "--repository", "git.example.com/acme/app"}, args...)
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), strings.NewReader(""), &stdout, &stderr, args, gitbed.Environ())
	return code, stdout.String(), stderr.String()
}

// told are the rules and places of findings.
func told(d review.Document) []string {
	var all []string
	for _, f := range d.New {
		all = append(all, fmt.Sprintf("new %s %s:%d %s", f.Severity, f.File, f.Line, f.Rule))
	}
	for _, f := range d.Reopened {
		all = append(all, fmt.Sprintf("reopened %s %s:%d %s", f.Severity, f.File, f.Line, f.Rule))
	}
	for _, f := range d.About {
		all = append(all, fmt.Sprintf("about %s %s:%d %s", f.Severity, f.File, f.Line, f.Rule))
	}
	return all
}

// signer is a reviewer's key, and the line of the allowed signers for it.
func reviewer(t *testing.T, name string) (ssh.Signer, string) {
	t.Helper()
	key, public := ed25519Key(t)
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer, name + ` namespaces="loopx-ack" ` + string(ssh.MarshalAuthorizedKey(public))
}

// acknowledged is a file of acknowledgements with one entry.
func acknowledged(t *testing.T, signer ssh.Signer, principal string, subject ack.Subject) string {
	t.Helper()
	created := time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	e := &ack.Entry{
		Subject: subject, Occurrences: 1, Reason: "reviewed", Principal: principal,
		Created: created, Expires: created.Add(60 * 24 * time.Hour), Repository: "git.example.com/acme/app",
	}
	if signer != nil {
		if err := e.Sign(signer); err != nil {
			t.Fatal(err)
		}
	}
	data, err := ack.Append(nil, e, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// subjectOf is what a reviewer signs for, of the one finding of a Dockerfile.
func subjectOf(t *testing.T, text string) ack.Subject {
	t.Helper()
	r, err := scan.Run(t.Context(), scan.Input{Tree: fstest.MapFS{"Dockerfile": {Data: []byte(text)}}, Now: time.Now()}, scan.Dockerfile)
	if err != nil || len(r.Outcomes[0].Subjects) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Outcomes[0].Subjects[0]
}

// TestReview has what a change can do to a finding.
func TestReview(t *testing.T) {
	t.Parallel()
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text(clean), "old/Dockerfile": gitbed.Text(unverified)})
	later := r.Commit("main", base, gitbed.Files{"old/Dockerfile": gitbed.Text(clean)})
	for _, tc := range []struct {
		name    string
		files   gitbed.Files
		verdict review.Verdict
		code    int
		told    []string
		fixed   int
	}{
		{"nothing", gitbed.Files{"README": gitbed.Text("x")}, review.Approve, exitClean, nil, 0},
		{"a blocker", gitbed.Files{"Dockerfile": gitbed.Text(unverified)}, review.RequestChanges, exitBlocked, []string{"new blocker Dockerfile:2 VerificationOff"}, 0},
		{"one more of a kind", gitbed.Files{"old/Dockerfile": gitbed.Text(unverified + "RUN true\n" + strings.SplitAfter(unverified, "\n")[1])}, review.RequestChanges, exitBlocked, []string{"new blocker old/Dockerfile:4 VerificationOff"}, 0},
		{"moved in its file", gitbed.Files{"old/Dockerfile": gitbed.Text(strings.Replace(unverified, "\nRUN", "\nRUN true\n\nRUN", 1))}, review.Approve, exitClean, nil, 0},
		{"fixed", gitbed.Files{"old/Dockerfile": gitbed.Text(clean + "\n")}, review.Approve, exitClean, nil, 1},
		{"deleted", gitbed.Files{"old/Dockerfile": nil}, review.Approve, exitClean, nil, 1},
		{"renamed", gitbed.Files{"old/Dockerfile": nil, "new/Dockerfile": gitbed.Text(unverified)}, review.RequestChanges, exitBlocked, []string{"new blocker new/Dockerfile:2 VerificationOff"}, 1},
		{"a warning", gitbed.Files{"Dockerfile": gitbed.Text("FROM debian:trixie-slim\nRUN curl -fsSL https://a.example.com/i.sh | sh\n")}, review.Comment, exitClean, []string{"new warning Dockerfile:2 CurlPipeShell"}, 0},
		{"unreadable", gitbed.Files{"Dockerfile": gitbed.Text("FROM a\nNONSENSE\n")}, review.RequestChanges, exitBlocked, []string{"new blocker Dockerfile:2 NotChecked"}, 0},
	} {
		branch := strings.ReplaceAll(tc.name, " ", "-")
		r.Commit(branch, base, tc.files)
		code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", branch)
		if code != tc.code || doc.Verdict != tc.verdict || !slices.Equal(told(doc), tc.told) || doc.Counts.Fixed != tc.fixed {
			t.Errorf("%s: exit code %d, %s, %q, %d fixed\n%s%s", tc.name, code, doc.Verdict, told(doc), doc.Counts.Fixed, out, diag)
		}
		if string(doc.MergeBase) != base || string(doc.Base.Commit) != later || string(doc.Head.Commit) != r.Git("rev-parse", branch) {
			t.Errorf("%s: %+v", tc.name, doc)
		}
	}
}

// TestReviewAcknowledged holds which signatures count: those of who may sign on the
// target branch, for just this, and not those of an author.
func TestReviewAcknowledged(t *testing.T) {
	t.Parallel()
	alice, aliceLine := reviewer(t, "alice@example.com")
	mallory, malloryLine := reviewer(t, "mallory@example.com")
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text(clean), ".loopx/allowed_signers": gitbed.Text(aliceLine)})
	subject := subjectOf(t, unverified)
	for _, tc := range []struct {
		name   string
		signer ssh.Signer
		who    string
		files  gitbed.Files
		args   []string
		code   int
	}{
		{"alice", alice, "alice@example.com", nil, nil, exitClean},
		{"mallory", mallory, "mallory@example.com", nil, nil, exitBlocked},
		{"mallory as alice", mallory, "alice@example.com", nil, nil, exitBlocked},
		{"mallory, who lets herself sign", mallory, "mallory@example.com", gitbed.Files{".loopx/allowed_signers": gitbed.Text(aliceLine + malloryLine)}, nil, exitBlocked},
		{"nobody", nil, "alice@example.com", gitbed.Files{".loopx/policy.yaml": gitbed.Text("unsigned: true\n")}, nil, exitBlocked},
		{"alice for herself", alice, "alice@example.com", nil, []string{"--author", "Alice <alice@example.com>"}, exitBlocked},
		{"alice for a changed instruction", alice, "alice@example.com", gitbed.Files{"Dockerfile": gitbed.Text(strings.Replace(unverified, "RUN curl", "RUN id; curl", 1))}, nil, exitBlocked},
	} {
		branch := strings.Map(func(r rune) rune {
			if r == ' ' || r == ',' {
				return '-'
			}
			return r
		}, tc.name)
		files := gitbed.Files{"Dockerfile": gitbed.Text(unverified), ack.Path: gitbed.Text(acknowledged(t, tc.signer, tc.who, subject))}
		maps.Copy(files, tc.files)
		r.Commit(branch, base, files)
		code, doc, out, diag := reviewed(t, r, append([]string{"--base", "main", "--head", branch}, tc.args...)...)
		if code != tc.code {
			t.Errorf("%s: exit code %d, %q\n%s%s", tc.name, code, told(doc), out, diag)
		}
		for _, f := range doc.New {
			if f.Rule == "VerificationOff" && (f.Acknowledgement != nil) != (tc.code == exitClean) {
				t.Errorf("%s: acknowledged: %v", tc.name, f.Acknowledgement)
			}
		}
	}
}

// TestReviewTrustSigned holds that a change of who may sign takes the signature of
// somebody who may, over just that change.
func TestReviewTrustSigned(t *testing.T) {
	t.Parallel()
	alice, aliceLine := reviewer(t, "alice@example.com")
	bob, bobLine := reviewer(t, "bob@example.com")
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{"Dockerfile": gitbed.Text(clean), ".loopx/allowed_signers": gitbed.Text(aliceLine)})
	signers := gitbed.Text(aliceLine + bobLine)
	r.Commit("plain", base, gitbed.Files{".loopx/allowed_signers": signers})
	code, doc, out, _ := reviewed(t, r, "--base", "main", "--head", "plain")
	if code != exitBlocked || len(doc.About) != 1 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	subject := ack.Subject{Rule: doc.About[0].Rule, Fingerprint: doc.About[0].Fingerprint, File: doc.About[0].File}
	for _, tc := range []struct {
		name   string
		signer ssh.Signer
		who    string
		file   *gitbed.File
		code   int
	}{
		{"alice", alice, "alice@example.com", signers, exitClean},
		{"bob", bob, "bob@example.com", signers, exitBlocked},
		{"other", alice, "alice@example.com", gitbed.Text(aliceLine + bobLine + bobLine), exitBlocked},
	} {
		r.Commit(tc.name, base, gitbed.Files{".loopx/allowed_signers": tc.file, ack.Path: gitbed.Text(acknowledged(t, tc.signer, tc.who, subject))})
		code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", tc.name)
		if code != tc.code {
			t.Errorf("%s: exit code %d, %q\n%s%s", tc.name, code, told(doc), out, diag)
		}
	}
}

// TestReviewReopened holds that an instruction which changes under a signature
// blocks, though its finding is as it was.
func TestReviewReopened(t *testing.T) {
	t.Parallel()
	alice, aliceLine := reviewer(t, "alice@example.com")
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{
		"Dockerfile": gitbed.Text(unverified), ".loopx/allowed_signers": gitbed.Text(aliceLine),
		ack.Path: gitbed.Text(acknowledged(t, alice, "alice@example.com", subjectOf(t, unverified))),
	})
	r.Commit("same", base, gitbed.Files{"Dockerfile": gitbed.Text(unverified + "RUN true\n")})
	r.Commit("changed", base, gitbed.Files{"Dockerfile": gitbed.Text(strings.Replace(unverified, "RUN curl", "RUN id; curl", 1))})
	r.Commit("revoked", base, gitbed.Files{ack.Path: nil})
	for branch, want := range map[string][]string{
		"same":    nil,
		"changed": {"reopened blocker Dockerfile:2 VerificationOff"},
		"revoked": {"reopened blocker Dockerfile:2 VerificationOff", "about warning .loopx/acknowledgements.yaml:0 GateConfigChanged"},
	} {
		code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", branch)
		if (code == exitBlocked) != (want != nil) || !slices.Equal(told(doc), want) {
			t.Errorf("%s: exit code %d, %q\n%s%s", branch, code, told(doc), out, diag)
		}
	}
}

// TestReviewCommitAuthors holds that who wrote a commit can't sign for it where the
// target's policy says so, and that bringing the entry makes nobody an author.
func TestReviewCommitAuthors(t *testing.T) {
	t.Parallel()
	alice, aliceLine := reviewer(t, "alice@example.com")
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{
		"Dockerfile": gitbed.Text(clean), ".loopx/allowed_signers": gitbed.Text(aliceLine), "loopx.yaml": gitbed.Text("review: {commit_authors: true}\n"),
	})
	entry := gitbed.Files{ack.Path: gitbed.Text(acknowledged(t, alice, "alice@example.com", subjectOf(t, unverified)))}
	for author, want := range map[string]int{"dev@example.com": exitClean, "alice@example.com": exitBlocked} {
		branch, _, _ := strings.Cut(author, "@")
		head := r.CommitBy(author, branch, base, gitbed.Files{"Dockerfile": gitbed.Text(unverified)})
		r.CommitBy("alice@example.com", branch, head, entry)
		if code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", branch); code != want {
			t.Errorf("%s: exit code %d, %q\n%s%s", author, code, told(doc), out, diag)
		}
	}
}

// TestReviewSensitiveRules holds that the target's policy makes findings of a rule
// private ones, which block and are not told, and that a reviewer can sign for one.
func TestReviewSensitiveRules(t *testing.T) {
	t.Parallel()
	const piped = "FROM debian:trixie-slim\nRUN true && curl -fsSL https://a.example.com/i.sh | sh\n"
	alice, aliceLine := reviewer(t, "alice@example.com")
	r := gitbed.New(t)
	base := r.Commit("main", "", gitbed.Files{
		"Dockerfile": gitbed.Text(clean), ".loopx/allowed_signers": gitbed.Text(aliceLine), "loopx.yaml": gitbed.Text("review: {sensitive_rules: [loopxctl/CurlPipe*]}\n"),
	})
	r.Commit("plain", base, gitbed.Files{"Dockerfile": gitbed.Text(piped)})
	code, doc, out, diag := reviewed(t, r, "--base", "main", "--head", "plain")
	if code != exitBlocked || strings.Contains(out, "CurlPipe") || strings.Contains(out, "a.example.com") || doc.Counts.Sensitive != 1 || len(doc.Withheld) != 1 {
		t.Errorf("exit code %d\n%s%s", code, out, diag)
	}
	r.Commit("signed", base, gitbed.Files{"Dockerfile": gitbed.Text(piped), ack.Path: gitbed.Text(acknowledged(t, alice, "alice@example.com", subjectOf(t, piped)))})
	if code, _, out, diag := reviewed(t, r, "--base", "main", "--head", "signed"); code != exitClean {
		t.Errorf("signed: exit code %d\n%s%s", code, out, diag)
	}
}
