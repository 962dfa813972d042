package floors

import (
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// Raised returns the lowest version that the requirement admits and the one that
// its fix raises it to. ok is false where one of them is not known: the
// requirement has no lower bound, or there is no fix.
func (v *Verdict) Raised() (from, to pep440.Version, ok bool) {
	if v.Requirement == nil || v.Proof == nil || v.Proof.Needed.IsZero() || len(v.Requirement.Admits) == 0 {
		return from, to, false
	}
	for _, s := range v.Requirement.Admits {
		bands := s.Set().Intervals()
		if len(bands) == 0 || bands[0].Lower.Unbounded() {
			return from, to, false
		}
		if low := bands[0].Lower.Version; from.IsZero() || low.Compare(from) < 0 {
			from = low
		}
	}
	return from, v.Proof.Needed.Version, true
}

// Hold takes the edits away of each fix that refuse has a reason against, and puts
// the reason in their place. It returns the verdicts that had edits, in their
// order: those that lost them have a Fix with Why.
func (r *Report) Hold(refuse func(*Verdict) string) []Verdict {
	var all []Verdict
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Fix == nil || len(v.Fix.Edits) == 0 {
			continue
		}
		if why := refuse(v); why != "" {
			v.Fix = &Fix{Why: why, Suggest: v.Fix.Text}
		}
		all = append(all, *v)
	}
	return all
}
