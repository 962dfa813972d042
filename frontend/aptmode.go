package frontend

import (
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
