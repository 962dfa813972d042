package ack

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// The format is that of OpenSSH's PROTOCOL.sshsig. It is framed here, on the
// primitives of x/crypto/ssh, to be stricter than a general library: nothing
// may follow the signature, and RSA with SHA-1 is refused for certificates too.
const (
	armorType      = "SSH SIGNATURE"
	magic          = "SSHSIG"
	sshsigVersion  = 1
	minRSABits     = 2048
	skED25519      = ssh.KeyAlgoSKED25519
	skECDSA        = ssh.KeyAlgoSKECDSA256
	defaultHashing = "sha512" // as ssh-keygen -Y sign
)

// signatureBlob is what is armored, after the magic.
type signatureBlob struct {
	Version   uint32
	PublicKey []byte
	Namespace string
	Reserved  string
	Hash      string
	Signature []byte
}

// signedBlob is what the key signs, after the magic.
type signedBlob struct {
	Namespace string
	Reserved  string
	Hash      string
	Digest    []byte
}

// signature is a parsed SSHSIG. It is not verified yet.
type signature struct {
	key       ssh.PublicKey // a *ssh.Certificate, if a certificate signed
	namespace string
	hash      string
	sig       *ssh.Signature
}

func parseSignature(armored string) (*signature, error) {
	block, rest := pem.Decode([]byte(armored))
	switch {
	case block == nil || block.Type != armorType || len(block.Headers) > 0:
		return nil, errors.New("is not an armored SSH signature (-----BEGIN " + armorType + "-----)")
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, errors.New("is followed by something else")
	}
	body, ok := bytes.CutPrefix(block.Bytes, []byte(magic))
	var blob signatureBlob
	if !ok || ssh.Unmarshal(body, &blob) != nil {
		return nil, errors.New("has no SSHSIG in it")
	}
	if blob.Version != sshsigVersion {
		return nil, fmt.Errorf("has version %d of SSHSIG; only %d is known", blob.Version, sshsigVersion)
	}
	key, err := ssh.ParsePublicKey(blob.PublicKey)
	if err != nil {
		return nil, errors.New("has a public key that cannot be read")
	}
	s := &signature{key: key, namespace: blob.Namespace, hash: blob.Hash, sig: &ssh.Signature{}}
	if ssh.Unmarshal(blob.Signature, s.sig) != nil || blob.Reserved != "" {
		return nil, errors.New("is malformed")
	}
	return s, s.strong()
}

// strong returns why a signature is too weak to count, whoever made it.
func (s *signature) strong() error {
	if err := strongKey(s.key); err != nil {
		return err
	}
	if err := strongAlgorithm(s.sig); err != nil {
		return err
	}
	if cert, ok := s.key.(*ssh.Certificate); ok {
		if err := strongAlgorithm(cert.Signature); err != nil {
			return fmt.Errorf("is made with a certificate whose own signature %w", err)
		}
		return strongKey(cert.SignatureKey)
	}
	return nil
}

func strongAlgorithm(sig *ssh.Signature) error {
	switch sig.Format {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512:
		if len(sig.Rest) > 0 {
			return errors.New("is malformed")
		}
		return nil
	case skED25519, skECDSA:
		return nil
	case ssh.KeyAlgoRSA:
		return errors.New("uses RSA with SHA-1 (ssh-rsa), which is broken; sign with rsa-sha2-512")
	}
	return fmt.Errorf("uses the algorithm %q, which is not accepted", sig.Format)
}

func strongKey(key ssh.PublicKey) error {
	key = plainKey(key)
	c, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return nil
	}
	if k, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && k.N.BitLen() < minRSABits {
		return fmt.Errorf("uses an RSA key of %d bits; %d are the least", k.N.BitLen(), minRSABits)
	}
	return nil
}

// plainKey is the key that a certificate certifies, or the key itself.
func plainKey(key ssh.PublicKey) ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.Key
	}
	return key
}

// verify reports whether the signature is one over message in the namespace
// that it names.
func (s *signature) verify(message []byte) bool {
	data, err := signedData(s.namespace, s.hash, message)
	return err == nil && s.key.Verify(data, s.sig) == nil
}

func signedData(namespace, hash string, message []byte) ([]byte, error) {
	var digest []byte
	switch hash {
	case "sha256":
		sum := sha256.Sum256(message)
		digest = sum[:]
	case "sha512":
		sum := sha512.Sum512(message)
		digest = sum[:]
	default:
		return nil, fmt.Errorf("the hash %q is not known", hash)
	}
	return append([]byte(magic), ssh.Marshal(signedBlob{namespace, "", hash, digest})...), nil
}

// Sign sets the signature of e, made by signer in [Namespace]. RSA keys sign
// with SHA-512. The error is the signer's.
func (e *Entry) Sign(signer ssh.Signer) error {
	data, err := signedData(Namespace, defaultHashing, e.Payload())
	if err != nil {
		return err
	}
	sig, err := sign(signer, data)
	if err != nil {
		return err
	}
	e.Signature = armor(signer.PublicKey(), sig)
	return nil
}

// armor frames a signature over [signedData] with the default hash.
func armor(key ssh.PublicKey, sig *ssh.Signature) string {
	blob := signatureBlob{
		Version: sshsigVersion, PublicKey: key.Marshal(),
		Namespace: Namespace, Hash: defaultHashing, Signature: ssh.Marshal(sig),
	}
	return string(pem.EncodeToMemory(&pem.Block{
		Type: armorType, Bytes: append([]byte(magic), ssh.Marshal(blob)...),
	}))
}

// sign never lets RSA sign with SHA-1, which is what a plain Sign does. An
// agent's key is of a type of its own, so its bytes tell what it is.
func sign(signer ssh.Signer, data []byte) (*ssh.Signature, error) {
	key, err := ssh.ParsePublicKey(signer.PublicKey().Marshal())
	if err != nil {
		return nil, err
	}
	if plainKey(key).Type() != ssh.KeyAlgoRSA {
		return signer.Sign(rand.Reader, data)
	}
	s, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return nil, errors.New("this signer makes RSA signatures with SHA-1 only")
	}
	return s.SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSASHA512)
}

// CheckSignature returns why the signature of e is not one over what e says,
// and the fingerprint of the key that made it. Nothing is said about whether
// anybody trusts that key.
func (e *Entry) CheckSignature() (fingerprint string, err error) {
	s, err := parseSignature(e.Signature)
	switch {
	case err != nil:
		return "", fmt.Errorf("the signature %w", err)
	case s.namespace != Namespace:
		return "", fmt.Errorf("the signature is made for the namespace %q, not %q", s.namespace, Namespace)
	case !s.verify(e.Payload()):
		return "", errors.New("the signature does not match what the entry says")
	}
	return ssh.FingerprintSHA256(plainKey(s.key)), nil
}

// SignerLine returns the line that a file of allowed signers needs for the
// signature of e to count: the key, or the authority of the certificate, with
// which it was made. It is "" if there is no signature that can be read, or no
// line says the principal as it is.
func (e *Entry) SignerLine() string {
	s, err := parseSignature(e.Signature)
	if err != nil {
		return ""
	}
	key, option := s.key, ""
	if cert, ok := key.(*ssh.Certificate); ok {
		key, option = cert.SignatureKey, "cert-authority,"
	}
	line := fmt.Sprintf("%s %snamespaces=%q %s", e.Principal, option, Namespace, bytes.TrimSpace(ssh.MarshalAuthorizedKey(key)))
	read, err := ParseSigners([]byte(line), time.UTC)
	if err != nil || len(read) != 1 || read[0].Principals != e.Principal || strings.ContainsAny(e.Principal, "*?!,") {
		return ""
	}
	return line
}
