package ack

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// keygen runs the real ssh-keygen.
func keygen(t testing.TB, stdin []byte, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ssh-keygen", args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	cmd.Stdin = bytes.NewReader(stdin)
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ssh-keygen %q: %v\n%s%s", args, err, out, diag.String())
	}
	return string(out)
}

// keyFile makes a private key file, and its public key beside it.
func keyFile(t testing.TB, kind string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	args := []string{"-q", "-N", "", "-C", "made for a test", "-t", kind, "-f", path}
	if kind == "rsa" {
		args = append(args, "-b", "2048")
	}
	keygen(t, nil, args...)
	return path
}

func keygenSign(t testing.TB, key, namespace string, message []byte) string {
	t.Helper()
	return keygen(t, message, "-q", "-Y", "sign", "-n", namespace, "-f", key)
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func write(t testing.TB, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKeygenSigns holds that what ssh-keygen signs counts here.
func TestKeygenSigns(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			path := keyFile(t, kind)
			e := entry()
			e.Signature = keygenSign(t, path, Namespace, e.Payload())
			trust := trusting(t, alice+` namespaces="loopx-ack" `+read(t, path+".pub"))
			if v := Check([]Entry{*e}, trust, today)[0]; v.State != Good {
				t.Errorf("%s: %s", v.State, v.Why)
			}
		})
	}
}

// TestKeygenVerifies holds that what is signed here counts for ssh-keygen.
func TestKeygenVerifies(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]ssh.Signer{"ed25519": ed25519Key(t), "ecdsa": ecdsaKey(t), "rsa": rsaKey(t, 2048)} {
		e := signed(t, key)
		allowed := write(t, line(alice+` namespaces="loopx-ack"`, key.PublicKey())+"\n")
		out := keygen(t, e.Payload(), "-Y", "verify", "-n", Namespace, "-I", alice, "-f", allowed, "-s", write(t, e.Signature))
		if !strings.HasPrefix(out, `Good "loopx-ack" signature for alice@example.com`) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestKeygenCertificate signs with certificates that ssh-keygen -s made.
func TestKeygenCertificate(t *testing.T) {
	t.Parallel()
	authority, stranger := keyFile(t, "ed25519"), keyFile(t, "ecdsa")
	public := read(t, authority+".pub")
	trust := trusting(t, `*@example.com cert-authority,namespaces="loopx-*" `+public)
	plain := trusting(t, "*@example.com "+public)
	revoked := func(list string) Trust {
		changed := trust
		changed.Revoked = revoking(t, list)
		return changed
	}
	of := func(ca string, args ...string) string { return certificate(t, ca, args...) }
	whole := []string{"-n", alice, "-V", "20261101Z:20271101Z"}
	good := of(authority, whole...)
	mallory := entry()
	mallory.Principal = "mallory@evil.example"
	for _, tc := range []struct {
		name  string
		cert  string
		trust Trust
		entry *Entry
		state State
		why   string
	}{
		{"good", good, trust, entry(), Good, ""},
		{"of a stranger", of(stranger, whole...), trust, entry(), Untrusted, "is not among the signers"},
		{"the authority is no authority", good, plain, entry(), Untrusted, "is not among the signers"},
		{"for another principal", of(authority, "-n", "bob@example.com", "-V", "20261101Z:20271101Z"), trust, entry(), Untrusted, `principal "alice@example.com" not in the set`},
		{"for a principal that the line excludes", of(authority, "-n", "mallory@evil.example", "-V", "20261101Z:20271101Z"), trust, mallory, Untrusted, "not for mallory@evil.example"},
		{"for nobody", of(authority, "-V", "20261101Z:20271101Z"), trust, entry(), Untrusted, "names no principals"},
		{"for hosts", of(authority, append([]string{"-h"}, whole...)...), trust, entry(), Untrusted, "for hosts"},
		{"not yet valid", of(authority, "-n", alice, "-V", "20261201Z:20271101Z"), trust, entry(), KeyNotValid, "not yet valid"},
		{"no longer valid", of(authority, "-n", alice, "-V", "20261101Z:20261130Z"), trust, entry(), KeyNotValid, "has expired"},
		{"with a critical option", of(authority, append([]string{"-O", "force-command=true"}, whole...)...), trust, entry(), Untrusted, "critical option"},
		{"revoked", good, revoked(read(t, good)), entry(), RevokedKey, "revoked"},
		{"key revoked", good, revoked("# a list\n" + read(t, strings.TrimSuffix(good, "-cert.pub")+".pub")), entry(), RevokedKey, "revoked"},
		{"authority revoked", good, revoked(public), entry(), RevokedKey, "revoked"},
		{"another revoked", good, revoked(read(t, stranger+".pub")), entry(), Good, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := *tc.entry
			e.Signature = signByCertificate(t, tc.cert, e.Payload())
			v := Check([]Entry{e}, tc.trust, today)[0]
			if v.State != tc.state || !strings.Contains(v.Why, tc.why) {
				t.Errorf("%s: %s; want %s: %s", v.State, v.Why, tc.state, tc.why)
			}
		})
	}
}

// certificate makes a new key, certifies it and returns the certificate's file.
func certificate(t testing.TB, authority string, args ...string) string {
	t.Helper()
	path := keyFile(t, "ed25519")
	keygen(t, nil, append(append([]string{"-q", "-s", authority, "-I", "a test"}, args...), path+".pub")...)
	return path + "-cert.pub"
}

// signByCertificate signs as an agent that holds the certificate does.
func signByCertificate(t testing.TB, cert string, payload []byte) string {
	t.Helper()
	key, err := ssh.ParsePrivateKey([]byte(read(t, strings.TrimSuffix(cert, "-cert.pub")) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(read(t, cert)))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewCertSigner(public.(*ssh.Certificate), key)
	if err != nil {
		t.Fatal(err)
	}
	return armored(t, signer, payload)
}

// armored signs any message in our namespace.
func armored(t testing.TB, signer ssh.Signer, message []byte) string {
	t.Helper()
	data, err := signedData(Namespace, defaultHashing, message)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := sign(signer, data)
	if err != nil {
		t.Fatal(err)
	}
	return armor(signer.PublicKey(), sig)
}

// TestKeygenVerifiesCertificate holds the same of a certificate for ssh-keygen,
// which judges at a time that it is given.
func TestKeygenVerifiesCertificate(t *testing.T) {
	t.Parallel()
	authority := keyFile(t, "ed25519")
	cert := certificate(t, authority, "-n", alice, "-V", "20261101Z:20271101Z")
	e := entry()
	sig := signByCertificate(t, cert, e.Payload())
	allowed := write(t, "*@example.com cert-authority "+read(t, authority+".pub")+"\n")
	out := keygen(t, e.Payload(), "-Y", "verify", "-O", "verify-time=20261130120000", "-n", Namespace, "-I", alice, "-f", allowed, "-s", write(t, sig))
	if !strings.HasPrefix(out, `Good "loopx-ack" signature for alice@example.com`) {
		t.Error(out)
	}
}

// TestWeak holds that what is too weak does not count, even if it is listed.
func TestWeak(t *testing.T) {
	t.Parallel()
	strong, small := rsaKey(t, 2048), rsaKey(t, 1024)
	e := entry()
	data, err := signedData(Namespace, defaultHashing, e.Payload())
	if err != nil {
		t.Fatal(err)
	}
	sha1, err := strong.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSA)
	if err != nil {
		t.Fatal(err)
	}
	e.Signature = armor(strong.PublicKey(), sha1)
	wantUnreadable(t, e, strong, "the signature uses RSA with SHA-1 (ssh-rsa), which is broken; sign with rsa-sha2-512; sign again")

	e.Signature = armored(t, small, e.Payload())
	wantUnreadable(t, e, small, "the signature uses an RSA key of 1024 bits; 2048 are the least; sign again")

	cert := certifiedBy(t, strong, small)
	e.Signature = armored(t, cert, e.Payload())
	wantUnreadable(t, e, strong, "the signature uses an RSA key of 1024 bits; 2048 are the least; sign again")
}

// certifiedBy is a signer with a certificate that authority signs.
func certifiedBy(t testing.TB, key, authority ssh.Signer) ssh.Signer {
	t.Helper()
	cert := &ssh.Certificate{
		Key: key.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{alice},
		ValidAfter: uint64(today.Add(-time.Hour).Unix()), ValidBefore: ssh.CertTimeInfinity,
	}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewCertSigner(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func wantUnreadable(t *testing.T, e *Entry, key ssh.Signer, why string) {
	t.Helper()
	v := Check([]Entry{*e}, trusting(t, line(alice, key.PublicKey())), today)[0]
	if v.State != Unreadable || v.Why != why {
		t.Errorf("%s: %s; want: %s", v.State, v.Why, why)
	}
}
