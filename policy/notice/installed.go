package notice

import (
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// bases answers for what comes with base images.
func (c *checker) bases(n *gathered, entries []entry) {
	if len(entries) == 0 {
		return
	}
	for _, s := range c.project.roots {
		for _, p := range s.base.Packages {
			if p.Kind != "deb" {
				continue
			}
			about := fitting(c.about(entries, p.Name, p.Source), s.os)
			if len(about) == 0 || !s.os.Known() {
				continue
			}
			a := Answer{State: Unaffected, Kind: BasePackage, Text: p.Name + " " + p.Version, Table: "FROM " + s.image, Package: p.Name, Version: p.Version, OS: s.os}
			a.Place = s.place(s.Range.Start.Offset, s.Range.End.Offset)
			a.Stages = s.heirs
			n.Answers = append(n.Answers, worstOf(a, about, func(a *Answer, e entry) {
				if a.version(p, e) {
					c.base(n, a, s, e)
				}
			}))
		}
	}
}

// version compares what is installed with an entry: it returns true if it is
// affected, and answers if that is not known. The entry speaks of the version of
// the source package, unless it names the binary one.
func (a *Answer) version(p inventory.Package, e entry) bool {
	a.Source = e.Name
	v := e.versions(p.Name)
	a.Fixed, _ = v.end()
	text := p.Version
	if fixed, named := e.binary(p.Name); p.SourceVersion != "" && (!named || fixed == "") {
		text = p.SourceVersion
	}
	one, err := parseVersion(text)
	switch {
	case v.unread != "":
		a.possible(v.unread)
	case err != nil:
		a.possible(fmt.Sprintf("%.60q is no version of a package", text))
	case text == p.Version && e.otherNumbers(p.Name, one, v):
		a.possible("the notice tells versions of the source package " + e.Name + ", which has numbers of its own: compare by hand")
	case v.has(e.compared(p.Name, one)):
		return true
	default:
		a.Message = "what is installed is not affected"
	}
	return false
}

// base answers for a package of a base image that is affected.
func (c *checker) base(n *gathered, a *Answer, s *stage, e entry) {
	pinned := parseImage(s.image).digest != ""
	switch {
	case a.Fixed == "":
		a.affected(Wait, fmt.Sprintf("it comes with the base image, and there is no fixed version for %s yet", a.OS))
	case e.Pro:
		a.affected(Move, fmt.Sprintf("it comes with the base image, and the fix, %s, is only in the archives of Ubuntu Pro", a.Fixed))
	case (s.upgraded || s.installs[a.Package]) && !s.holds[a.Package] && len(s.snapshots) == 0:
		c.rebuild(n, a, s.preferences)
	case pinned:
		a.held("the base image is pinned by its digest")
		a.affected(Move, fmt.Sprintf("it comes with the base image, which is pinned by its digest: move the digest to a build that has %s, or upgrade the package in the stage", a.Fixed))
	default:
		if s.holds[a.Package] {
			a.held("apt-mark holds the package")
		}
		a.affected(Move, fmt.Sprintf("it comes with the base image: rebuild with --pull once there is a build of it that has %s, or upgrade the package in the stage", a.Fixed))
	}
}

// bills answers for what bills of materials list.
func (c *checker) bills(n *gathered, entries []entry) {
	projects := n.projects()
	if len(entries) == 0 && len(projects) == 0 {
		return
	}
	for i := range c.in.Bills {
		b := &c.in.Bills[i]
		for _, p := range b.Packages {
			a := Answer{State: Unaffected, Kind: BillPackage, Text: p.Name + " " + p.Version, Package: p.Name, Version: p.Version, OS: p.OS, Place: Place{File: b.Name}}
			if p.Kind == "pypi" && c.billPython(n, &a) || p.Kind == "deb" && c.billPackage(&a, p, entries) {
				n.Answers = append(n.Answers, a)
			}
		}
	}
}

// billPackage answers for a package of a distribution; false if the notice is not
// about it.
func (c *checker) billPackage(a *Answer, p inventory.Package, entries []entry) bool {
	about := c.about(entries, p.Name, p.Source)
	fitting := fitting(about, p.OS)
	switch {
	case len(about) == 0:
		return false
	case len(fitting) == 0:
		c.unnamed(a, about)
	case !p.OS.Known():
		c.anywhere(a, fitting)
	default:
		*a = worstOf(*a, fitting, func(a *Answer, e entry) {
			if a.version(p, e) {
				a.image(p.OS, e.Pro)
			}
		})
	}
	return true
}

// image says what to do about a package that is built into an image.
func (a *Answer) image(o distro.OS, pro bool) {
	switch {
	case a.Fixed == "":
		a.affected(Wait, fmt.Sprintf("it is in the image, and there is no fixed version for %s yet", o))
	case pro:
		a.affected(Move, fmt.Sprintf("it is in the image, and the fix, %s, is only in the archives of Ubuntu Pro", a.Fixed))
	default:
		a.affected(Rebuild, fmt.Sprintf("it is in the image: build one that has %s", a.Fixed))
	}
}

// billPython answers for a Python project; false if the notice is not about it.
func (c *checker) billPython(n *gathered, a *Answer) bool {
	name := pep503.Normalize(a.Package)
	v, err := pep440.Parse(a.Version)
	found := false
	for _, adv := range c.in.Floors.Database.Lookup(name) {
		if !sharesRecord(n, adv) {
			continue
		}
		found = true
		a.Source, a.Message = name, "what is installed is not affected"
		switch {
		case err != nil:
			a.possible(fmt.Sprintf("%.60q is no version number", a.Version))
		case adv.Affected.Contains(v.Public()):
			for _, f := range adv.Fixed {
				if a.Fixed == "" && f.Compare(v) > 0 {
					a.Fixed = f.String()
				}
			}
			a.builtPython(adv)
		case adv.Unprovable != "":
			a.possible(adv.Unprovable)
		}
	}
	return found
}

func (a *Answer) builtPython(adv osv.Advisory) {
	switch {
	case adv.Malicious:
		a.affected(Remove, "malicious package: remove it, and look into what it did")
	case a.Fixed == "":
		a.affected(Wait, "it is in the image, and no version has a fix")
	default:
		a.affected(Rebuild, fmt.Sprintf("it is in the image: build one that has %s or later", a.Fixed))
	}
}

// sharesRecord reports whether an advisory is one of the notice.
func sharesRecord(n *gathered, a osv.Advisory) bool {
	for _, s := range a.Sources {
		if slices.Contains(n.Records, s.ID) {
			return true
		}
	}
	return false
}
