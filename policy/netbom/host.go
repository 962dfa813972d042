package netbom

import (
	"maps"
	"slices"
)

// Host is a host that a build fetched from.
type Host struct {
	Name string
	// Over is the way that needs most of a look.
	Over Over
	// Fetches is how often.
	Fetches int
	// Steps are the indexes of the steps, each once.
	Steps []HostStep
}

// HostStep is a step that fetched from a host.
type HostStep struct {
	Step int
	Over Over
}

func (h *Host) add(step int, over Over) {
	if n := len(h.Steps); n > 0 && h.Steps[n-1].Step == step {
		if worse(over, h.Steps[n-1].Over) {
			h.Steps[n-1].Over = over
		}
		return
	}
	h.Steps = append(h.Steps, HostStep{step, over})
}

func sortedHosts(byName map[string]*Host) []Host {
	var out []Host
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, *byName[name])
	}
	return out
}
