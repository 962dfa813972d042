package pep440

import (
	"slices"
	"strings"
)

// Examples returns up to n members of the set to show to a person: final
// releases first, those and the others in order. They need not be released.
// Where n allows it, each interval gives one.
func (s Set) Examples(n int) []Version {
	var found []Version
	lists := make([][]Version, min(s.len(), max(n, 0)))
	for i := range lists {
		lists[i] = s.interval(i).examples()
	}
	for round := 0; len(found) < n; round++ {
		before := len(found)
		for _, list := range lists {
			if round < len(list) && len(found) < n {
				found = append(found, list[round])
			}
		}
		if len(found) == before {
			break
		}
	}
	slices.SortFunc(found, finalsFirst)
	return found
}

func finalsFirst(a, b Version) int {
	switch {
	case a.IsPre() == b.IsPre():
		return a.Compare(b)
	case a.IsPre():
		return 1
	}
	return -1
}

// examples returns members of the interval, at least one, the most telling
// first: the least final release, one near the upper end, the next releases.
func (iv Interval) examples() []Version {
	candidates := append(iv.telling(), iv.certain())
	set := iv.Set()
	var members []Version
	for _, v := range candidates {
		if set.Contains(v) && !slices.ContainsFunc(members, v.Equal) {
			members = append(members, v)
		}
	}
	slices.SortStableFunc(members, func(a, b Version) int {
		if a.IsPre() == b.IsPre() {
			return 0
		}
		return finalsFirst(a, b)
	})
	return members
}

// telling returns versions that may be in the interval.
func (iv Interval) telling() []Version {
	lower, ok := iv.Lower.least()
	if !ok {
		lower = iv.Lower.Version
	}
	if iv.Lower.Unbounded() {
		lower = Version{key: leastFinalKey, zeros: 1}
	}
	list := []Version{lower.leastFinal()}
	if !iv.Upper.Unbounded() {
		near, _ := iv.Upper.Version.lowered()
		list = append(list, iv.Upper.Version.leastFinal(), near)
	}
	for n := lower.parts(); n > 0 && len(list) < 8; n-- {
		list = append(list, lower.Bump(n))
	}
	return append(list, lower, lower.Bump(lower.parts()+1))
}

// certain returns a member of the interval.
func (iv Interval) certain() Version {
	v, ok := iv.Lower.least()
	switch lower := iv.Lower.Version; {
	case ok:
		return v
	case iv.Lower.Unbounded():
		return Version{key: leastKey, zeros: 1, shape: hasDev}
	case iv.Lower.Edge == PastPosts:
		return lower.Bump(max(lower.parts(), iv.Upper.Version.parts()) + 1)
	default:
		// Letters sort below numbers and 0a below a, so enough zeros sort
		// below the bound.
		zeros := strings.Repeat("0", len(iv.Upper.key))
		return Version{
			key:   lower.key + string([]byte{tagLetters}) + zeros + string([]byte{'a', tagEnd}),
			zeros: lower.zeros, shape: lower.shape | hasLocal,
		}
	}
}
