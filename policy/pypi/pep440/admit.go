package pep440

// Set returns every version that the clauses admit, pre-releases included.
// === admits the one version that its text names, and none where its text is
// no version; see Opaque.
func (s Specifiers) Set() Set { return admitted(s.Clauses) }

// admitted intersects in halves, so that n clauses take n log n steps.
func admitted(clauses []Clause) Set {
	switch len(clauses) {
	case 0:
		return All()
	case 1:
		return clauses[0].Set()
	}
	half := len(clauses) / 2
	return admitted(clauses[:half]).Intersect(admitted(clauses[half:]))
}

// Opaque says whether a clause compares with a text that is no version. What
// that admits is no set of versions, and Set leaves it out.
func (s Specifiers) Opaque() bool {
	for _, c := range s.Clauses {
		if c.Op == Arbitrary && c.Version.IsZero() {
			return true
		}
	}
	return false
}

// Set returns the versions that the clause admits.
func (c Clause) Set() Set {
	v := c.Version
	switch {
	case v.IsZero():
		return None()
	case c.Wildcard:
		return c.negated(Stretch(before(v.dev0()), before(v.bump0(v.parts()))))
	}
	switch c.Op {
	case Compatible:
		return Stretch(before(v), before(v.bump0(v.parts()-1)))
	case Equal, NotEqual:
		return c.negated(Stretch(before(v), singleEnd(v)))
	case LessEqual:
		return Stretch(Bound{}, pastLocals(v))
	case GreaterEqual:
		return Stretch(before(v), Bound{})
	case Less:
		return Stretch(Bound{}, c.upper())
	case Greater:
		return Stretch(c.lower(), Bound{})
	}
	return Only(v)
}

func (c Clause) negated(set Set) Set {
	if c.Op == NotEqual {
		return set.Complement()
	}
	return set
}

// upper returns the bound of <V: pre-releases of V are not below it, unless V
// is one.
func (c Clause) upper() Bound {
	if c.Version.IsPre() {
		return before(c.Version)
	}
	return before(c.Version.dev0())
}

// lower returns the bound of >V: post-releases of V are not above it, unless V
// is one or a development release, which has none.
func (c Clause) lower() Bound {
	if c.Version.IsPost() || c.Version.IsDev() {
		return pastLocals(c.Version)
	}
	return pastPosts(c.Version)
}
