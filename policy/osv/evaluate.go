package osv

import (
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// evidence is what a record says about one Python project.
type evidence struct {
	affected pep440.Set
	// fixed are the versions of fixed events, as they stand.
	fixed []pep440.Version
	// weak: an upper end is a last_affected event.
	weak bool
	// unprovable says why affected may lack versions; "" if it is complete.
	unprovable string
	// notes say what was left out or is doubtful.
	notes []string
	// unread counts listed versions that are no versions.
	unread int
}

// parser reads a version number. Records of a project list the same versions
// over and over, so it may remember.
type parser func(text string) (pep440.Version, error)

// evaluate says which versions are affected: those in any ECOSYSTEM or SEMVER
// range, and those that are listed (the schema, "Evaluation").
//
// GIT ranges name commits and say nothing about versions. Where a range cannot
// be used, the list stands in for it, as the schema wants it complete; without
// a list the record is unprovable.
func evaluate(ranges []Range, versions []string, parse parser) evidence {
	var e evidence
	for _, r := range ranges {
		if r.Type == "GIT" {
			continue
		}
		if why := e.addRange(r, parse); why != "" {
			e.unprovable = why
		}
	}
	listed := e.addVersions(versions, parse)
	switch {
	case e.unprovable != "" && listed > 0:
		e.note("%s; its list of versions is used", e.unprovable)
		e.unprovable = ""
	case e.unprovable == "" && listed == 0 && !slices.ContainsFunc(ranges, numbered):
		e.unprovable = rangeless(ranges, versions)
	}
	return e
}

func numbered(r Range) bool { return r.Type != "GIT" }

// rangeless says why a record without a range of versions or a list says
// nothing.
func rangeless(ranges []Range, versions []string) string {
	switch {
	case len(versions) > 0:
		return "none of the listed versions is a version number"
	case len(ranges) > 0:
		return "it names commits only, and no versions"
	}
	return "it names no versions"
}

func (e *evidence) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// addVersions adds the listed versions and counts those that it could read. A
// version with a local label is a build of the same code, so it is affected
// with its public version; one that is listed itself stands for itself alone.
func (e *evidence) addVersions(versions []string, parse parser) (read int) {
	var more []pep440.Version
	for _, text := range versions {
		v, err := parse(text)
		if err != nil {
			e.unread++
			continue
		}
		if read++; !e.affected.Contains(v) {
			more = append(more, v)
		}
	}
	slices.SortFunc(more, pep440.Version.Compare)
	sets := []pep440.Set{e.affected}
	for _, v := range slices.CompactFunc(more, pep440.Version.Equal) {
		sets = append(sets, exactly(v))
	}
	e.affected = union(sets)
	return read
}

// union joins sets in pairs, pairs of pairs and so on, so that the time is not
// quadratic in their number.
func union(sets []pep440.Set) pep440.Set {
	switch len(sets) {
	case 0:
		return pep440.None()
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return union(sets[:half]).Union(union(sets[half:]))
}

// addRange adds the versions of a range; why says what keeps it from being
// read.
func (e *evidence) addRange(r Range, parse parser) (why string) {
	if r.Type != "ECOSYSTEM" && r.Type != "SEMVER" {
		return fmt.Sprintf("a range is of the unknown type %.40q", r.Type)
	}
	points, why := timeline(r.Events, parse)
	if why != "" {
		return why
	}
	w := walk{limits: limits(points)}
	for _, p := range points {
		w.step(p)
	}
	if w.on {
		w.emit(pep440.All())
	}
	e.affected = e.affected.Union(union(w.affected))
	e.fixed = append(e.fixed, w.fixed...)
	e.weak = e.weak || w.weak
	if w.touch != "" {
		e.note("one part of a range ends at %.40q and the next begins there; read as the end of the range", w.touch)
	}
	return ""
}

// point is an event with its version; bottom stands for the version "0" of
// introduced, and top for "*" of limit.
type point struct {
	kind        EventKind
	version     pep440.Version
	bottom, top bool
}

// timeline sorts the events of a range, which databases don't always do. The
// schema does not say which of two events at one version comes first: here it
// is introduced, as in osv.dev, then fixed, then last_affected. So where one
// part of a range ends and another begins at one version, the range ends there;
// walk notes it, as the database may have meant that it goes on.
func timeline(events []Event, parse parser) (points []point, why string) {
	introduced := false
	for _, ev := range events {
		if ev.Broken {
			return nil, "an event of a range has not exactly one of introduced, fixed, last_affected and limit"
		}
		p := point{kind: ev.Kind, bottom: ev.Kind == Introduced && ev.Version == "0", top: ev.Kind == Limit && ev.Version == "*"}
		if !p.bottom && !p.top {
			v, err := parse(ev.Version)
			if err != nil {
				return nil, fmt.Sprintf("%.60q, where a range is %s, is no version number", ev.Version, ending(ev.Kind))
			}
			p.version = v
		}
		introduced = introduced || ev.Kind == Introduced
		points = append(points, p)
	}
	if !introduced {
		return nil, "a range has no introduced event"
	}
	slices.SortStableFunc(points, point.compare)
	return points, ""
}

func ending(k EventKind) string {
	switch k {
	case Introduced:
		return "introduced"
	case Limit:
		return "limited"
	}
	return k.String()
}

func (p point) compare(o point) int {
	switch {
	case p.bottom && o.bottom:
		return 0
	case p.bottom:
		return -1
	case o.bottom:
		return 1
	}
	if c := p.version.Compare(o.version); c != 0 {
		return c
	}
	return int(p.kind) - int(o.kind)
}

// limits are the versions in front of any limit event: all if there is none.
func limits(points []point) pep440.Set {
	set, any := pep440.None(), false
	for _, p := range points {
		if p.kind != Limit {
			continue
		}
		any = true
		if p.top {
			return pep440.All()
		}
		set = set.Union(pep440.Between(nil, &p.version))
	}
	if !any {
		return pep440.All()
	}
	return set
}

// walk goes along the sorted events of a range.
type walk struct {
	limits   pep440.Set
	on       bool
	from     *pep440.Version // nil: from the beginning
	affected []pep440.Set
	fixed    []pep440.Version
	weak     bool
	// entered is the version of the last introduced event that changed nothing;
	// touch is one at which the next event ended the range.
	entered *pep440.Version
	touch   string
}

func (w *walk) step(p point) {
	switch p.kind {
	case Introduced:
		if w.on && !p.bottom {
			w.entered = &p.version
		}
		if !w.on {
			w.on, w.from = true, nil
			if !p.bottom {
				w.from = &p.version
			}
		}
	case Fixed:
		w.fixed = append(w.fixed, p.version)
		w.end(p.version, pep440.Between(nil, &p.version))
	case LastAffected:
		w.weak = w.weak || w.on
		w.end(p.version, upTo(p.version))
	case Limit:
	}
}

// end closes what is open at v, the upper end of below.
func (w *walk) end(v pep440.Version, below pep440.Set) {
	if !w.on {
		return
	}
	if w.entered != nil && w.entered.Equal(v) {
		w.touch = v.Original()
	}
	w.emit(below)
	w.on = false
}

func (w *walk) emit(below pep440.Set) {
	w.affected = append(w.affected, pep440.Between(w.from, nil).Intersect(below).Intersect(w.limits))
}

// upTo are the versions up to v, builds of v with a local label among them.
func upTo(v pep440.Version) pep440.Set {
	return pep440.Stretch(pep440.Bound{}, pep440.At(v, pep440.PastLocals))
}

// exactly is v with its builds; a build stands for itself alone.
func exactly(v pep440.Version) pep440.Set {
	if v.Local() != "" {
		return pep440.Only(v)
	}
	return pep440.Stretch(pep440.At(v, pep440.Before), pep440.At(v, pep440.PastLocals))
}
