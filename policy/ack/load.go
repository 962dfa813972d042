package ack

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// The files of a trusted folder. RevokedFile may be missing, and one of the
// others.
const (
	SignersFile = "allowed_signers"
	RevokedFile = "revoked_keys"
	PolicyFile  = "policy.yaml"
)

// Load reads a trusted folder: read returns the content of one of its files, or
// fs.ErrNotExist. Times without a zone in the signers' lines are of zone.
//
// The source of the result is source, or "" if the folder holds neither signers
// nor a policy. An error names the file, and the line if it is a [*SyntaxError].
func Load(source string, zone *time.Location, read func(name string) ([]byte, error)) (Trust, error) {
	t := Trust{Source: source}
	found := false
	for _, file := range []struct {
		name  string
		parse func([]byte) error
	}{
		{SignersFile, func(data []byte) (err error) { t.Signers, err = ParseSigners(data, zone); return }},
		{PolicyFile, func(data []byte) (err error) { t.Policy, err = ParsePolicy(data); return }},
		{RevokedFile, func(data []byte) (err error) { t.Revoked, err = ParseRevoked(data); return }},
	} {
		data, err := read(file.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = file.parse(data)
		}
		if err != nil {
			return Trust{}, fmt.Errorf("%s: %w", file.name, err)
		}
		found = found || file.name != RevokedFile
	}
	if !found {
		t.Source = ""
	}
	return t, nil
}
