package ack

import (
	"strings"
	"testing"
)

const attested = "sha256:5555555555555555555555555555555555555555555555555555555555555555"

// TestAttests has ssh-keygen sign, as the documentation says how.
func TestAttests(t *testing.T) {
	t.Parallel()
	key, other := keyFile(t, "ed25519"), keyFile(t, "ecdsa")
	public := read(t, key+".pub")
	sign := func(key, namespace, digest string) string {
		return keygenSign(t, key, namespace, AttestationPayload(digest))
	}
	good := sign(key, AttestationNamespace, attested)
	for _, tc := range []struct {
		name, signature, line string
		revoked               bool
		by, why               string
	}{
		{name: "good", signature: good, line: alice + " " + public, by: alice},
		{name: "good, one of several", signature: good, line: "*@example.com," + alice + " " + public, by: alice},
		{name: "in the namespace", signature: good, line: alice + ` namespaces="loopx-attest"` + " " + public, by: alice},
		{name: "signers of findings", signature: good, line: alice + ` namespaces="loopx-ack"` + " " + public, why: "allows the key for the namespaces loopx-ack"},
		{name: "nobody by name", signature: good, line: "*@example.com" + " " + public, why: "is not among the signers"},
		{name: "another key", signature: sign(other, AttestationNamespace, attested), line: alice + " " + public, why: "is not among the signers"},
		{name: "another digest", signature: sign(key, AttestationNamespace, strings.ReplaceAll(attested, "5", "6")), line: alice + " " + public, why: "is not one of " + attested},
		{name: "another namespace", signature: sign(key, Namespace, attested), line: alice + " " + public, why: `the namespace "loopx-ack"`},
		{name: "a key that was", signature: good, line: alice + ` valid-before="20200101Z"` + " " + public, why: "made the key valid until"},
		{name: "a revoked key", signature: good, line: alice + " " + public, revoked: true, why: "is revoked"},
		{name: "no signature", signature: "hello", line: alice + " " + public, why: "is not an armored SSH signature"},
	} {
		trust := trusting(t, tc.line)
		if tc.revoked {
			var err error
			if trust.Revoked, err = ParseRevoked([]byte(public + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		by, err := trust.Attests(attested, tc.signature, today)
		if by != tc.by || (err == nil) != (tc.why == "") || err != nil && !strings.Contains(err.Error(), tc.why) {
			t.Errorf("%s: by %q, %v", tc.name, by, err)
		}
	}
}
