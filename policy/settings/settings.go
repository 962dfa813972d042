package settings

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Settings are what is in force.
type Settings struct {
	Route      route.Config
	Apt        config.Apt
	Checks     config.Checks
	Repository string
	// Lock is nil unless the organisation locks what it says.
	Lock *Lock

	sources map[string]Source
	refused []Refusal
}

// InForce puts layers over each other, in their order. What a lock forbids is in
// [Settings.Err], and not in force.
func InForce(layers ...Layer) *Settings {
	s := &Settings{Apt: config.AptAuto, Checks: config.ChecksOn, sources: map[string]Source{}}
	s.Route.Mode = route.Enforce
	for _, l := range layers {
		if s.Lock != nil {
			l = s.admitted(l)
		}
		s.put(l)
		if l.Owner == Organisation && l.Locked {
			s.lock(l)
		}
	}
	return s
}

// put puts a layer over what is in force.
func (s *Settings) put(l Layer) {
	put(s, l, config.ModeKey, &s.Route.Mode, l.Mode)
	put(s, l, config.AptKey, &s.Apt, l.Apt)
	put(s, l, config.ChecksKey, &s.Checks, l.Checks)
	put(s, l, config.RepositoryKey, &s.Repository, l.Repository)
	if s.Route.Mirrors == nil && len(l.Mirrors) > 0 {
		s.Route.Mirrors = map[string][]string{}
	}
	for archive, list := range l.Mirrors {
		s.Route.Mirrors[archive] = list
		s.sources[config.MirrorKey(archive)] = l.source(config.MirrorKey(archive))
	}
	s.Route.Hosts = overridden(s.Route.Hosts, l.Hosts)
	for _, r := range l.Hosts {
		s.sources[config.HostKey(r.Host)] = l.source(config.HostKey(r.Host))
	}
}

// put sets one setting, if the layer has it.
func put[T ~string](s *Settings, l Layer, key string, at *T, value T) {
	if value != "" {
		*at = value
		s.sources[key] = l.source(key)
	}
}

// overridden are rules in the place of which others come for the same host.
func overridden(rules, by []route.HostRule) []route.HostRule {
	kept := slices.DeleteFunc(slices.Clone(rules), func(old route.HostRule) bool {
		return slices.ContainsFunc(by, func(r route.HostRule) bool { return r.Host == old.Host })
	})
	return append(kept, by...)
}

// Source is where a setting is from, by its key of package config.
func (s *Settings) Source(key string) Source {
	if of, ok := s.sources[key]; ok {
		return of
	}
	return Source{Owner: Builtin}
}

// Setting is one setting that is in force.
type Setting struct {
	Key, Value string
	Source     Source
}

// All are the settings in the order of the file: mirrors by archive, and host
// rules with those of later layers last.
func (s *Settings) All() []Setting {
	all := []Setting{
		{Key: config.ModeKey, Value: string(s.Route.Mode)},
		{Key: config.AptKey, Value: string(s.Apt)},
		{Key: config.ChecksKey, Value: string(s.Checks)},
	}
	if s.Repository != "" {
		all = append(all, Setting{Key: config.RepositoryKey, Value: s.Repository})
	}
	for _, archive := range slices.Sorted(maps.Keys(s.Route.Mirrors)) {
		all = append(all, Setting{Key: config.MirrorKey(archive), Value: strings.Join(s.Route.Mirrors[archive], " ")})
	}
	for _, r := range s.Route.Hosts {
		all = append(all, Setting{Key: config.HostKey(r.Host), Value: r.Action})
	}
	for i := range all {
		all[i].Source = s.Source(all[i].Key)
	}
	return all
}

// Notes tell what in force deserves a look: each setting that is weaker than what
// is built in, and mirrors that may be incomplete. Variable is the source.
func (s *Settings) Notes() []route.Note {
	var notes []route.Note
	note := func(key string, of []route.Note) {
		for _, n := range of {
			notes = append(notes, route.Note{Variable: s.Source(key).Name, Message: n.Message, Weakens: n.Weakens})
		}
	}
	note(config.ModeKey, route.Config{Mode: s.Route.Mode}.Notes())
	if s.Apt == config.AptOff {
		note(config.AptKey, []route.Note{{Message: "what apt fetches is not moved to TLS", Weakens: true}})
	}
	if s.Checks == config.ChecksOff {
		note(config.ChecksKey, []route.Note{{Message: "the text of the Dockerfile is not checked", Weakens: true}})
	}
	for _, r := range s.Route.Hosts {
		note(config.HostKey(r.Host), route.Config{Hosts: []route.HostRule{r}}.Notes())
		if elsewhere(r) {
			note(config.HostKey(r.Host), []route.Note{{Message: "what is asked of " + r.Host + " is fetched from " + r.Action, Weakens: true}})
		}
	}
	for _, archive := range route.ArchiveNames() {
		note(config.MirrorKey(archive), route.Config{Mirrors: map[string][]string{archive: s.Route.Mirrors[archive]}}.Notes())
	}
	return notes
}

// elsewhere reports whether a rule sends a host's fetches to another one.
func elsewhere(r route.HostRule) bool {
	to, err := url.Parse(r.Action)
	if err != nil || to.Host == "" {
		return false
	}
	from := cmp.Or(hostname(r.Host), r.Host)
	return to.Hostname() != from
}

// hostname is the host of HOST or HOST:PORT.
func hostname(host string) string {
	u, err := url.Parse("//" + host)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
