package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// errRevoked is a certificate that is on apt's list of revoked ones.
var errRevoked = errors.New("its certificate is revoked")

// revoked returns a check of a verified connection against the revocation
// lists in a PEM file, which apt's CrlFile names: as for apt, a file that
// cannot be read fails the connection.
func revoked(file string) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		lists, err := readLists(file)
		if err != nil {
			return fmt.Errorf("apt's CrlFile %s: %w", file, err)
		}
		for _, chain := range state.VerifiedChains {
			if !onList(chain, lists) {
				return nil
			}
		}
		return errRevoked
	}
}

// readLists reads the revocation lists of a PEM file, at least one.
func readLists(file string) ([]*x509.RevocationList, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lists []*x509.RevocationList
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		list, err := x509.ParseRevocationList(block.Bytes)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	if len(lists) == 0 {
		return nil, errors.New("it holds no revocation list")
	}
	return lists, nil
}

// onList reports whether a certificate of a chain, which ends in a root, is
// revoked by the list of the one that issued it.
func onList(chain []*x509.Certificate, lists []*x509.RevocationList) bool {
	for i := range len(chain) - 1 {
		for _, list := range lists {
			if list.CheckSignatureFrom(chain[i+1]) != nil {
				continue
			}
			for _, r := range list.RevokedCertificateEntries {
				if r.SerialNumber.Cmp(chain[i].SerialNumber) == 0 {
					return true
				}
			}
		}
	}
	return false
}
