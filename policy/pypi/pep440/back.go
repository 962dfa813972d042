package pep440

import "strings"

// maxBack is the most clauses that Set.Specifiers writes.
const maxBack = 32

// Specifiers returns a text that ParseSpecifiers reads and whose set is s, if
// there is one of at most 32 clauses. It names a pre-release only where that
// can't be said without.
//
// There is none where a bound lies between a version and its local versions,
// or has the post-releases of a final release below it.
func (s Set) Specifiers() (string, bool) {
	switch {
	case s.Empty():
		return "<0", true
	case s.low && len(s.turns) == 0:
		return "", true
	}
	n := s.len()
	clauses, ok := Interval{s.interval(0).Lower, s.interval(n - 1).Upper}.clauses()
	for i := 1; i < n && ok && len(clauses) <= maxBack; i++ {
		var holes []string
		holes, ok = Interval{s.interval(i - 1).Upper, s.interval(i).Lower}.holes()
		clauses = append(clauses, holes...)
	}
	if !ok || len(clauses) > maxBack {
		return "", false
	}
	return strings.Join(clauses, ","), true
}

// clauses returns the clauses that admit the interval.
func (iv Interval) clauses() ([]string, bool) {
	if text, ok := iv.equality(); ok {
		return []string{"==" + text}, true
	}
	lower, ok := iv.Lower.lowerClauses()
	if !ok {
		return nil, false
	}
	upper, ok := iv.Upper.upperClauses()
	return append(lower, upper...), ok
}

// lowerClauses returns clauses that admit what is above b.
func (b Bound) lowerClauses() ([]string, bool) {
	v := b.Version
	text := v.String()
	switch {
	case b.Unbounded():
		return nil, true
	case b.Edge == Just || v.shape&hasLocal != 0:
		return nil, false
	case b.Edge == PastPosts:
		return []string{">" + text}, true
	case b.Edge == PastLocals && v.shape&(hasPost|hasDev) != 0:
		return []string{">" + text}, true
	case b.Edge == PastLocals:
		return []string{">=" + text, "!=" + text}, true
	}
	if last, ok := v.familyBefore(); ok {
		return []string{">=" + last, "!=" + last + ".*"}, true
	}
	return []string{">=" + text}, true
}

// familyBefore returns the X of the family X.* that ends where v begins, if v
// is the first development release of a release.
func (v Version) familyBefore() (string, bool) {
	if !v.isRelease0() {
		return "", false
	}
	last, ok := v.lowered()
	return last.String(), ok
}

// upperClauses returns clauses that admit what is below b.
func (b Bound) upperClauses() ([]string, bool) {
	v := b.Version
	text := v.String()
	switch {
	case b.Unbounded():
		return nil, true
	case b.Edge == Just || v.shape&hasLocal != 0:
		return nil, false
	case b.Edge == PastLocals:
		return []string{"<=" + text}, true
	case b.Edge == PastPosts:
		next, ok := b.least()
		return []string{"<" + next.String()}, ok
	case !v.IsPre():
		// <V would leave out the pre-releases of V.
		return []string{"<=" + text, "!=" + text}, true
	case v.shape&hasPre == 0 && v.Dev() == "0":
		return []string{"<" + v.notDev().String()}, true
	}
	return []string{"<" + text}, true
}

// holes returns the != clauses that leave out the interval and nothing else.
func (iv Interval) holes() (clauses []string, ok bool) {
	for at := iv.Lower; at.key != iv.Upper.key; {
		v, ok := at.least()
		if !ok || len(clauses) == maxBack {
			return nil, false
		}
		text, end, ok := family(v, iv.Upper)
		if !ok {
			text, end = v.String(), singleEnd(v)
		}
		if end.key > iv.Upper.key {
			return nil, false
		}
		clauses = append(clauses, "!="+text)
		at = end
	}
	return clauses, true
}
