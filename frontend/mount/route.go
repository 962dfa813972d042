package mount

import (
	"encoding/json"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Route returns the content of RouteFile: what the method that serves apt is told
// of the operator's configuration, in one line; nil for the built-in default. It is
// part of the cache key of guarded RUNs: equal configurations are equal bytes.
func Route(cfg route.Config) ([]byte, error) {
	if cfg.Mode == route.Enforce {
		cfg.Mode = ""
	}
	if cfg.Mode == "" && len(cfg.Mirrors) == 0 && len(cfg.Hosts) == 0 {
		return nil, nil
	}
	return json.Marshal(cfg)
}
