package ack

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"flag"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

var _ = flag.Bool("update", false, "this package has no goldens")

// today is the time of all tests: none of them depends on the clock.
var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// ed25519Key, ecdsaKey and rsaKey make new keys.
func ed25519Key(t testing.TB) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return signerOf(t, key, err)
}

func ecdsaKey(t testing.TB) ssh.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return signerOf(t, key, err)
}

func rsaKey(t testing.TB, bits int) ssh.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	return signerOf(t, key, err)
}

func signerOf(t testing.TB, key any, err error) ssh.Signer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// finding is the one that the tests acknowledge.
var finding = Subject{
	Rule: "PipedToShell", Fingerprint: "0f1e2d3c4b5a6978", File: "Dockerfile",
	Instruction: "sha256:" + strings.Repeat("ab", 32),
}

const (
	alice      = "alice@example.com"
	repository = "git.example.com/acme/app"
)

// entry is an unsigned acknowledgement of finding by alice, of ten days ago,
// for thirty days.
func entry() *Entry {
	return &Entry{
		Subject: finding, Occurrences: 1,
		Reason:    "the installer's checksum is pinned: see SEC-12",
		Principal: alice, Repository: repository,
		Created: today.Add(-10 * day), Expires: today.Add(20 * day),
	}
}

// signed is entry after changes, signed.
func signed(t testing.TB, key ssh.Signer, changes ...func(*Entry)) *Entry {
	t.Helper()
	e := entry()
	for _, change := range changes {
		change(e)
	}
	if err := e.Sign(key); err != nil {
		t.Fatal(err)
	}
	return e
}

// trusting is a Trust in one line of allowed signers for the repository.
func trusting(t testing.TB, line string) Trust {
	t.Helper()
	signers, err := ParseSigners([]byte(line+"\n"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return Trust{Source: "/etc/loopx/allowed_signers", Signers: signers, Repository: repository}
}

// line is a line of allowed signers. before is what stands before the key.
func line(before string, key ssh.PublicKey) string {
	return before + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}
