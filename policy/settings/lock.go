package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Lock is what an organisation has locked.
type Lock struct {
	// Source is the line that says so; Contact is whom to ask, "" if the file
	// doesn't say it.
	Source, Contact string

	said  Layer
	table *route.Table // nil if the file's own rules contradict each other
}

// Refusal is one setting that would weaken what is locked.
type Refusal struct {
	// Source is what sets it, as messages name it, and Owner whose it is.
	Source string
	Owner  Owner
	// Weakens completes "SOURCE …".
	Weakens string
}

// LockError is all that would weaken what is locked: at least one.
type LockError struct {
	Lock    Lock
	Refused []Refusal
}

// Error has a line for each refusal, and whom each concerns.
func (e *LockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the organisation's frontend image locks its configuration (%s), which may only be tightened:", e.Lock.Source)
	for _, r := range e.Refused {
		fmt.Fprintf(&b, "\n  %s %s; %s", r.Source, r.Weakens, r.Owner.todo())
	}
	b.WriteString("\nAn exception is for whoever maintains the organisation's image")
	if e.Lock.Contact != "" {
		b.WriteString(": " + e.Lock.Contact)
	}
	return b.String()
}

// todo says whom a refusal concerns.
func (o Owner) todo() string {
	if o == Project {
		return "this is for the project's authors to take out"
	}
	return "this is for whoever calls the build to take out"
}

// Refuse adds what others found that weakens what is locked.
func (s *Settings) Refuse(r Refusal) { s.refused = append(s.refused, r) }

// Err is a *LockError, or nil if nothing is weakened.
func (s *Settings) Err() error {
	if s.Lock == nil || len(s.refused) == 0 {
		return nil
	}
	return &LockError{*s.Lock, s.refused}
}

// lock remembers what is in force as what is locked.
func (s *Settings) lock(l Layer) {
	s.Lock = &Lock{Source: l.names[config.LockKey], Contact: l.Contact, said: l}
	s.Lock.table, _ = route.NewTable(s.Route)
}

// admitted is the part of a layer that weakens nothing that is locked; the rest
// is refused.
func (s *Settings) admitted(l Layer) Layer {
	refuse := func(key, weakens string) {
		s.Refuse(Refusal{Source: l.refers(key), Owner: l.Owner, Weakens: weakens})
	}
	if l.Mode == route.Audit && s.Lock.mode() != route.Audit {
		refuse(config.ModeKey, "sets the mode audit, which builds what is refused")
		l.Mode = ""
	}
	if l.Apt != "" && looser(s.Lock.apt(), l.Apt) {
		refuse(config.AptKey, fmt.Sprintf("sets apt to %s, under which fewer RUNs have apt served over TLS than under %s", l.Apt, s.Lock.apt()))
		l.Apt = ""
	}
	if l.Checks == config.ChecksOff && s.Lock.said.Checks != config.ChecksOff {
		refuse(config.ChecksKey, "turns the checks of the Dockerfile's text off")
		l.Checks = ""
	}
	l.Mirrors = s.admittedMirrors(l, refuse)
	l.Hosts = slices.DeleteFunc(slices.Clone(l.Hosts), func(r route.HostRule) bool {
		why := s.Lock.loosens(r)
		if why != "" {
			refuse(config.HostKey(r.Host), why)
		}
		return why != ""
	})
	return l
}

func (l *Lock) mode() route.Mode { return cmp.Or(l.said.Mode, route.Enforce) }
func (l *Lock) apt() config.Apt  { return cmp.Or(l.said.Apt, config.AptAuto) }

// looser reports whether fewer RUNs are guarded than are locked.
func looser(locked, apt config.Apt) bool {
	order := []config.Apt{config.AptOff, config.AptAuto, config.AptAll}
	return slices.Index(order, apt) < slices.Index(order, locked)
}

// admittedMirrors are those of archives that the lock doesn't name.
func (s *Settings) admittedMirrors(l Layer, refuse func(key, weakens string)) map[string][]string {
	admitted := map[string][]string{}
	for _, archive := range slices.Sorted(maps.Keys(l.Mirrors)) {
		list := l.Mirrors[archive]
		if why := s.Lock.replaces(archive, list); why != "" {
			refuse(config.MirrorKey(archive), why)
			continue
		}
		admitted[archive] = list
	}
	return admitted
}

// replaces says what mirrors of an archive would take the place of, "" if of
// nothing that is locked. A mirror must not be where the lock sends elsewhere:
// what is fetched from a mirror stays there.
func (l *Lock) replaces(archive string, list []string) string {
	locked, of := l.mirrors(archive)
	switch {
	case slices.Equal(locked, list):
		return ""
	case locked != nil:
		return fmt.Sprintf("names mirrors of archive %s, and those of %s are locked (%s)", archive, of, l.said.names[config.MirrorKey(of)])
	case l.table == nil:
		return ""
	}
	for _, base := range list {
		if base == route.Default {
			continue
		}
		for _, at := range placesBelow(base) {
			if d := l.table.Route(at, route.Context{}); d.Action != route.Keep {
				return fmt.Sprintf("names the mirror %s, which the locked configuration does not fetch from: %s", base, d.Why)
			}
		}
	}
	return ""
}

// placesBelow are addresses at and below a mirror: those of each folder where an
// archive may be.
func placesBelow(base string) []string {
	scheme, rest, _ := strings.Cut(base, "://")
	host, path, _ := strings.Cut(rest, "/")
	all := []string{base + "/"}
	for _, row := range route.Archives() {
		folder := strings.Trim(strings.TrimSuffix(row.Path, "*"), "/")
		if folder == "" {
			folder = "dists" // of an archive at the root
		}
		if path == "" || strings.HasPrefix(folder, path+"/") {
			all = append(all, scheme+"://"+host+"/"+folder+"/")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mirrors are those that are locked for an archive, and the archive that they are
// said for: one Ubuntu base holds all suites, those of ubuntu-security too.
func (l *Lock) mirrors(archive string) (list []string, of string) {
	if list := l.said.Mirrors[archive]; list != nil || archive != "ubuntu-security" {
		return list, archive
	}
	return l.said.Mirrors["ubuntu"], "ubuntu"
}

// loosens says what a host rule would weaken, "" if nothing: it refuses fetches,
// it says what the lock says, or it moves to TLS what the lock leaves in clear text.
func (l *Lock) loosens(r route.HostRule) string {
	if r.Action == "refuse" || l.table == nil || slices.Contains(l.said.Hosts, r) {
		return ""
	}
	for _, at := range placesOf(r.Host) {
		if why := loosensAt(r, l.table.Route(at, route.Context{}).Action); why != "" {
			return why
		}
	}
	return ""
}

// placesOf are addresses that a host rule decides about: of all names below a
// suffix one that nobody has, and of all ports that of http and one that nobody
// uses. Rules for others are closer, and hold beside it.
func placesOf(host string) []string {
	const name, port = "loopx-no-name-of-a-host.", ":9"
	host = strings.Replace(host, "*.", name, 1)
	all := []string{"http://" + host + "/"}
	if strings.LastIndexByte(host, ':') <= strings.LastIndexByte(host, ']') { // no port
		all = append(all, "http://"+host+port+"/")
	}
	return all
}

// loosensAt is loosens for one address, of which the lock says locked.
func loosensAt(r route.HostRule, locked route.Action) string {
	kept := locked == route.Keep
	switch {
	case r.Action == "keep" && kept:
		return ""
	case r.Action == "keep":
		return "keeps fetches from " + r.Host + " in clear text"
	case r.Action != "upgrade":
		return "sends fetches from " + r.Host + " to " + r.Action
	case kept:
		return ""
	case locked == route.Refuse:
		return "allows fetches from " + r.Host + ", which are refused"
	}
	return "decides fetches from " + r.Host + ", which go over TLS without it, to the locked mirror if there is one"
}
