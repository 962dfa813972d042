package route

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table is the compiled decision: the embedded data and an operator's Config.
// It is safe for concurrent use.
type Table struct {
	*index
	mode    Mode
	mirrors map[string][]string // by archive, in normal form
	rules   map[hostKey]*hostRule
	// places are where the configuration itself sends fetches. A URL that is
	// at one of them has arrived: it is not moved on.
	places []destination
}

// destination is a base URL taken apart.
type destination struct {
	name string // canonical host
	port int
	path string
}

// NewTable compiles cfg. It returns a *ConfigError for a bad value, with the
// field of Config as its Variable: Mode, Mirrors["debian"], Hosts[2].
func NewTable(cfg Config) (*Table, error) {
	mode, err := ParseMode(string(cfg.Mode))
	if err != nil {
		return nil, named(err, "Mode")
	}
	t := &Table{
		index: embedded(), mode: mode,
		mirrors: map[string][]string{}, rules: map[hostKey]*hostRule{},
	}
	for _, archive := range slices.Sorted(maps.Keys(cfg.Mirrors)) {
		if err := t.addMirrors(archive, cfg.Mirrors[archive]); err != nil {
			return nil, named(err, fmt.Sprintf("Mirrors[%q]", archive))
		}
	}
	if t.mirrors["ubuntu-security"] == nil {
		// One Ubuntu base holds all suites, X-security too.
		t.mirrors["ubuntu-security"] = t.mirrors["ubuntu"]
	}
	for i, r := range cfg.Hosts {
		if err := t.addRule(r); err != nil {
			return nil, named(err, fmt.Sprintf("Hosts[%d]", i))
		}
	}
	return t, nil
}

// Mode is what a refused fetch does to a build.
func (t *Table) Mode() Mode { return t.mode }

// addMirrors takes the mirrors of one archive; an empty list is none.
func (t *Table) addMirrors(archive string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	if !slices.Contains(t.names, archive) {
		return unknownArchive("mirror", strings.Join(list, " "))
	}
	checked, err := checkMirrors(archive, list)
	if err != nil {
		return err
	}
	t.mirrors[archive] = checked
	if checked[0] != Default {
		t.places = append(t.places, newDestination(checked[0]))
	}
	return nil
}

// addRule takes one host rule. Two rules for the same host must agree.
func (t *Table) addRule(r HostRule) error {
	c, err := compileRule(r)
	if err != nil {
		return err
	}
	if old := t.rules[c.key]; old != nil && old.text != c.text {
		return &ConfigError{
			"host rule", r.redacted(), "contradicts the rule " + HostRule{r.Host, old.text}.redacted(),
			"write one rule for each host",
		}
	}
	t.rules[c.key] = &c
	if c.action == "url" {
		t.places = append(t.places, c.to)
	}
	return nil
}

// newDestination takes a base in normal form apart.
func newDestination(base string) destination {
	a, _ := parseAddress(base, Fetch)
	return destination{name: a.name, port: a.number, path: a.rest}
}

// rule returns the operator's most specific rule for an address: the host with
// its port, the host, then the longest suffix; nil if there is none.
func (t *Table) rule(a *address) *hostRule {
	if len(t.rules) == 0 {
		return nil
	}
	name, suffix := a.name, false
	for {
		if r := t.rules[hostKey{name, a.number, suffix}]; r != nil {
			return r
		}
		if r := t.rules[hostKey{name, 0, suffix}]; r != nil {
			return r
		}
		i := strings.IndexByte(name, '.')
		if i < 0 || a.ip.IsValid() {
			return nil
		}
		name, suffix = name[i+1:], true
	}
}

// arrived reports whether an address lies at a place to which the configuration
// itself sends fetches.
func (t *Table) arrived(a *address) bool {
	return slices.ContainsFunc(t.places, func(d destination) bool {
		_, below := matchPrefix(a.rest, d.path)
		return d.name == a.name && d.port == a.number && below
	})
}
