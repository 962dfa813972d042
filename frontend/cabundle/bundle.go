// Package cabundle makes the certificate authorities that a RUN needs when its
// fetches moved to TLS: one PEM file with the public roots and the operator's
// own, and the environment variables by which each fetching program finds it.
// It does no I/O.
package cabundle

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"slices"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Paths of the mount that carries the bundle in a RUN.
const (
	Dir      = "/dev/.loopx"
	FileName = "ca.crt"
	WgetRC   = "wgetrc"
	// OperatorDir is where a bundle with the operator's certificates is
	// mounted: Dir may hold what is in the frontend's image.
	OperatorDir = Dir + "/operator"
)

// Bundle is an immutable set of certificate authorities. The zero Bundle holds
// the public roots of the NSS trust store, in the version of
// golang.org/x/crypto/x509roots/fallback that go.mod names. The build
// machine's own store plays no part, so that a build is the same everywhere.
//
// A root whose trust ends at a date is included: a PEM file has no place for
// the condition, and certificates issued before that date are still good.
// Distributions ship it the same way.
type Bundle struct {
	operator [][]byte // DER
}

// With returns b and the operator's certs, each once, in their order.
func (b Bundle) With(certs []*x509.Certificate) Bundle {
	ders := slices.Clone(b.operator)
	for _, c := range certs {
		if !(Bundle{ders}).Added(c) {
			ders = append(ders, c.Raw)
		}
	}
	return Bundle{operator: ders}
}

// Operator reports whether the operator added certificates of their own.
func (b Bundle) Operator() bool { return len(b.operator) > 0 }

// Dir returns the folder that a RUN sees the bundle in.
func (b Bundle) Dir() string {
	if b.Operator() {
		return OperatorDir
	}
	return Dir
}

// File returns the path of the bundle in a RUN.
func (b Bundle) File() string { return b.Dir() + "/" + FileName }

// PEM returns the certificates as one PEM file, the operator's last.
func (b Bundle) PEM() []byte {
	var ders [][]byte
	for root := range bundle.Roots() {
		ders = append(ders, root.Certificate)
	}
	// The order of the source is not documented; this one is.
	slices.SortFunc(ders, bytes.Compare)
	var out []byte
	for _, der := range append(ders, b.operator...) {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return out
}

// Added reports whether the operator added a certificate.
func (b Bundle) Added(c *x509.Certificate) bool {
	return slices.ContainsFunc(b.operator, func(have []byte) bool { return bytes.Equal(have, c.Raw) })
}
