package notice

import (
	"fmt"
	"slices"
	"strings"

	"pault.ag/go/debian/version"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
)

// entry is what a record says of a package in one release of a distribution.
type entry struct {
	*osv.Affected
	distro.Ecosystem
}

// entries are those of a notice, of Debian and Ubuntu. Builds that only some
// systems use, such as FIPS, are left out.
func (n *gathered) entries() []entry {
	var all []entry
	for _, r := range n.records {
		for i := range r.Affected {
			if e := entryOf(&r.Affected[i]); e.Affected != nil && e.Variant == "" {
				all = append(all, e)
			}
		}
	}
	return all
}

// entryOf reads the ecosystem of a record's package; zero if it is of another
// system.
func entryOf(a *osv.Affected) entry {
	e, ok := distro.OfEcosystem(a.Ecosystem)
	if !ok {
		return entry{}
	}
	return entry{a, e}
}

// binary returns the fixed version that the record names for a binary package;
// named is false if it does not name the package.
func (e entry) binary(name string) (fixed string, named bool) {
	i := slices.IndexFunc(e.Binaries, func(b osv.Binary) bool { return b.Name == name })
	if i < 0 {
		return "", false
	}
	return e.Binaries[i].Version, true
}

// versions are the affected versions of a binary package.
func (e entry) versions(name string) versions {
	fixed, _ := e.binary(name)
	return readVersions(e.Affected, fixed)
}

// fits reports whether the entry may be about a release.
func (e entry) fits(o distro.OS) bool {
	return o.System == "" || e.System == o.System && (e.Version == "" || o.Version == "" || e.Version == o.Version)
}

// about returns the entries about a binary package, of any release: those that
// name it, those whose source package it is built from by the index, and those
// whose source package has its name.
func (c *checker) about(entries []entry, name string, sources ...string) []entry {
	var all []entry
	for _, e := range entries {
		_, named := e.binary(name)
		if named || e.Name == name || slices.Contains(sources, e.Name) || slices.Contains(c.sources(e.System, name), e.Name) {
			all = append(all, e)
		}
	}
	return all
}

// sources are the source packages that a binary package of a system is built from:
// by the lists that were given, else by what the records themselves say and by the
// table of common packages. None is not known.
func (c *checker) sources(system, name string) []string {
	if given := c.index.Sources(name); len(given) > 0 {
		return given
	}
	all := inventory.Built(system, name)
	if said := c.said[pair{system, name}]; said != "" && !slices.Contains(all, said) {
		all = append(all[:len(all):len(all)], said)
	}
	return all
}

// pair is a binary package of a system.
type pair struct{ system, name string }

// learn remembers which source packages the records themselves say that packages
// are built from, and what stages install of each source package.
func (c *checker) learn(all []gathered) {
	for i := range all {
		for _, e := range all[i].entries() {
			c.said[pair{e.System, e.Name}] = e.Name
		}
	}
	for i := range all {
		for _, e := range all[i].entries() {
			for _, b := range e.Binaries {
				c.said[pair{e.System, b.Name}] = e.Name
			}
		}
	}
	for name := range c.project.uses {
		for _, system := range []string{distro.Debian, distro.Ubuntu} {
			for _, source := range c.sources(system, name) {
				c.built[source] = append(c.built[source], name)
			}
		}
	}
	for source, names := range c.built {
		slices.Sort(names)
		c.built[source] = slices.Compact(names)
	}
}

// candidates are the names of binary packages that the entries may be about.
func (c *checker) candidates(entries []entry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
		for _, b := range e.Binaries {
			names = append(names, b.Name)
		}
		names = append(names, c.built[e.Name]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// packages answers for what stages install by name.
func (c *checker) packages(n *gathered, entries []entry) {
	seen := map[*use]bool{}
	for _, name := range c.candidates(entries) {
		for _, u := range c.project.uses[name] {
			if about := c.about(entries, name); len(about) > 0 && !seen[u] {
				seen[u] = true
				n.Answers = append(n.Answers, c.use(n, u, name, about))
			}
		}
	}
}

// use answers for one package that a stage installs.
func (c *checker) use(n *gathered, u *use, name string, about []entry) Answer {
	a := Answer{
		Kind: Package, Place: u.at(), Text: u.String(), Table: u.tool, Package: name, Source: about[0].Name,
		OS: u.os, Version: u.Package.Version, State: Unaffected,
	}
	target, strange := u.target()
	a.OS = target
	fitting := fitting(about, target)
	ofSystem := slices.ContainsFunc(about, func(e entry) bool { return target.System == "" || e.System == target.System })
	switch {
	case strange != "" && ofSystem:
		a.possible(strange)
	case len(fitting) == 0:
		c.unnamed(&a, about)
	case u.Open:
		a.possible("which version is installed depends on a variable whose value is not known: give the ARG a default")
	case !target.Known():
		c.anywhere(&a, fitting)
	default:
		a = worstOf(a, fitting, func(a *Answer, e entry) { c.installed(n, a, u, e) })
	}
	return a
}

// worstOf answers by each of the entries, and returns the worst answer: the first of
// those alike.
func worstOf(a Answer, fitting []entry, answer func(*Answer, entry)) Answer {
	var all []Answer
	for _, e := range fitting {
		one := a
		one.Held = slices.Clone(a.Held)
		answer(&one, e)
		all = append(all, one)
	}
	return all[slices.IndexFunc(all, func(o Answer) bool { return o.State == worst(all) })]
}

// target is the release that the package is taken from; strange says why that is
// not known, although one is asked for.
func (u *use) target() (o distro.OS, strange string) {
	switch {
	case u.Package.Suite == "":
		return u.os, ""
	case strings.Contains(u.Package.Suite, "-backports"):
		return u.os, "it is taken from " + u.Package.Suite + ", whose versions no notice tells: look up the version there"
	}
	if o, ok := distro.Suite(u.Package.Suite); ok {
		return o, ""
	}
	return u.os, "it is taken from " + u.Package.Suite + ", which names no release that is known here"
}

// fitting are the entries about a release. Those of the archive that everybody has
// count before those of Ubuntu Pro.
func fitting(about []entry, o distro.OS) []entry {
	var free, pro []entry
	for _, e := range about {
		switch {
		case !e.fits(o):
		case e.Pro:
			pro = append(pro, e)
		default:
			free = append(free, e)
		}
	}
	if len(free) == 0 || !o.Known() {
		return append(free, pro...)
	}
	return free
}

// unnamed answers for a release that the notice does not name. One that is older
// than those that it names gets no fixes any more, or its own elsewhere.
func (c *checker) unnamed(a *Answer, about []entry) {
	oldest := distro.OS{}
	for _, e := range about {
		if e.System == a.OS.System && e.Version != "" && (oldest.System == "" || distro.Older(e.OS, oldest)) {
			oldest = e.OS
		}
	}
	if oldest.System == "" || !distro.Older(a.OS, oldest) {
		a.Message = fmt.Sprintf("the notice does not name %s", a.OS)
		return
	}
	a.possible(fmt.Sprintf("the notice says nothing of %s, which is older than all that it names: move to a release that gets fixes", a.OS))
}

// anywhere answers where the release is not known: a pin that is affected in no
// release is enough to pass.
func (c *checker) anywhere(a *Answer, fitting []entry) {
	clean := a.Version != "" && !strings.HasSuffix(a.Version, "*")
	var named []string
	for _, e := range fitting {
		v := e.versions(a.Package)
		if clean {
			one, err := parseVersion(a.Version)
			clean = err == nil && v.unread == "" && !v.has(e.compared(a.Package, one)) && !e.otherNumbers(a.Package, one, v)
		}
		if v.clean {
			continue
		}
		text := e.OS.String()
		if fixed, _ := v.end(); fixed != "" {
			text += " (fixed in " + fixed + ")"
		}
		if !slices.Contains(named, text) {
			named = append(named, text)
		}
	}
	if clean || len(named) == 0 {
		a.Message = "no release that the notice names is affected in this version"
		return
	}
	a.possible(fmt.Sprintf("the release of the base image is not known, and the notice names %s: say which it is with --base-os", list(named)))
}

// installed answers for a release that is known, by one entry.
func (c *checker) installed(n *gathered, a *Answer, u *use, e entry) {
	v := e.versions(a.Package)
	a.Source = e.Name
	fixed, ranged := v.end()
	a.Fixed = fixed
	switch {
	case v.clean:
		a.Message = "no version of " + a.OS.String() + " is affected"
	case v.unread != "":
		a.possible(v.unread)
	case a.Version != "":
		c.pinned(a, v, e)
	case !ranged:
		a.possible("the notice names single versions, and not which one fixes it")
	case fixed == "":
		a.affected(Wait, fmt.Sprintf("there is no fixed version for %s yet: leave the package out, or wait", a.OS))
	case e.Pro:
		a.affected(Move, fmt.Sprintf("the fix for %s, %s, is only in the archives of Ubuntu Pro: attach a subscription, or move to a newer release", a.OS, fixed))
	default:
		c.live(n, a, u)
	}
}

// pinned answers for a version that is asked for.
func (c *checker) pinned(a *Answer, v versions, e entry) {
	_, ranged := v.end()
	if pattern, ok := strings.CutSuffix(a.Version, "*"); ok {
		fixed, affected, err := v.matching(pattern)
		switch {
		case err != nil:
			a.possible(err.Error())
		case fixed != "":
			a.Fixed = fixed
			a.affected(Rebuild, rebuildText(fixed))
		case affected:
			a.held("the version is pinned to " + a.Version)
			a.affected(Change, changePin(a, e, ranged))
		default:
			a.Message = "what it is pinned to is not affected"
		}
		return
	}
	one, err := parseVersion(a.Version)
	switch {
	case err != nil:
		a.possible(fmt.Sprintf("%.60q is no version of a package", a.Version))
	case e.otherNumbers(a.Package, one, v):
		a.possible("the notice tells versions of the source package " + e.Name + ", which has numbers of its own: compare by hand")
	case v.has(e.compared(a.Package, one)):
		a.held("the version is pinned to " + a.Version)
		a.affected(Change, changePin(a, e, ranged))
	default:
		a.Message = "what it is pinned to is not affected"
	}
}

// otherNumbers reports whether a binary package may have other version numbers than
// its source package, as g++ has: by the epoch, which is all that tells it.
func (e entry) otherNumbers(name string, one version.Version, v versions) bool {
	if fixed, named := e.binary(name); named && fixed != "" || e.Name == name {
		return false
	}
	return slices.ContainsFunc(v.bands, func(b band) bool { return !b.open && b.to.Epoch != one.Epoch })
}

// compared is the version that the entry speaks of, where a binary package has one:
// that of its source package, unless it names one for the package itself.
func (e entry) compared(name string, one version.Version) version.Version {
	if fixed, named := e.binary(name); named && fixed != "" {
		return one
	}
	return ofSource(one)
}

// changePin says what to write in place of a pin.
func changePin(a *Answer, e entry, ranged bool) string {
	switch {
	case a.Fixed == "" && !ranged:
		return "write a version that the notice does not name, or leave the version out"
	case a.Fixed == "":
		return fmt.Sprintf("there is no fixed version for %s yet: leave the package out, or wait", a.OS)
	case e.Pro:
		return fmt.Sprintf("the fix, %s, is only in the archives of Ubuntu Pro: attach a subscription, or move to a newer release", a.Fixed)
	}
	return fmt.Sprintf("write %s=%s, or leave the version out", a.Package, a.Fixed)
}

// live answers for the newest version that apt sees.
func (c *checker) live(n *gathered, a *Answer, u *use) {
	s, frozen := u.frozen()
	out := n.published()
	switch {
	case !frozen || !s.at.IsZero() && !out.IsZero() && !s.at.Before(out):
		c.rebuild(n, a, u.preferences)
	case s.at.IsZero():
		a.held("apt reads " + s.host + ", and the text does not tell of what time")
		a.possible("whether a rebuild picks up " + a.Fixed + " depends on the time of the snapshot")
	case out.IsZero():
		a.held("apt reads " + s.host + " as of " + day(s.at))
		a.possible("the notice does not say when it came out: see whether " + a.Fixed + " was there on " + day(s.at))
	default:
		a.held("apt reads " + s.host + " as of " + day(s.at) + ", and the fix came out on " + day(out) + ": as far as no live source is left beside it")
		a.affected(Change, fmt.Sprintf("move the snapshot to %s or later, so that a rebuild picks up %s", day(out), a.Fixed))
	}
}

// rebuild answers for what a build without a cache mends.
func (c *checker) rebuild(n *gathered, a *Answer, preferences bool) {
	if preferences {
		a.held("a file in /etc/apt/preferences.d may choose another version")
	}
	if at := n.published(); !c.in.Rebuilt.IsZero() && !at.IsZero() && !c.in.Rebuilt.Before(at) && !preferences {
		a.State, a.Message = Mended, fmt.Sprintf("%s came out before the last build without a cache", a.Fixed)
		return
	}
	a.affected(Rebuild, rebuildText(a.Fixed))
}

func rebuildText(fixed string) string {
	return fmt.Sprintf("rebuild with --no-cache and --pull to pick up %s: the cache keeps the old version as long as the step's text stays", fixed)
}
