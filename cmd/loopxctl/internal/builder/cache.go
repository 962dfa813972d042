package builder

import (
	"fmt"
	"strings"

	"github.com/moby/buildkit/client"
)

// parseCaches reads --cache-from or --cache-to: a reference in a registry, or
// type=TYPE with attributes.
func parseCaches(flag string, list []string, env func(string) (string, bool)) ([]client.CacheOptionsEntry, error) {
	var all []client.CacheOptionsEntry
	for _, value := range list {
		if !strings.Contains(value, "=") {
			all = append(all, client.CacheOptionsEntry{Type: registry, Attrs: map[string]string{"ref": value}})
			continue
		}
		fields, err := parseFields(flag, value)
		if err != nil {
			return nil, err
		}
		e := client.CacheOptionsEntry{Type: fields.take("type"), Attrs: fields}
		if e.Type == "" {
			return nil, fmt.Errorf("%s has no type: write type=registry,ref=REFERENCE, or REFERENCE alone", flag)
		}
		if e.Type == "gha" {
			fillGitHub(e.Attrs, env)
		}
		all = append(all, e)
	}
	return all, nil
}

// fillGitHub takes what is not given from the variables that GitHub Actions sets
// for its cache.
func fillGitHub(attrs map[string]string, env func(string) (string, bool)) {
	for _, from := range []struct{ attr, variable string }{
		{"token", "ACTIONS_RUNTIME_TOKEN"}, {"url", "ACTIONS_CACHE_URL"}, {"url_v2", "ACTIONS_RESULTS_URL"},
	} {
		if value, ok := env(from.variable); ok && attrs[from.attr] == "" {
			attrs[from.attr] = value
		}
	}
	if v2, _ := env("ACTIONS_CACHE_SERVICE_V2"); v2 != "" && attrs["version"] == "" {
		attrs["version"] = "2"
	}
}
