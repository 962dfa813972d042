package cabundle

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
)

// ParseFile reads the certificates of one PEM file that an operator gave.
// The file must hold certificates and nothing else; text between the PEM
// blocks is allowed. The error names the file and says what to do.
func ParseFile(name string, data []byte) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	for rest := data; ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		if err := checkType(name, block.Type); err != nil {
			return nil, err
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d cannot be read: %w", name, len(certs)+1, err)
		}
		certs = append(certs, cert)
	}
	if len(certs) == 0 {
		return nil, fmt.Errorf("%s: holds no PEM certificate (for a DER file: openssl x509 -inform der -in FILE -out FILE.crt)", name)
	}
	// pem.Decode skips a block that it cannot read.
	if n := bytes.Count(data, []byte("-----BEGIN ")); n != len(certs) {
		return nil, fmt.Errorf("%s: %d of %d PEM blocks cannot be read", name, n-len(certs), n)
	}
	return certs, nil
}

func checkType(name, blockType string) error {
	switch {
	case blockType == "CERTIFICATE":
		return nil
	case strings.Contains(blockType, "PRIVATE KEY"):
		return fmt.Errorf("%s: holds a private key; a certificate authority is given by its certificate alone: remove the key", name)
	}
	return fmt.Errorf("%s: holds a %q block; only CERTIFICATE is allowed", name, blockType)
}
