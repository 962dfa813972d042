package builder

import (
	"context"
	"io"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
	"github.com/moby/buildkit/session/auth"
	"google.golang.org/grpc"
)

// registryAuth gives the daemon docker's credentials for a registry when it asks
// for them. It answers this one question of BuildKit's auth service; to the
// others, about tokens, the answer is that they are not implemented, and the
// daemon fetches tokens itself (session/auth in BuildKit: GetTokenAuthority).
type registryAuth struct {
	auth.UnimplementedAuthServer
	config *configfile.ConfigFile
}

// dockerConfig reads docker's configuration; complaints about it go to w.
func dockerConfig(w io.Writer) *configfile.ConfigFile { return config.LoadDefaultConfigFile(w) }

// hubKey is the name under which docker keeps the credentials of Docker Hub.
const hubKey = "https://index.docker.io/v1/"

// credentials are docker's for a registry, by the host that is connected to.
func credentials(c *configfile.ConfigFile, host string) (types.AuthConfig, error) {
	switch host {
	case "registry-1.docker.io", "docker.io", "index.docker.io":
		host = hubKey
	}
	return c.GetAuthConfig(host)
}

// Register makes the session answer.
func (r *registryAuth) Register(server *grpc.Server) { auth.RegisterAuthServer(server, r) }

// Credentials answers the daemon.
func (r *registryAuth) Credentials(_ context.Context, req *auth.CredentialsRequest) (*auth.CredentialsResponse, error) {
	c, err := credentials(r.config, req.Host)
	if err != nil {
		return nil, err
	}
	if c.IdentityToken != "" {
		return &auth.CredentialsResponse{Secret: c.IdentityToken}, nil
	}
	return &auth.CredentialsResponse{Username: c.Username, Secret: c.Password}, nil
}
