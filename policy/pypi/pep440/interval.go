package pep440

import "strings"

// Interval is an unbroken stretch of versions. It holds at least one.
type Interval struct{ Lower, Upper Bound }

// Set returns the versions of the interval.
func (iv Interval) Set() Set { return Stretch(iv.Lower, iv.Upper) }

// HasFinal says whether the interval holds a version that is no pre-release.
func (iv Interval) HasFinal() bool {
	return iv.Upper.Unbounded() || iv.leastFinal() < iv.Upper.key
}

// leastFinal returns a key that is below the upper end if and only if a
// version that is no pre-release is in the interval.
func (iv Interval) leastFinal() string {
	v, ok := iv.Lower.least()
	switch {
	case iv.Lower.Unbounded():
		return leastFinalKey
	case ok:
		return v.leastFinal().key
	case iv.Lower.Version.IsPre():
		return iv.Lower.Version.leastFinal().key
	}
	// Final versions come as close to the bound as one likes.
	return iv.Lower.key
}

// String returns the interval for people: "[70, 83.0.0)", "70" for one version
// with or without its local versions, "70.*" for a family. Long versions are
// cut.
func (iv Interval) String() string {
	if text, ok := iv.equality(); ok {
		return cut(text)
	}
	if v, ok := iv.Lower.least(); ok && iv.Upper.key == At(v, Just).key {
		return cut(v.String())
	}
	return iv.Lower.lowerText() + ", " + iv.Upper.upperText()
}

// cut shortens a text for people.
func cut(text string) string {
	if len(text) > maxShown {
		return text[:maxShown] + "…"
	}
	return text
}

// equality returns what == admits the interval, if one does.
func (iv Interval) equality() (string, bool) {
	lower, ok := iv.Lower.least()
	if !ok || iv.Upper.Unbounded() {
		return "", false
	}
	if iv.Upper.key == singleEnd(lower).key {
		return lower.String(), true
	}
	if family, end, ok := family(lower, iv.Upper); ok && end.key == iv.Upper.key {
		return family, true
	}
	return "", false
}

// singleEnd returns the end of what ==V admits, which begins at V.
func singleEnd(v Version) Bound {
	if v.shape&hasLocal != 0 {
		return At(v, Just)
	}
	return pastLocals(v)
}

// family returns the widest X.* that begins at v and does not reach beyond
// limit, which is above v, and its end.
func family(v Version, limit Bound) (text string, end Bound, ok bool) {
	if !v.isRelease0() {
		return "", Bound{}, false
	}
	differ, ok := v.differ(limit.Version)
	if !ok {
		return "", Bound{}, false
	}
	least := v.parts() - v.zeros
	n := max(least, differ)
	base := v.Base()
	base.zeros = n - least
	return base.String() + ".*", before(v.bump0(n)), true
}

// isRelease0 says whether v is the first development release of a release.
func (v Version) isRelease0() bool { return v.shape == hasDev && v.Dev() == "0" }

// differ returns the first part, counted from one, in which the releases of v
// and o are not the same. Missing parts are zero. It is 1 if the epochs differ.
func (v Version) differ(o Version) (part int, ok bool) {
	a, b := v.key, o.key
	size := intSize(b)
	if !strings.HasPrefix(a, b[:size]) {
		return 1, true
	}
	for part = 1; ; part++ {
		a, b = a[size:], b[size:]
		switch {
		case a[0] == tagEnd && b[0] == tagEnd:
			return 0, false
		case a[0] == tagEnd:
			return part + zeros(b), true
		case b[0] == tagEnd:
			return part + zeros(a), true
		}
		if size = intSize(b); !strings.HasPrefix(a, b[:size]) {
			return part, true
		}
	}
}

// zeros counts the parts of a release at the start of key that are zero.
func zeros(key string) int {
	return len(key) - len(strings.TrimLeft(key, string([]byte{firstInt})))
}
