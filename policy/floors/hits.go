package floors

import (
	"slices"

	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// rankHits sorts advisories: attacks, then what needs the highest floor. It
// returns how many come first alike.
func rankHits(hits []osv.Hit) (first int) {
	ranked := make([]rankedHit, len(hits))
	for i, h := range hits {
		ranked[i] = rankedHit{h, beyond(h)}
	}
	slices.SortStableFunc(ranked, compareHits)
	for i, r := range ranked {
		if hits[i] = r.hit; compareHits(r, ranked[0]) == 0 {
			first = i + 1
		}
	}
	return first
}

// rankedHit is an advisory and what lies above the versions that it affects of a
// declaration.
type rankedHit struct {
	hit    osv.Hit
	beyond pep440.Set
}

// beyond is what lies above the affected versions; nothing if they have no upper
// end.
func beyond(h osv.Hit) pep440.Set {
	bands := h.Affected.Intervals()
	if len(bands) == 0 || bands[len(bands)-1].Upper.Unbounded() {
		return pep440.None()
	}
	return pep440.Stretch(bands[len(bands)-1].Upper, pep440.Bound{})
}

func compareHits(a, b rankedHit) int {
	x, y := a.hit.Advisory.Malicious, b.hit.Advisory.Malicious
	switch {
	case x != y && x:
		return -1
	case x != y:
		return 1
	case a.beyond.Equal(b.beyond):
		return 0
	case a.beyond.Subset(b.beyond):
		return -1
	}
	return 1
}
