package osv

import "github.com/loopx/loopx-frontend/policy/pypi/pep440"

// Declared is what a project admits of a dependency. [pep440.Specifiers] is
// one; [AnyOf] is a union of them.
type Declared interface {
	// Set is every version that is admitted, pre-releases included.
	Set() pep440.Set
	// EffectiveIn are the stretches of the admitted versions in a set that an
	// installer may pick from: see [pep440.Specifiers.EffectiveIn].
	EffectiveIn(within pep440.Set, pre bool) pep440.Set
}

// AnyOf admits what one of the specifiers admits, as Poetry's "||" does.
type AnyOf []pep440.Specifiers

// Set returns the union.
func (u AnyOf) Set() pep440.Set {
	set := pep440.None()
	for _, s := range u {
		set = set.Union(s.Set())
	}
	return set
}

// EffectiveIn returns the union.
func (u AnyOf) EffectiveIn(within pep440.Set, pre bool) pep440.Set {
	set := pep440.None()
	for _, s := range u {
		set = set.Union(s.EffectiveIn(within, pre))
	}
	return set
}

// Bound is a lower bound: ">=1.5" or ">1.11.0". The zero value is none.
type Bound struct {
	Op      pep440.Op
	Version pep440.Version
}

// String returns the bound as a clause of a specifier, or "".
func (b Bound) String() string { return string(b.Op) + b.Version.String() }

// Set returns the versions that the bound admits in plain order; every version
// if it is zero. ">1.0" leaves out 1.0 with its local versions and, other than
// the clause of PEP 440, no post-release.
func (b Bound) Set() pep440.Set {
	switch b.Op {
	case pep440.GreaterEqual:
		return pep440.Stretch(pep440.At(b.Version, pep440.Before), pep440.Bound{})
	case pep440.Greater:
		return pep440.Stretch(pep440.At(b.Version, pep440.PastLocals), pep440.Bound{})
	}
	return pep440.All()
}

// IsZero reports whether there is no bound.
func (b Bound) IsZero() bool { return b.Op == "" }

// Derivation is what the advisories about a project mean for a declaration.
// Versions that only a pre-release installer would pick are left out, unless
// the declaration names pre-releases.
type Derivation struct {
	// Hits are the advisories that affect a version that is admitted, in the
	// order of the advisories.
	Hits []Hit
	// Affected are the versions that are admitted and affected, Bands the
	// stretches that they form.
	Affected pep440.Set
	Bands    int
	// Floor is the lowest bound from which on nothing that is admitted is
	// affected. It is zero if nothing is affected, and with NoEnd.
	Floor Bound
	// NoEnd: the affected versions have no upper end, so there is no floor.
	NoEnd bool
	// Safe: a version is admitted that is not affected.
	Safe bool
	// Lift: the floor lies at or above the upper end of what is admitted, so no
	// floor helps without lifting the cap. Beyond is the lowest bound then that
	// is not affected, whatever is declared; zero if there is none: no fix.
	Lift   bool
	Beyond Bound
	// Cut is a smaller change than Floor; nil if there is none, or nothing would
	// be left.
	Cut *Cut
	// Unprovable are the advisories that don't say which versions are affected.
	// Without Hits the declaration is not proved to be safe.
	Unprovable []*Advisory
}

// Hit is an advisory that affects what is admitted.
type Hit struct {
	Advisory *Advisory
	// Records are the ids of the sources that say so, sorted.
	Records []string
	// Affected are the versions that are admitted and affected by it.
	Affected pep440.Set
}

// Derive says what the advisories about one project mean for what is declared.
// pre says that pre-releases are asked for (pip's --pre).
func Derive(about []Advisory, declared Declared, pre bool) Derivation {
	var d Derivation
	admitted := declared.Set()
	var sets []pep440.Set
	for i := range about {
		a := &about[i]
		if a.Unprovable != "" {
			d.Unprovable = append(d.Unprovable, a)
		}
		if h := hit(a, admitted, declared, pre); len(h.Records) > 0 {
			d.Hits = append(d.Hits, h)
			sets = append(sets, h.Affected)
		}
	}
	affected := union(sets)
	d.Affected = declared.EffectiveIn(affected, pre)
	d.Safe = !declared.EffectiveIn(affected.Complement(), pre).Empty()
	bands := d.Affected.Intervals()
	if d.Bands = len(bands); d.Bands == 0 {
		return d
	}
	top := bands[len(bands)-1].Upper
	d.Floor, d.NoEnd = limit(top), top.Unbounded()
	if !d.NoEnd {
		d.lift(about, admitted, top)
	}
	if d.Safe {
		d.Cut = cut(about, declared, pre, d.Affected)
	}
	return d
}

// hit is what one advisory does; its Records are empty if it affects nothing
// that is admitted.
func hit(a *Advisory, admitted pep440.Set, declared Declared, pre bool) Hit {
	h := Hit{Advisory: a}
	if admitted.Disjoint(a.Affected) {
		return h
	}
	var sets []pep440.Set
	for i := range a.Sources {
		s := &a.Sources[i]
		if declared.EffectiveIn(s.Affected, pre).Empty() {
			continue
		}
		sets = append(sets, admitted.Intersect(s.Affected))
		if len(h.Records) == 0 || h.Records[len(h.Records)-1] != s.ID {
			h.Records = append(h.Records, s.ID)
		}
	}
	h.Affected = union(sets)
	return h
}

// lift finds out whether anything is left above the affected versions, which
// end at top.
func (d *Derivation) lift(about []Advisory, admitted pep440.Set, top pep440.Bound) {
	above := pep440.Interval{Lower: top}.Set()
	if d.Lift = admitted.Disjoint(above); !d.Lift {
		return
	}
	d.Beyond = limit(top)
	rest := every(about).Intersect(above).Intervals()
	if len(rest) > 0 && (pep440.Interval{Lower: top, Upper: rest[0].Lower}).Set().Empty() {
		d.Beyond = limit(rest[0].Upper)
	}
}

// every is what any of the advisories affects.
func every(about []Advisory) pep440.Set {
	var sets []pep440.Set
	for i := range about {
		sets = append(sets, about[i].Affected)
	}
	return union(sets)
}

// limit is the lower bound of what lies above b; zero if nothing does.
func limit(b pep440.Bound) Bound {
	switch {
	case b.Unbounded():
		return Bound{}
	case b.Edge == pep440.Before:
		return Bound{pep440.GreaterEqual, b.Version}
	}
	return Bound{pep440.Greater, b.Version.Public()}
}
