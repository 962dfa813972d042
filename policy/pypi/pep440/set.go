package pep440

import (
	"sort"
	"strings"
)

// Set is a set of versions: sorted intervals that neither meet nor touch. It
// is immutable; the zero value is the empty set.
type Set struct {
	// low says whether the least version is in the set.
	low bool
	// turns are the points where membership changes, in order. None is at or
	// below the least version. Equal sets have equal turns.
	turns []Bound
}

// All returns the set of every version.
func All() Set { return Set{low: true} }

// None returns the empty set.
func None() Set { return Set{} }

// Only returns the set that holds v alone, and not v with a local label.
func Only(v Version) Set {
	if v.IsZero() {
		return None()
	}
	return Stretch(before(v), At(v, Just))
}

// Between returns the versions v with introduced <= v < fixed in plain order,
// as advisories mean it: pre-releases of fixed are in the set. nil is no
// bound.
func Between(introduced, fixed *Version) Set {
	var lower, upper Bound
	if introduced != nil {
		lower = before(*introduced)
	}
	if fixed != nil {
		upper = before(*fixed)
	}
	return Stretch(lower, upper)
}

// Stretch returns the versions between two points, none if upper is not above
// lower.
func Stretch(lower, upper Bound) Set {
	low := lower.key <= leastKey
	switch {
	case upper.Unbounded() && low:
		return All()
	case upper.Unbounded():
		return Set{turns: []Bound{lower}}
	case upper.key <= leastKey || upper.key <= lower.key:
		return None()
	case low:
		return Set{low: true, turns: []Bound{upper}}
	}
	return Set{turns: []Bound{lower, upper}}
}

// UnionOf returns the versions that are in one of the sets. Many sets take
// less time this way than one after the other.
func UnionOf(sets ...Set) Set { return fold(sets, None(), Set.Union) }

// fold joins sets in halves, so that n of them take n log n steps.
func fold(sets []Set, empty Set, join func(Set, Set) Set) Set {
	switch len(sets) {
	case 0:
		return empty
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return join(fold(sets[:half], empty, join), fold(sets[half:], empty, join))
}

// at returns the state after the first n turns.
func (s Set) at(n int) bool { return s.low != (n%2 == 1) }

// Contains says whether v is in the set. Nothing is decided by pre-releases or
// local labels here: the order alone counts.
func (s Set) Contains(v Version) bool {
	if v.key == "" {
		return false
	}
	n := sort.Search(len(s.turns), func(i int) bool { return s.turns[i].key > v.key })
	return s.at(n)
}

// Empty says whether the set holds no version.
func (s Set) Empty() bool { return !s.low && len(s.turns) == 0 }

// Equal says whether both sets hold the same versions.
func (s Set) Equal(o Set) bool {
	if s.low != o.low || len(s.turns) != len(o.turns) {
		return false
	}
	for i := range s.turns {
		if s.turns[i].key != o.turns[i].key {
			return false
		}
	}
	return true
}

// Complement returns the versions that are not in the set.
func (s Set) Complement() Set { return Set{low: !s.low, turns: s.turns} }

// Intersect returns the versions that are in both sets.
func (s Set) Intersect(o Set) Set { return combine(s, o, both) }

// Union returns the versions that are in one of the sets.
func (s Set) Union(o Set) Set { return combine(s, o, either) }

// Minus returns the versions of s that are not in o.
func (s Set) Minus(o Set) Set { return combine(s, o.Complement(), both) }

// Subset says whether every version of s is in o.
func (s Set) Subset(o Set) bool { return !meets(s, o.Complement()) }

// Disjoint says whether no version is in both sets.
func (s Set) Disjoint(o Set) bool { return !meets(s, o) }

func both(a, b bool) bool { return a && b }

func either(a, b bool) bool { return a || b }

// combine walks the turns of both sets in order and keeps those where the
// answer of op changes.
func combine(a, b Set, op func(bool, bool) bool) Set {
	result := Set{low: op(a.low, b.low)}
	state := result.low
	w := walk{a: a, b: b}
	for w.next() {
		if now := op(w.inA(), w.inB()); now != state {
			state = now
			if result.turns == nil {
				result.turns = make([]Bound, 0, len(a.turns)+len(b.turns))
			}
			result.turns = append(result.turns, w.turn)
		}
	}
	return result
}

// meets says whether two sets have a version in common.
func meets(a, b Set) bool {
	w := walk{a: a, b: b}
	for met := a.low && b.low; !met; met = w.inA() && w.inB() {
		if !w.next() {
			return false
		}
	}
	return true
}

// walk goes through the turns of two sets in order. A turn of both is one
// step.
type walk struct {
	a, b Set
	i, j int
	turn Bound
}

func (w *walk) inA() bool { return w.a.at(w.i) }

func (w *walk) inB() bool { return w.b.at(w.j) }

func (w *walk) next() bool {
	order := 0
	switch {
	case w.i == len(w.a.turns) && w.j == len(w.b.turns):
		return false
	case w.i == len(w.a.turns):
		order = 1
	case w.j == len(w.b.turns):
		order = -1
	default:
		order = strings.Compare(w.a.turns[w.i].key, w.b.turns[w.j].key)
	}
	if order >= 0 {
		w.turn = w.b.turns[w.j]
		w.j++
	}
	if order <= 0 {
		w.turn = w.a.turns[w.i]
		w.i++
	}
	return true
}

// HasFinal says whether the set holds a version that is no pre-release.
func (s Set) HasFinal() bool {
	for i := range s.len() {
		if s.interval(i).HasFinal() {
			return true
		}
	}
	return false
}

// len counts the intervals.
func (s Set) len() int {
	if s.low {
		return len(s.turns)/2 + 1
	}
	return (len(s.turns) + 1) / 2
}

func (s Set) interval(i int) Interval {
	first := 2 * i
	if s.low {
		first--
	}
	var iv Interval
	if first >= 0 {
		iv.Lower = s.turns[first]
	}
	if first+1 < len(s.turns) {
		iv.Upper = s.turns[first+1]
	}
	return iv
}

// Intervals returns the stretches of the set in order.
func (s Set) Intervals() []Interval {
	intervals := make([]Interval, s.len())
	for i := range intervals {
		intervals[i] = s.interval(i)
	}
	return intervals
}

// String returns the set for people: "[70, 81.dev0), [83, ∞)", "nothing" or
// "every version".
func (s Set) String() string {
	switch {
	case s.Empty():
		return "nothing"
	case s.Equal(All()):
		return "every version"
	}
	texts := make([]string, s.len())
	for i := range texts {
		texts[i] = s.interval(i).String()
	}
	return strings.Join(texts, ", ")
}
