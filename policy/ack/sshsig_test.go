package ack

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"io"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// securityKey signs as a FIDO key does: over the hash of its application, its
// flags, a counter and the hash of the data (OpenSSH's PROTOCOL.u2f).
type securityKey struct {
	key    ed25519.PrivateKey
	public ssh.PublicKey
	flags  byte // 1 is "a person touched it"
}

func newSecurityKey(t testing.TB, flags byte) *securityKey {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ssh.ParsePublicKey(ssh.Marshal(struct {
		Type        string
		Key         []byte
		Application string
	}{ssh.KeyAlgoSKED25519, public, "ssh:"}))
	if err != nil {
		t.Fatal(err)
	}
	return &securityKey{key, parsed, flags}
}

func (k *securityKey) PublicKey() ssh.PublicKey { return k.public }

func (k *securityKey) Sign(_ io.Reader, data []byte) (*ssh.Signature, error) {
	application, message := sha256.Sum256([]byte("ssh:")), sha256.Sum256(data)
	tail := []byte{k.flags, 0, 0, 0, 7}
	blob := append(append(application[:], tail...), message[:]...)
	return &ssh.Signature{Format: ssh.KeyAlgoSKED25519, Blob: ed25519.Sign(k.key, blob), Rest: tail}, nil
}

// TestSecurityKey holds that FIDO keys count if they were touched.
func TestSecurityKey(t *testing.T) {
	t.Parallel()
	for flags, want := range []State{Altered, Good} {
		key := newSecurityKey(t, byte(flags))
		e := signed(t, key)
		if v := Check([]Entry{*e}, trusting(t, line(alice, key.public)), today)[0]; v.State != want {
			t.Errorf("flags %d: %s: %s", flags, v.State, v.Why)
		}
	}
}

// TestSHA1Certificate holds that RSA with SHA-1 is refused of a certificate, as
// of a key: by the certified key, and by the authority.
func TestSHA1Certificate(t *testing.T) {
	t.Parallel()
	key, authority := rsaKey(t, 2048), rsaKey(t, 2048)
	e := entry()
	data, err := signedData(Namespace, defaultHashing, e.Payload())
	if err != nil {
		t.Fatal(err)
	}
	sha1, err := key.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSA)
	if err != nil {
		t.Fatal(err)
	}
	e.Signature = armor(certifiedBy(t, key, authority).PublicKey(), sha1)
	wantUnreadable(t, e, key, "the signature uses RSA with SHA-1 (ssh-rsa), which is broken; sign with rsa-sha2-512; sign again")

	old, err := ssh.NewSignerWithAlgorithms(authority.(ssh.AlgorithmSigner), []string{ssh.KeyAlgoRSA})
	if err != nil {
		t.Fatal(err)
	}
	e.Signature = armored(t, certifiedBy(t, key, old), e.Payload())
	wantUnreadable(t, e, key, "the signature is made with a certificate whose own signature uses RSA with SHA-1 (ssh-rsa), which is broken; sign with rsa-sha2-512; sign again")

	trust := trusting(t, line("* cert-authority", authority.PublicKey()))
	e.Signature = armored(t, certifiedBy(t, key, authority), e.Payload())
	if v := Check([]Entry{*e}, trust, today)[0]; v.State != Good {
		t.Errorf("with SHA-512: %s: %s", v.State, v.Why)
	}
}

// TestMalformed changes the armored text of a good signature.
func TestMalformed(t *testing.T) {
	t.Parallel()
	good := signed(t, ed25519Key(t)).Signature
	block, _ := pem.Decode([]byte(good))
	frame := func(kind string, body []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: body}))
	}
	with := func(at int, b byte) string {
		body := append([]byte{}, block.Bytes...)
		body[at] = b
		return frame(armorType, body)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no armor":       {"x", "is not an armored SSH signature"},
		"another type":   {frame("SSH KEY", block.Bytes), "is not an armored SSH signature"},
		"text after it":  {good + "x", "is followed by something else"},
		"two":            {good + good, "is followed by something else"},
		"headers":        {strings.Replace(good, "-----\n", "-----\na: b\n\n", 1), "is not an armored SSH signature"},
		"magic":          {with(0, 'T'), "has no SSHSIG in it"},
		"version":        {with(9, 2), "has version 2 of SSHSIG; only 1 is known"},
		"cut":            {frame(armorType, block.Bytes[:60]), "has no SSHSIG in it"},
		"bytes after it": {frame(armorType, append(append([]byte{}, block.Bytes...), 0)), "has no SSHSIG in it"},
		"empty":          {frame(armorType, nil), "has no SSHSIG in it"},
	} {
		if _, err := parseSignature(tc.text); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	if s, err := parseSignature(strings.ReplaceAll(good, "\n", "\r\n")); err != nil || s.namespace != Namespace {
		t.Errorf("CRLF: %v", err)
	}
}

// TestForged holds that no byte of a signature can change.
func TestForged(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	e := signed(t, key)
	trust := trusting(t, line(alice, key.PublicKey()))
	block, _ := pem.Decode([]byte(e.Signature))
	for i := range block.Bytes {
		body := append([]byte{}, block.Bytes...)
		body[i] ^= 1
		forged := *e
		forged.Signature = string(pem.EncodeToMemory(&pem.Block{Type: armorType, Bytes: body}))
		if v := Check([]Entry{forged}, trust, today)[0]; v.State.Counts() {
			t.Errorf("byte %d changed: %s", i, v.State)
		}
	}
}

// TestSignerLine holds that the line makes the signature count, and that there is
// none where no line says the principal as it is.
func TestSignerLine(t *testing.T) {
	t.Parallel()
	key := ed25519Key(t)
	e := signed(t, key)
	if got := Check([]Entry{*e}, trusting(t, e.SignerLine()), today); got[0].State != Good {
		t.Errorf("%+v", got)
	}
	for _, principal := range []string{"*", "!a", "a,b", "a b", "#a", `"a"`} {
		e.Principal = principal
		if line := e.SignerLine(); line != "" {
			t.Errorf("%q: %s", principal, line)
		}
	}
	if line := (&Entry{Principal: "a"}).SignerLine(); line != "" {
		t.Error(line)
	}
}
