package pep440

// Effective returns the stretches of what the clauses admit that an installer
// may pick from. A stretch that holds pre-releases only counts if a clause
// names a pre-release, or if pre says that pre-releases are asked for.
func (s Specifiers) Effective(pre bool) Set { return s.EffectiveIn(All(), pre) }

// EffectiveIn is Effective for the versions of within alone, which may cut a
// stretch so that only pre-releases are left of it. It answers what of the
// affected versions an installer may pick.
func (s Specifiers) EffectiveIn(within Set, pre bool) Set {
	set := s.Set().Intersect(within)
	if pre || s.NamesPre() {
		return set
	}
	return set.finals()
}

// finals returns the intervals that hold a version that is no pre-release.
func (s Set) finals() Set {
	result := Set{turns: make([]Bound, 0, len(s.turns))}
	for i := range s.len() {
		iv := s.interval(i)
		if !iv.HasFinal() {
			continue
		}
		if iv.Lower.Unbounded() {
			result.low = true
		} else {
			result.turns = append(result.turns, iv.Lower)
		}
		if !iv.Upper.Unbounded() {
			result.turns = append(result.turns, iv.Upper)
		}
	}
	return result
}
