package builder

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/distribution/reference"
)

// pushAuth is the header by which a Docker engine is given the credentials for
// the registry of an image. Source: "Authentication" in the Docker Engine API.
func (p *plan) pushAuth(name string) (string, error) {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return "", fmt.Errorf("--tag %s: %w", name, err)
	}
	c, err := credentials(p.docker, reference.Domain(ref))
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]string{
		"username": c.Username, "password": c.Password, "identitytoken": c.IdentityToken, "serveraddress": reference.Domain(ref),
	})
	return base64.URLEncoding.EncodeToString(data), err
}
