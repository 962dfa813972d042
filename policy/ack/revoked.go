package ack

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Revoked are the keys that must not count any more. The zero value revokes
// none.
type Revoked struct {
	sums         map[[sha256.Size]byte]bool // of the blobs of keys and certificates
	sha1         map[[sha1.Size]byte]bool   // the same; only a KRL has them
	certificates []certificates
}

// ParseRevoked reads a list of revoked keys. Each line is a public key or a
// certificate as a .pub file has it, or a fingerprint "SHA256:…" as
// ssh-keygen -l prints it; "#" begins a comment line. A key revokes all
// certificates of it and, if it is an authority's, all that it signed; a
// certificate revokes only itself. OpenSSH's binary form (KRL), as ssh-keygen -k
// makes it, is read too. The error is a [*SyntaxError].
func ParseRevoked(data []byte) (Revoked, error) {
	if len(data) > MaxFile {
		return Revoked{}, wrong(0, "the file is larger than %d bytes", MaxFile)
	}
	r := Revoked{sums: map[[sha256.Size]byte]bool{}, sha1: map[[sha1.Size]byte]bool{}}
	if bytes.HasPrefix(data, []byte(krlMagic)) {
		if err := r.parseKRL(data); err != nil {
			return Revoked{}, wrong(0, "%s", err.Error())
		}
		return r, nil
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		sum, err := revokedSum(text)
		if err != nil {
			return Revoked{}, wrong(n, "%s", err.Error())
		}
		r.sums[sum] = true
	}
	return r, nil
}

func revokedSum(line string) (sum [sha256.Size]byte, err error) {
	if encoded, ok := strings.CutPrefix(strings.Fields(line)[0], "SHA256:"); ok {
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
		if err != nil || len(raw) != len(sum) {
			return sum, fmt.Errorf("%q is not a fingerprint", "SHA256:"+encoded)
		}
		return [sha256.Size]byte(raw), nil
	}
	key, err := parseKey(line)
	if err != nil {
		return sum, fmt.Errorf("%w; a line is a public key, a certificate or a fingerprint SHA256:…", err)
	}
	return sha256.Sum256(key.Marshal()), nil
}

func (r *Revoked) addBlob(blob []byte) { r.sums[sha256.Sum256(blob)] = true }

// has reports whether a key, or for a certificate anything that it rests on, is
// revoked.
func (r *Revoked) has(key ssh.PublicKey) bool {
	if cert, ok := key.(*ssh.Certificate); ok {
		revokes := func(c certificates) bool { return c.has(cert) }
		if r.has(cert.Key) || r.has(cert.SignatureKey) || slices.ContainsFunc(r.certificates, revokes) {
			return true
		}
	}
	blob := key.Marshal()
	return r.sums[sha256.Sum256(blob)] || r.sha1[sha1.Sum(blob)]
}
