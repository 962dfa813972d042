package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"mvdan.cc/sh/v3/shell"

	"github.com/loopx/loopx-frontend/policy/ack"
)

const insecure = "FROM debian:trixie-slim\nRUN curl -k https://a.example.com/i.sh -o /i.sh\n"

// TestCheckWithoutGit holds that check says the same where there is no git.
func TestCheckWithoutGit(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Dockerfile", []byte(insecure), 0o600); err != nil {
		t.Fatal(err)
	}
	code, want, _ := loopxctl(t, "", "check")
	t.Setenv("PATH", "")
	again, got, diag := loopxctl(t, "", "check")
	if diff := cmp.Diff(want, got); diff != "" || code != exitBlocked || again != code || diag != "" {
		t.Errorf("exit codes %d and %d (-with +without)\n%s%s", code, again, diff, diag)
	}
}

// aged is a tree whose one acknowledgement was created and ends when it is said.
func aged(t *testing.T, created, expires time.Time) (root, allowed string) {
	t.Helper()
	root = t.TempDir()
	dockerfile := filepath.Join(root, "Dockerfile")
	if err := os.WriteFile(dockerfile, []byte(insecure), 0o600); err != nil {
		t.Fatal(err)
	}
	key, public := ed25519Key(t)
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	_, out, _ := loopxctl(t, "", "check", "--root", root, dockerfile)
	_, rest, _ := strings.Cut(out, "[VerificationOff ")
	args := []string{
		"ack", "create", "--root", root, "--repository", "h/p", "--principal", "alice@example.com",
		"--finding", rest[:12], "--reason", "reviewed", "--expires", "30d",
	}
	var stdout, diag bytes.Buffer
	if code := run(t.Context(), strings.NewReader(""), &stdout, &diag, args, []string{"SSH_AUTH_SOCK=" + testAgent(t, &key)}); code != exitClean {
		t.Fatal(code, diag.String())
	}
	name, _, entries, err := readAcknowledgements(root)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	e := &entries[0]
	e.Created, e.Expires = created.UTC().Truncate(time.Second), expires.UTC().Truncate(time.Second)
	if err := e.Sign(signer); err != nil {
		t.Fatal(err)
	}
	data, err := ack.Append(nil, e, false)
	if err != nil {
		t.Fatal(err)
	}
	allowed = filepath.Join(t.TempDir(), "allowed_signers")
	for file, text := range map[string][]byte{name: data, allowed: append([]byte("alice@example.com "), ssh.MarshalAuthorizedKey(public)...)} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root, allowed
}

// TestExpired holds that a finding comes back when its acknowledgement ends, with
// the reason that it had.
func TestExpired(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tc := range []struct {
		name             string
		created, expires time.Duration // from now
		code             int
		note             string
	}{
		{"counts", -10 * day, 20 * day, exitClean, ""},
		{"ends soon", -10 * day, 10 * day, exitClean, ": expiring: "},
		{"has ended", -20 * day, -10 * day, exitBlocked, "; its reason was: reviewed ["},
		{"lasts too long", -time.Hour, 200 * day, exitBlocked, "it lasts longer than 180 days"},
		{"not yet", time.Hour, 20 * day, exitBlocked, "which is not yet"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root, allowed := aged(t, time.Now().Add(tc.created), time.Now().Add(tc.expires))
			for _, format := range []string{"text", "json", "sarif", "github", "junit"} {
				code, _, diag := loopxctl(t, "", "check", "--format", format, "--root", root, "--repository", "h/p",
					"--allowed-signers", allowed, filepath.Join(root, "Dockerfile"))
				if code != tc.code || !strings.Contains(diag, tc.note) || tc.note == "" && diag != "" {
					t.Errorf("%s: exit code %d, %s", format, code, diag)
				}
			}
		})
	}
}

// TestAcceptable holds that what is printed to be typed is one command for the
// shell, with the words that are meant, or names none.
func TestAcceptable(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"Dockerfile", "a b", "it's", `"$(rm -rf x)`, "`x`;|&", "-x", "größe", "*", "~", "!x", `\`} {
		words := typedCommand{"loopxctl", "ack", "create", "--file", file}
		lines := strings.Split(acceptable(words), "\n")
		got, err := shell.Fields(lines[1], func(string) string { return "EXPANDED" })
		want := append([]string(words), "--reason", "why", "--expires", "30d")
		if diff := cmp.Diff(want, got); diff != "" || err != nil || len(lines) != 3 {
			t.Errorf("%q: %v (-want +got)\n%s", file, err, diff)
		}
	}
	for _, file := range []string{"a\nb", "\x1b[31m", "a\u202eb", "\xff", "\x00", "##[x]"} {
		if got := acceptable(typedCommand{"loopxctl", file}); !strings.HasSuffix(got, "\n  loopxctl ack create --help\n") {
			t.Errorf("%q: %s", file, got)
		}
	}
}

// TestManualInstruction holds that the manual's text of an instruction is what
// its digest is made of, and that check finds the digest for the manual's
// Dockerfile.
func TestManualInstruction(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/acknowledgements.md")
	if err != nil {
		t.Fatal(err)
	}
	between := func(from, to string) string {
		_, rest, _ := strings.Cut(string(page), from)
		text, _, ok := strings.Cut(rest, to)
		if !ok || text == "" {
			t.Fatalf("the manual has nothing between %q and %q", from, to)
		}
		return text
	}
	text := between("```text\nloopx instruction 1\n", "```")
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("loopx instruction 1\n"+text)))
	if shown := between(`    instruction: "`, `"`); shown != digest {
		t.Errorf("the manual shows %s, and its text has %s", shown, digest)
	}
	dockerfile := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(dockerfile, []byte(between("$ cat Dockerfile\n", "$ loopxctl")), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := loopxctl(t, "", "check", "--format", "json", dockerfile); code != exitBlocked || !strings.Contains(out, `"instruction": "`+digest+`"`) {
		t.Errorf("exit code %d, %s", code, out)
	}
}
