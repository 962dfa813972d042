package testbed

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// CA is a certificate authority that lives in memory.
type CA struct {
	// PEM is the root certificate.
	PEM  []byte
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewCA makes an authority that nobody trusts yet, with name as its subject.
func NewCA(t TB, name string) *CA {
	t.Helper()
	return must[*CA](t, "make a CA")(newCA(name))
}

// DefaultCA returns the authority of this process: the daemon trusts it for
// ADD and git sources, and a Mirror uses it unless told otherwise.
func DefaultCA(t TB) *CA {
	t.Helper()
	return must[*CA](t, "make a CA")(shared.defaultCA())
}

func (b *bed) defaultCA() (*CA, error) {
	return b.ca.do(func() (*CA, error) { return newCA("LoopX test bed") })
}

// Dir returns a new folder that holds the root as ca.crt, ready to be the
// named context loopx-ca.
func (ca *CA) Dir(t TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), ca.PEM, 0o644); err != nil {
		t.Fatalf("testbed: %v", err)
	}
	return dir
}

// Pool returns a certificate pool with this root alone.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

func newCA(name string) (*CA, error) {
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		BasicConstraintsValid: true,
		IsCA:                  true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	ca := &CA{}
	der, key, err := ca.sign(template)
	if err != nil {
		return nil, err
	}
	ca.key = key
	ca.cert, err = x509.ParseCertificate(der)
	ca.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return ca, err
}

// serverCert issues a certificate for a TLS server with these names and address.
func (ca *CA) serverCert(names []string, ip net.IP) (tls.Certificate, error) {
	der, key, err := ca.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: names[0]},
		DNSNames:    names,
		IPAddresses: []net.IP{ip},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// sign completes template with a serial number, a validity of one day and a new
// key, and signs it with the authority, or with itself where there is none yet.
func (ca *CA) sign(template *x509.Certificate) (der []byte, key *ecdsa.PrivateKey, err error) {
	key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	// An hour back, for containers whose clock is a little behind.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(24 * time.Hour)
	parent, signer := template, key
	if ca.cert != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err = x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	return der, key, err
}
