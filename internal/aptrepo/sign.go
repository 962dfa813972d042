package aptrepo

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"math/bits"
	"slices"
	"strings"
)

// The part of OpenPGP that an archive's signature needs: version 4 keys and
// signatures with EdDSA over Ed25519, as in RFC 4880 and RFC 9580 (where this
// form is called EdDSALegacy). Both gpgv and sqv, apt's verifiers, read it. By
// hand, so that the bytes are the same each time and no agent is started.

// Numbers from RFC 4880 and RFC 9580.
const (
	tagSignature, tagPublicKey, tagUserID = 2, 6, 13

	sigBinary, sigText, sigCertification = 0x00, 0x01, 0x13

	algorithmEdDSA, hashSHA256 = 22, 8

	subCreated, subIssuer, subKeyFlags, subIssuerFingerprint = 2, 16, 27, 33

	mayCertifyAndSign = 0x03
)

// userID names the key's owner.
const userID = "aptrepo <nobody@example.org>"

// signingKey makes the key of a seed.
func signingKey(seed uint64) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(noise(seed, 1<<33, ed25519.SeedSize))
}

// Key returns the public key of a signed Repo, as a keyring for Signed-By.
func (r *Repo) Key() []byte {
	body := publicKey(r.key)
	certify := sha256.New()
	hashKey(certify, body)
	certify.Write([]byte{0xb4})
	binary.Write(certify, binary.BigEndian, uint32(len(userID)))
	certify.Write([]byte(userID))
	self := signature(r.key, sigCertification, certify, subpacket(subKeyFlags, []byte{mayCertifyAndSign}))
	return slices.Concat(packet(tagPublicKey, body), packet(tagUserID, []byte(userID)), self)
}

// clearSign returns the content of InRelease: text with its signature. No line
// of text begins with a dash or ends in a blank.
func clearSign(key ed25519.PrivateKey, text []byte) []byte {
	h := sha256.New()
	// Lines end in CR LF for the signature; the last line's end is not part of it.
	h.Write(bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\r\n")))
	return slices.Concat([]byte("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n"), text, armor(signature(key, sigText, h)))
}

// detachedSign returns the content of Release.gpg.
func detachedSign(key ed25519.PrivateKey, text []byte) []byte {
	h := sha256.New()
	h.Write(text)
	return armor(signature(key, sigBinary, h))
}

// signature returns a signature packet over what is in h, with more subpackets.
func signature(key ed25519.PrivateKey, kind byte, h hash.Hash, more ...[]byte) []byte {
	id := fingerprint(key)
	hashed := slices.Concat(
		subpacket(subCreated, date()),
		subpacket(subIssuerFingerprint, append([]byte{4}, id...)),
		slices.Concat(more...),
	)
	head := slices.Concat([]byte{4, kind, algorithmEdDSA, hashSHA256}, length16(hashed), hashed)
	h.Write(head)
	h.Write([]byte{4, 0xff})
	binary.Write(h, binary.BigEndian, uint32(len(head)))
	digest := h.Sum(nil)
	sig := ed25519.Sign(key, digest)
	issuer := subpacket(subIssuer, id[12:])
	return packet(tagSignature, slices.Concat(head, length16(issuer), issuer, digest[:2], mpi(sig[:32]), mpi(sig[32:])))
}

// publicKey is the body of the key's packet.
func publicKey(key ed25519.PrivateKey) []byte {
	oid := []byte{9, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01} // Ed25519
	point := append([]byte{0x40}, key.Public().(ed25519.PublicKey)...)
	return slices.Concat([]byte{4}, date(), []byte{algorithmEdDSA}, oid, mpi(point))
}

func fingerprint(key ed25519.PrivateKey) []byte {
	h := sha1.New()
	hashKey(h, publicKey(key))
	return h.Sum(nil)
}

// hashKey writes a key's body to h as fingerprints and certifications have it.
func hashKey(h hash.Hash, body []byte) {
	h.Write([]byte{0x99})
	h.Write(length16(body))
	h.Write(body)
}

func date() []byte { return binary.BigEndian.AppendUint32(nil, uint32(modified.Unix())) }

func length16(b []byte) []byte { return binary.BigEndian.AppendUint16(nil, uint16(len(b))) }

// packet puts a body of less than 64 kB into a packet.
func packet(tag byte, body []byte) []byte {
	const old, twoBytes = 0x80, 1
	return slices.Concat([]byte{old | tag<<2 | twoBytes}, length16(body), body)
}

// subpacket holds a body of less than 191 bytes.
func subpacket(kind byte, body []byte) []byte {
	return append([]byte{byte(len(body) + 1), kind}, body...)
}

// mpi is a number with its length in bits.
func mpi(number []byte) []byte {
	number = bytes.TrimLeft(number, "\x00")
	n := 0
	if len(number) > 0 {
		n = 8*(len(number)-1) + bits.Len8(number[0])
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(n)), number...)
}

// armor writes a signature as text.
func armor(data []byte) []byte {
	var b strings.Builder
	b.WriteString("-----BEGIN PGP SIGNATURE-----\n\n")
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(data)), 64) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	b.WriteString("-----END PGP SIGNATURE-----\n")
	return []byte(b.String())
}
