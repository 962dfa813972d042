package frontend

import (
	"encoding/json"

	"github.com/loopx/loopx-frontend/frontend/llbpass"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// aptVariable says which RUNs have their apt guarded. Its values are those of
// llbpass.AptMode.
const aptVariable = "LOOPX_APT"

// readApt reads LOOPX_APT; empty is auto.
func readApt(value string) (llbpass.AptMode, error) {
	switch m := llbpass.AptMode(value); m {
	case "":
		return llbpass.AptAuto, nil
	case llbpass.AptAuto, llbpass.AptAll, llbpass.AptOff:
		return m, nil
	}
	return "", &route.ConfigError{
		Variable: aptVariable, Value: route.RedactText(value), Problem: "is neither auto, all nor off",
		Hint: "write auto (RUNs that may run apt), all (every RUN) or off, or leave it out",
	}
}

// operatorRoute returns what the method that serves apt is told of the
// operator's configuration, nil for the built-in default. It is part of the
// cache key of guarded RUNs: equal configurations are equal bytes.
func operatorRoute(cfg route.Config) ([]byte, error) {
	if cfg.Mode == route.Enforce {
		cfg.Mode = ""
	}
	if cfg.Mode == "" && len(cfg.Mirrors) == 0 && len(cfg.Hosts) == 0 {
		return nil, nil
	}
	return json.Marshal(cfg)
}
