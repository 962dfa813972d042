package ack

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// AttestationNamespace is the SSHSIG namespace of a signature of an image. One
// who may sign for findings may not by that sign for images, unless the line of
// the signers names no namespace.
const AttestationNamespace = "loopx-attest"

// AttestationPayload is what is signed of an image: its digest, as a line.
func AttestationPayload(digest string) []byte { return []byte(digest + "\n") }

// Attests returns who of the signers made a signature over the digest of an
// image: the first principal of the key's line, or of its certificate, that the
// signers allow. The error says why nobody who is trusted did, in one line.
func (t *Trust) Attests(digest, armored string, now time.Time) (principal string, err error) {
	s, err := parseSignature(armored)
	switch {
	case err != nil:
		return "", fmt.Errorf("the signature %w", err)
	case s.namespace != AttestationNamespace:
		return "", fmt.Errorf("the signature is made for the namespace %q, not %q", s.namespace, AttestationNamespace)
	case !s.verify(AttestationPayload(digest)):
		return "", fmt.Errorf("the signature is not one of %s", digest)
	case t.Revoked.has(s.key):
		return "", errors.New("the key, or the authority of its certificate, is revoked")
	}
	best := &refusal{why: fmt.Sprintf("the key %s is not among the signers of %s", keyName(s.key), t.Source)}
	for _, name := range t.principals(s.key) {
		r := t.allows(s, name, now)
		if r == nil {
			return name, nil
		}
		if r.near > best.near {
			best = r
		}
	}
	return "", errors.New(best.why)
}

// principals are those that a key may stand for: those of its certificate, or of
// the lines that have the key. A pattern names nobody.
func (t *Trust) principals(key ssh.PublicKey) []string {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.ValidPrincipals
	}
	var all []string
	for _, l := range t.Signers {
		if l.Authority || string(l.Key.Marshal()) != string(key.Marshal()) {
			continue
		}
		for name := range strings.SplitSeq(l.Principals, ",") {
			if !strings.ContainsAny(name, "*?!") {
				all = append(all, name)
			}
		}
	}
	return all
}
