package osv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Cut takes the affected versions out of a declaration and leaves what is safe
// between them: ">=1.5,!=2.0.*,!=2.1.*".
type Cut struct {
	// Floor is the lower bound that is raised; zero if it stays.
	Floor Bound
	// Holes are clauses with "!=", in order of their versions.
	Holes []pep440.Clause
}

// String returns the clauses with commas between them.
func (c *Cut) String() string {
	var parts []string
	if !c.Floor.IsZero() {
		parts = append(parts, c.Floor.String())
	}
	for _, h := range c.Holes {
		parts = append(parts, h.String())
	}
	return strings.Join(parts, ",")
}

// mostHoles is how many clauses a person is asked to read.
const mostHoles = 3

// cut returns the Cut for the affected versions: a band at the lower end of
// what is declared is left to the lower bound, each other one must be single
// versions or whole families (2.0.*), and no version that is safe may go but
// pre-releases. It is nil where there is no such band, or no such cut.
func cut(about []Advisory, declared Declared, pre bool, affected pep440.Set) *Cut {
	bands := affected.Intervals()
	var c Cut
	if atBottom(bands[0], declared.EffectiveIn(pep440.All(), pre)) {
		c.Floor = limit(bands[0].Upper)
		bands = bands[1:]
	}
	if len(bands) == 0 {
		return nil
	}
	holes := pep440.None()
	for _, b := range bands {
		clauses := cover(b)
		if len(clauses) == 0 || len(c.Holes)+len(clauses) > mostHoles {
			return nil
		}
		c.Holes = append(c.Holes, clauses...)
		for _, clause := range clauses {
			holes = holes.Union(clause.Set().Complement())
		}
	}
	lost := declared.Set().Intersect(holes).Minus(every(about))
	rest := pep440.None()
	for _, b := range bands {
		rest = rest.Union(b.Set())
	}
	if lost.HasFinal() || !declared.EffectiveIn(rest.Minus(holes), pre).Empty() {
		return nil
	}
	return &c
}

// atBottom reports whether nothing is admitted below the band.
func atBottom(band pep440.Interval, admitted pep440.Set) bool {
	return band.Lower.Unbounded() || admitted.Disjoint(pep440.Interval{Upper: band.Lower}.Set())
}

// cover returns the clauses that shut a band out, nil if it has no such form.
// The caller checks what they take away.
func cover(band pep440.Interval) []pep440.Clause {
	if band.Lower.Unbounded() || band.Upper.Unbounded() {
		return nil
	}
	v := band.Lower.Version
	if one := exclude(v, false); band.Set().Disjoint(one.Set()) {
		return []pep440.Clause{one}
	}
	return families(v, band.Upper.Version)
}

// exclude returns the clause !=v, or !=v.*.
func exclude(v pep440.Version, family bool) pep440.Clause {
	c := pep440.Clause{Op: pep440.NotEqual, Text: v.String(), Version: v, Wildcard: family}
	if family {
		c.Text += ".*"
	}
	return c
}

// families returns the families below the release of end, from the one that
// holds begin: 2.0.* and 2.1.* for 2.0 and 2.2.
func families(begin, end pep440.Version) []pep440.Clause {
	parts := end.Release()
	for len(parts) > 1 && parts[len(parts)-1] == "0" {
		parts = parts[:len(parts)-1]
	}
	last, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		return nil
	}
	prefix := strings.Join(append(parts[:len(parts)-1:len(parts)-1], ""), ".")
	if end.Epoch() != "0" {
		prefix = end.Epoch() + "!" + prefix
	}
	var clauses []pep440.Clause
	for range mostHoles {
		if last--; last < 0 {
			return nil
		}
		v, err := pep440.Parse(prefix + strconv.Itoa(last))
		if err != nil {
			return nil
		}
		clauses = append(clauses, exclude(v, true))
		if !clauses[len(clauses)-1].Set().Contains(begin) {
			slices.Reverse(clauses)
			return clauses
		}
	}
	return nil
}
