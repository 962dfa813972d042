package given

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// sumFile is the SHA-256 of a file, in hexadecimal.
func sumFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
