// Package oracle reads the compressed answers of other programs that tests
// compare with.
package oracle

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Gunzip returns what a file compressed by gzip holds.
func Gunzip(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Read decodes the JSON of a compressed file into v.
func Read(path string, v any) error {
	data, err := Gunzip(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
