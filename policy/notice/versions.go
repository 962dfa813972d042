package notice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pault.ag/go/debian/version"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// versions are the affected versions of a Debian package, in dpkg's order.
type versions struct {
	bands []band
	// listed are versions that are named one by one.
	listed []version.Version
	// unread says why versions may be missing, "" if none is.
	unread string
	// clean: the record says that no version is affected.
	clean bool
}

// band is a stretch of versions, from the first affected one on.
type band struct {
	from, to version.Version
	// closed: to is affected too, the last one. open: there is no end.
	closed, open bool
	fixed        string // to as the record writes it
}

// parseVersion reads a version as dpkg does: one whose revision is empty is none.
func parseVersion(text string) (version.Version, error) {
	if strings.HasSuffix(text, "-") {
		return version.Version{}, fmt.Errorf("the revision of %.60q is empty", text)
	}
	return version.Parse(text)
}

// readVersions reads what a record says of one package. fixed replaces the first
// fixed version where that of the binary package is another one; "" if it is not.
func readVersions(a *osv.Affected, fixed string) versions {
	var v versions
	ranged := false
	for _, r := range a.Ranges {
		if r.Type != "ECOSYSTEM" && r.Type != "" {
			continue
		}
		ranged = true
		v.add(r.Events, fixed)
	}
	for _, text := range a.Versions {
		if one, err := parseVersion(text); err == nil {
			v.listed = append(v.listed, one)
		}
	}
	if !ranged && len(v.listed) == 0 {
		v.unread = "the record does not say which versions are affected"
	}
	v.clean = ranged && v.unread == "" && len(v.bands) == 0 && len(v.listed) == 0
	return v
}

// event is one of a range, with its version read.
type event struct {
	osv.EventKind
	version.Version
	text string
	zero bool
}

// read reads the versions of events. What can't be read makes v unread.
func (v *versions) read(all []osv.Event, fixed string) []event {
	var events []event
	begins := false
	for _, e := range all {
		if e.Broken {
			v.unread = "the record has an event of a range that can't be read"
		}
		if e.Kind == osv.Limit || e.Broken {
			continue
		}
		one := event{EventKind: e.Kind, text: e.Version, zero: e.Version == "0"}
		if e.Kind == osv.Fixed && fixed != "" {
			one.text = fixed
		}
		var err error
		if one.Version, err = parseVersion(one.text); err != nil {
			v.unread = fmt.Sprintf("the record names %.60q, which is no version of a package", e.Version)
			continue
		}
		begins = begins || e.Kind == osv.Introduced
		events = append(events, one)
	}
	if !begins && v.unread == "" {
		v.unread = "the record does not say with which version it begins"
	}
	return events
}

// add walks the events of one range, which must have an "introduced" (the OSV
// schema, "affected[].ranges[].events field"). Source: the same, "Evaluation".
func (v *versions) add(all []osv.Event, fixed string) {
	events := v.read(all, fixed)
	slices.SortStableFunc(events, func(a, b event) int {
		switch {
		case a.zero != b.zero && a.zero:
			return -1
		case a.zero != b.zero:
			return 1
		}
		if c := version.Compare(a.Version, b.Version); c != 0 {
			return c
		}
		return int(a.EventKind) - int(b.EventKind)
	})
	on := -1
	for i, e := range events {
		switch {
		case e.EventKind == osv.Introduced && on < 0:
			on = i
		case e.EventKind != osv.Introduced && on >= 0:
			v.close(events[on], e)
			on = -1
		}
	}
	if on >= 0 {
		v.bands = append(v.bands, band{from: from(events[on]), open: true})
	}
}

// close adds the versions between two events, if there are any.
func (v *versions) close(on, off event) {
	b := band{from: from(on), to: off.Version, closed: off.EventKind == osv.LastAffected}
	if !b.closed {
		b.fixed = off.text
	}
	if off.zero || !on.zero && version.Compare(b.from, b.to) >= 0 && !b.closed {
		return
	}
	v.bands = append(v.bands, b)
}

// from is where an event begins: "0" sorts before every version.
func from(e event) version.Version {
	if e.zero {
		return version.Version{Version: "~~~~"}
	}
	return e.Version
}

// has reports whether a version is affected.
func (v *versions) has(one version.Version) bool {
	for _, b := range v.bands {
		if version.Compare(one, b.from) < 0 {
			continue
		}
		if c := version.Compare(one, b.to); b.open || c < 0 || c == 0 && b.closed {
			return true
		}
	}
	return slices.ContainsFunc(v.listed, func(l version.Version) bool { return version.Compare(one, l) == 0 })
}

// end is what the newest version means: fixed is the version above all bands, ""
// if there is none. ranged is false if only single versions are named, so that
// nothing is known of others.
func (v *versions) end() (fixed string, ranged bool) {
	if len(v.bands) == 0 {
		return "", false
	}
	top := v.bands[0]
	for _, b := range v.bands[1:] {
		if b.open || !top.open && version.Compare(b.to, top.to) > 0 {
			top = b
		}
	}
	return top.fixed, true
}

// matching is what versions that begin with a text are: the fixed version that the
// newest of them is at least, "" if there is none, and whether one is affected. apt
// takes "1.2*" for all that begin so (apt-get(8)).
func (v *versions) matching(pattern string) (fixed string, affected bool, err error) {
	prefix := strings.TrimSuffix(pattern, "*")
	fits := func(one version.Version) bool { return strings.HasPrefix(one.String(), prefix) }
	begins, newest := false, version.Version{}
	for _, b := range v.bands {
		switch {
		case !b.open && b.fixed != "" && strings.HasPrefix(b.fixed, prefix):
			if fixed == "" || version.Compare(b.to, newest) > 0 {
				fixed, newest = b.fixed, b.to
			}
		case fits(b.from), !b.open && fits(b.to):
			begins = true
		}
	}
	switch {
	case begins || slices.ContainsFunc(v.listed, fits):
		return "", true, nil
	case fixed != "":
		return fixed, true, nil
	}
	one, err := parseVersion(strings.TrimRight(prefix, ".+-~:"))
	if err != nil {
		return "", false, fmt.Errorf("%.60q is no version", pattern)
	}
	return "", v.has(one), nil
}

// binNMU is what a rebuild of a binary package alone puts behind the version of its
// source package (Debian Developer's Reference, 5.10.2.1).
var binNMU = regexp.MustCompile(`\+b[0-9]+$`)

// ofSource is the version of the source package that a binary package with a
// version was built from, as far as its text tells.
func ofSource(one version.Version) version.Version {
	one.Revision = binNMU.ReplaceAllString(one.Revision, "")
	if one.Revision == "" {
		one.Version = binNMU.ReplaceAllString(one.Version, "")
	}
	return one
}
