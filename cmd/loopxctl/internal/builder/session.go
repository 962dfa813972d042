package builder

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/moby/buildkit/session"
	"github.com/moby/buildkit/session/secrets/secretsprovider"
	"github.com/moby/buildkit/session/sshforward/sshprovider"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// parseSecrets reads --secret: id=ID, then src=FILE or env=NAME. With an ID alone
// it is the variable, or the file, of that name.
func parseSecrets(list []string, env func(string) (string, bool)) (session.Attachable, error) {
	var sources []secretsprovider.Source
	for _, value := range list {
		fields, err := parseFields("--secret", value)
		if err != nil {
			return nil, err
		}
		s := secretsprovider.Source{ID: fields.take("id"), Env: fields.take("env"), FilePath: fields.take("src", "source")}
		kind := fields.take("type")
		switch {
		case s.ID == "":
			return nil, errors.New("--secret has no id: write id=ID,src=FILE or id=ID,env=NAME")
		case kind != "" && kind != "file" && kind != "env":
			return nil, fmt.Errorf("--secret: there is no type %q; write file or env", kind)
		case kind == "env" && s.Env == "":
			s.Env, s.FilePath = s.FilePath, ""
		}
		if err := fields.none("--secret", "id, src, env, type"); err != nil {
			return nil, err
		}
		if _, ok := env(s.ID); s.Env == "" && s.FilePath == "" && !ok {
			s.FilePath = s.ID
		}
		if s.FilePath != "" {
			if _, err := os.Stat(s.FilePath); err != nil {
				return nil, fault.Of(s.FilePath, "the secret "+s.ID+" cannot be read", err)
			}
		}
		sources = append(sources, s)
	}
	store, err := secretsprovider.NewStore(sources)
	if err != nil {
		return nil, fmt.Errorf("--secret: %w", err)
	}
	return secretsprovider.NewSecretProvider(store), nil
}

// parseSSH reads --ssh: "default" or ID, then =SOCKET or =KEY,KEY.
func parseSSH(list []string) (session.Attachable, error) {
	var agents []sshprovider.AgentConfig
	for _, value := range list {
		id, paths, ok := strings.Cut(value, "=")
		agent := sshprovider.AgentConfig{ID: id}
		if ok {
			for path := range strings.SplitSeq(paths, ",") {
				if raw, is := strings.CutPrefix(path, "raw="); is {
					var err error
					if agent.Raw, err = strconv.ParseBool(raw); err != nil {
						return nil, fmt.Errorf("--ssh %s: raw is true or false", id)
					}
					continue
				}
				agent.Paths = append(agent.Paths, path)
			}
		}
		agents = append(agents, agent)
	}
	provider, err := sshprovider.NewSSHAgentProvider(agents)
	if err != nil {
		return nil, fmt.Errorf("--ssh: %w", err)
	}
	return provider, nil
}
