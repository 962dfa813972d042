package pep440

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// rounds is how many random cases each law is tried on.
const rounds = 2000

func TestLawOrderIsTotal(t *testing.T) {
	t.Parallel()
	d := newDice(1)
	for range rounds {
		a, b, c := d.anyVersion(t), d.anyVersion(t), d.anyVersion(t)
		if a.Compare(a) != 0 || a.Compare(b) != -b.Compare(a) {
			t.Fatalf("%v and %v compare %d and %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatalf("%v <= %v <= %v, but not %v <= %v", a, b, c, a, c)
		}
	}
}

// TestLawOrderOfParts compares with an order that is written after PEP 440's
// words, part by part, with whole numbers of any size.
func TestLawOrderOfParts(t *testing.T) {
	t.Parallel()
	d := newDice(2)
	for range rounds {
		a := d.anyVersion(t)
		for _, b := range append(near(t, a), d.anyVersion(t)) {
			if got, want := a.Compare(b), compareParts(a, b); got != want {
				t.Fatalf("%v compared with %v is %d, want %d", a, b, got, want)
			}
		}
	}
}

func compareParts(a, b Version) int {
	if c := compareNumbers(a.Epoch(), b.Epoch()); c != 0 {
		return c
	}
	if c := compareReleases(a.Release(), b.Release()); c != 0 {
		return c
	}
	for _, rank := range []func(Version) (int, string){rankPre, rankPost, rankDev} {
		rankA, numberA := rank(a)
		rankB, numberB := rank(b)
		if rankA != rankB {
			return cmp.Compare(rankA, rankB)
		}
		if c := compareNumbers(numberA, numberB); c != 0 {
			return c
		}
	}
	return compareLocals(a.Local(), b.Local())
}

func compareReleases(a, b []string) int {
	for i := range max(len(a), len(b)) {
		x, y := "0", "0"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := compareNumbers(x, y); c != 0 {
			return c
		}
	}
	return 0
}

func rankPre(v Version) (int, string) {
	letters, number := v.Pre()
	switch {
	case letters != "":
		// The letters are in alphabetical order.
		return 1, string(rune('0'+strings.Index("abr", letters[:1]))) + strings.Repeat("0", 60-len(number)) + number
	case v.Post() == "" && v.Dev() != "":
		return 0, ""
	}
	return 2, ""
}

func rankPost(v Version) (int, string) {
	if number := v.Post(); number != "" {
		return 1, number
	}
	return 0, ""
}

func rankDev(v Version) (int, string) {
	if number := v.Dev(); number != "" {
		return 0, number
	}
	return 1, ""
}

func compareNumbers(a, b string) int {
	x, _ := new(big.Int).SetString("0"+a, 10)
	y, _ := new(big.Int).SetString("0"+b, 10)
	return x.Cmp(y)
}

func compareLocals(a, b string) int {
	if a == "" || b == "" {
		return strings.Compare(a, b)
	}
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		numberX, numberY := strings.Trim(x, "0123456789") == "", strings.Trim(y, "0123456789") == ""
		switch {
		case numberX && numberY:
			return compareNumbers(x, y)
		case numberX:
			return 1
		case numberY:
			return -1
		}
		return strings.Compare(x, y)
	})
}

func TestLawParsePrintStable(t *testing.T) {
	t.Parallel()
	d := newDice(3)
	for range rounds {
		text := d.version() + d.local()
		v := mustParse(t, text)
		again := mustParse(t, v.String())
		if !v.Equal(again) || again.String() != v.String() {
			t.Fatalf("%q prints as %q, and that as %q", text, v, again)
		}
		for _, made := range []Version{v.Public(), v.Base(), v.dev0IfAny(), v.Bump(1), v.Bump(4), v.leastFinal()} {
			if read := mustParse(t, made.String()); read.key != made.key || read.shape != made.shape || read.zeros != made.zeros {
				t.Fatalf("%v, made from %v, reads back as something else", made, v)
			}
		}
	}
}

func (v Version) dev0IfAny() Version {
	if v.IsPre() {
		return v
	}
	return v.dev0()
}

func TestLawAlgebra(t *testing.T) {
	t.Parallel()
	d := newDice(4)
	for range rounds {
		a, b, c := d.set(t), d.set(t), d.set(t)
		for name, pair := range map[string][2]Set{
			"De Morgan for and":        {a.Intersect(b).Complement(), a.Complement().Union(b.Complement())},
			"De Morgan for or":         {a.Union(b).Complement(), a.Complement().Intersect(b.Complement())},
			"absorption of and":        {a.Union(a.Intersect(b)), a},
			"absorption of or":         {a.Intersect(a.Union(b)), a},
			"idempotence of and":       {a.Intersect(a), a},
			"idempotence of or":        {a.Union(a), a},
			"and in any order":         {a.Intersect(b), b.Intersect(a)},
			"or in any order":          {a.Union(b), b.Union(a)},
			"and in any grouping":      {a.Intersect(b).Intersect(c), a.Intersect(b.Intersect(c))},
			"or in any grouping":       {a.Union(b).Union(c), a.Union(b.Union(c))},
			"and over or":              {a.Intersect(b.Union(c)), a.Intersect(b).Union(a.Intersect(c))},
			"twice the complement":     {a.Complement().Complement(), a},
			"nothing in both":          {a.Intersect(a.Complement()), None()},
			"everything in one":        {a.Union(a.Complement()), All()},
			"difference":               {a.Minus(b), a.Intersect(b.Complement())},
			"union of many":            {UnionOf(a, b, c), a.Union(b).Union(c)},
			"union of its intervals":   {unionOfIntervals(a), a},
			"subset by intersection":   {truth(a.Subset(b)), truth(a.Intersect(b).Equal(a))},
			"disjoint by intersection": {truth(a.Disjoint(b)), truth(a.Intersect(b).Empty())},
		} {
			if !pair[0].Equal(pair[1]) {
				t.Fatalf("%s: %v is not %v\na = %v\nb = %v\nc = %v", name, pair[0], pair[1], a, b, c)
			}
		}
	}
}

func truth(b bool) Set {
	if b {
		return All()
	}
	return None()
}

func unionOfIntervals(s Set) Set {
	var sets []Set
	for _, iv := range s.Intervals() {
		sets = append(sets, iv.Set())
	}
	return UnionOf(sets...)
}

func TestLawMembership(t *testing.T) {
	t.Parallel()
	d := newDice(5)
	for range rounds / 4 {
		a, b := d.set(t), d.set(t)
		and, or, not, minus := a.Intersect(b), a.Union(b), a.Complement(), a.Minus(b)
		for _, v := range probes(t, a, b) {
			inA, inB := a.Contains(v), b.Contains(v)
			if and.Contains(v) != (inA && inB) || or.Contains(v) != (inA || inB) ||
				not.Contains(v) == inA || minus.Contains(v) != (inA && !inB) {
				t.Fatalf("%v: in a %v, in b %v, which an operation misses\na = %v\nb = %v", v, inA, inB, a, b)
			}
		}
	}
}

// TestLawNothingBetween holds that sets with the same members are equal: a set
// that is not empty gives an example, and the bounds of each interval differ.
func TestLawNothingBetween(t *testing.T) {
	t.Parallel()
	d := newDice(6)
	for range rounds {
		s := d.set(t)
		examples := s.Examples(s.len())
		if len(examples) != s.len() {
			t.Fatalf("%v: %d intervals and the examples %v", s, s.len(), examples)
		}
		for _, v := range s.Examples(20) {
			if !s.Contains(v) || !mustParse(t, v.String()).Equal(v) {
				t.Fatalf("%v is no member of %v", v, s)
			}
		}
		if final := len(examples) > 0 && slices.ContainsFunc(s.Examples(1000), func(v Version) bool { return !v.IsPre() }); final != s.HasFinal() {
			t.Fatalf("%v: has a final release %v, example of one %v", s, s.HasFinal(), final)
		}
	}
}

func TestLawClauseMatchesItsSet(t *testing.T) {
	t.Parallel()
	d := newDice(7)
	for range rounds {
		s := mustSpecifiers(t, d.specifiers())
		set := s.Set()
		for _, v := range probes(t, set) {
			if got, want := s.Contains(v, PreYes), set.Contains(v); got != want {
				t.Fatalf("%v contains %v: %v, its set %v: %v", s, v, got, set, want)
			}
		}
	}
}

func TestLawSpecifiersReadBack(t *testing.T) {
	t.Parallel()
	d := newDice(8)
	for range rounds {
		for _, s := range []Set{d.set(t), mustSpecifiers(t, d.specifiers()).Set()} {
			text, ok := s.Specifiers()
			if !ok {
				continue
			}
			if back := mustSpecifiers(t, text).Set(); !back.Equal(s) {
				t.Fatalf("%v became %q, which is %v", s, text, back)
			}
		}
	}
}

// TestLawSpecifiersExist holds that what a specifier admits can be written as
// one again.
func TestLawSpecifiersExist(t *testing.T) {
	t.Parallel()
	d := newDice(9)
	for range rounds {
		s := mustSpecifiers(t, d.specifiers())
		if _, ok := s.Set().Specifiers(); !ok {
			t.Fatalf("%v, which is %v, has no specifier", s, s.Set())
		}
	}
}

func TestLawEffective(t *testing.T) {
	t.Parallel()
	d := newDice(10)
	for range rounds {
		s, within := mustSpecifiers(t, d.specifiers()), d.set(t)
		all := s.Set().Intersect(within)
		effective, asked := s.EffectiveIn(within, false), s.EffectiveIn(within, true)
		if !asked.Equal(all) || !effective.Subset(all) || effective.HasFinal() != all.HasFinal() {
			t.Fatalf("%v in %v: effective %v, with pre-releases %v, all %v", s, within, effective, asked, all)
		}
		if !s.NamesPre() && !effective.Empty() && slices.ContainsFunc(effective.Intervals(), func(iv Interval) bool { return !iv.HasFinal() }) {
			t.Fatalf("%v in %v: %v has a stretch of pre-releases only", s, within, effective)
		}
	}
}
