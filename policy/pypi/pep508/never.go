package pep508

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Never reports whether the marker is proven to be false for every Python of
// the set, which is what requires-python admits (pep440.All() without one).
// Only comparisons of python_version or python_full_version with a text are
// understood; anything else, implementation_version too (it is not Python's on
// PyPy), counts as could be true. So false means unknown, or false somewhere
// only. Where a marker is an error it isn't true. An empty set proves nothing,
// and of a marker with more than maxTerms comparisons nothing is proven.
func (m *Marker) Never(requiresPython pep440.Set) bool {
	if m == nil || requiresPython.Empty() || m.size() > maxTerms {
		return false
	}
	return m.pythons().Disjoint(requiresPython)
}

// maxTerms is how many comparisons, and how many values in the text of one,
// are calculated with: a union of many sets takes time that grows with the
// square of their number. Markers in use have a dozen.
const maxTerms = 200

// size counts the comparisons.
func (m *Marker) size() int {
	size := 0
	for _, t := range m.terms {
		if t.group != nil {
			size += t.group.size()
		} else {
			size++
		}
	}
	return size
}

// pythons returns full versions of Python: at least all those for which the
// marker can be true.
func (m *Marker) pythons() pep440.Set {
	one, all := pep440.None(), pep440.All()
	for _, t := range m.terms {
		if t.or {
			one, all = one.Union(all), pep440.All()
		}
		all = all.Intersect(t.pythons())
	}
	return one.Union(all)
}

func (t term) pythons() pep440.Set {
	if t.group != nil {
		return t.group.pythons()
	}
	if set, ok := t.comparison.pythons(); ok {
		return set
	}
	return pep440.All()
}

// pythons is not ok for a comparison that is not understood.
func (c comparison) pythons() (set pep440.Set, ok bool) {
	version, full := operand{text: pythonVersion}, operand{text: pythonFullVersion}
	membership := c.op == "in" || c.op == "not in"
	switch {
	case c.left.literal == c.right.literal:
	case c.left == full:
		return c.fullBefore()
	case c.right == full:
		return c.fullAfter()
	case c.left == version && membership:
		return c.minorsIn()
	case membership:
	case c.left == version:
		return c.minors(c.right.text)
	case c.right == version:
		return c.minors(c.left.text)
	}
	return pep440.Set{}, false
}

// fullBefore is python_full_version, operator, text.
func (c comparison) fullBefore() (pep440.Set, bool) {
	s, ok := clause(c.op, c.right.text)
	if !ok || strings.HasPrefix(c.op+c.right.text, "===") {
		return pep440.Set{}, false
	}
	return s.Set(), true
}

// fullAfter is text, operator, python_full_version. The two don't mirror each
// other exactly (exclusive comparisons leave out the bound's own pre-releases
// and post-releases), so it answers with the whole half of the line.
func (c comparison) fullAfter() (pep440.Set, bool) {
	v, err := pep440.Parse(c.left.text)
	if err != nil {
		return pep440.Set{}, false
	}
	v = v.Public()
	switch c.op {
	case "<", "<=":
		return pep440.Between(&v, nil), true
	case ">", ">=", "~=":
		s, ok := clause("<=", v.String())
		return s.Set(), ok
	case "==":
		s, ok := clause("==", v.String())
		return s.Set(), ok
	}
	return pep440.Set{}, false
}

// minor is a value of python_version: two numbers of the release, always.
type minor struct{ x, y int }

// maxMinor bounds the numbers that are calculated with; Python has no such
// versions.
const maxMinor = 1 << 20

func (m minor) String() string { return strconv.Itoa(m.x) + "." + strconv.Itoa(m.y) }

func (m minor) compare(o minor) int {
	return cmp.Or(cmp.Compare(m.x, o.x), cmp.Compare(m.y, o.y))
}

// first is the least full version whose python_version is m.
func (m minor) first() pep440.Version {
	v, _ := pep440.Parse(m.String() + ".dev0")
	return v
}

// minors is a comparison of python_version with a version. Along the values
// that python_version can have, its truth changes only at the version's own
// major and minor release and at the ones after these, so one value stands for
// all between two of them.
func (c comparison) minors(text string) (pep440.Set, bool) {
	edges, ok := edges(text)
	if !ok {
		return pep440.Set{}, false
	}
	set, first := pep440.None(), edges[0].first()
	if edges[0] != (minor{}) && c.holdsFor(minor{}) {
		set = pep440.Between(nil, &first)
	}
	for i, edge := range edges {
		if c.holdsFor(edge) {
			set = set.Union(pep440.Between(new(edge.first()), after(edges, i)))
		}
	}
	return set, true
}

// after is where the stretch of values from an edge on ends; nil for the last.
func after(edges []minor, i int) *pep440.Version {
	if i+1 == len(edges) {
		return nil
	}
	return new(edges[i+1].first())
}

func (c comparison) holdsFor(m minor) bool {
	holds, err := c.holds(scope{variables: map[string]string{pythonVersion: m.String()}})
	return holds || err != nil
}

// edges returns where the truth of a comparison with the version can change,
// sorted.
func edges(text string) ([]minor, bool) {
	v, err := pep440.Parse(strings.TrimSuffix(strings.TrimFunc(text, isSpace), ".*"))
	if err != nil || v.Epoch() != "0" {
		return nil, false
	}
	release := append(v.Release(), "0")
	x, errX := strconv.Atoi(release[0])
	y, errY := strconv.Atoi(release[1])
	if errX != nil || errY != nil || x > maxMinor || y > maxMinor {
		return nil, false
	}
	all := []minor{{x, 0}, {x, y}, {x, y + 1}, {x + 1, 0}}
	slices.SortFunc(all, minor.compare)
	return slices.Compact(all), true
}

// minorsIn is python_version in, or not in, a text. It is true for every
// value that stands anywhere in the text: 3.1 is in "3.10".
func (c comparison) minorsIn() (pep440.Set, bool) {
	set, text := pep440.None(), c.right.text
	if strings.Count(text, ".") > maxTerms {
		return pep440.Set{}, false
	}
	for i := range len(text) {
		if text[i] != '.' {
			continue
		}
		values, ok := minorsAround(text, i)
		if !ok {
			return pep440.Set{}, false
		}
		for _, m := range values {
			first, next := m.first(), minor{m.x, m.y + 1}.first()
			set = set.Union(pep440.Between(&first, &next))
		}
	}
	if c.op == "not in" {
		return set.Complement(), true
	}
	return set, true
}

// maxDigits is how many digits beside one dot are looked at; more is not
// understood.
const maxDigits = 4

// minorsAround returns the values of python_version that a text has around a
// dot.
func minorsAround(text string, dot int) ([]minor, bool) {
	start, end := dot, dot+1
	for start > 0 && isDigit(text[start-1]) {
		start--
	}
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if dot-start > maxDigits || end-dot-1 > maxDigits {
		return nil, false
	}
	var all []minor
	for i := start; i < dot; i++ {
		for j := dot + 2; j <= end; j++ {
			x, _ := strconv.Atoi(text[i:dot])
			y, _ := strconv.Atoi(text[dot+1 : j])
			all = append(all, minor{x, y})
		}
	}
	return all, true
}
