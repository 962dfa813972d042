package pep440

import "strings"

// Pre says whether pre-releases are admitted.
type Pre uint8

// Policies. With PreDefault a pre-release is admitted where there is nothing
// else to be had: always by Contains, which weighs one version, and by Filter
// if no final release is left.
const (
	PreDefault Pre = iota
	PreYes
	PreNo
)

// Contains says whether the clauses admit v. === compares the text that v was
// read from, without regard to case.
func (s Specifiers) Contains(v Version, p Pre) bool {
	return (p != PreNo || !v.IsPre()) && s.match(v)
}

// ContainsText is Contains for a text that may be no version. Only === admits
// such a text.
func (s Specifiers) ContainsText(text string, p Pre) bool {
	if v, err := Parse(text); err == nil {
		return s.Contains(v, p)
	}
	for _, c := range s.Clauses {
		if c.Op != Arbitrary || lowered(c.Text) != lowered(text) {
			return false
		}
	}
	return len(s.Clauses) > 0
}

// Filter returns the versions that the clauses admit, in the order given. With
// PreDefault, pre-releases are among them if a clause names one, or if there
// is no final release.
func (s Specifiers) Filter(versions []Version, p Pre) []Version {
	if p == PreDefault && s.NamesPre() {
		p = PreYes
	}
	var matching, finals []Version
	for _, v := range versions {
		if !s.match(v) {
			continue
		}
		matching = append(matching, v)
		if !v.IsPre() {
			finals = append(finals, v)
		}
	}
	if p == PreNo || p == PreDefault && len(finals) > 0 {
		return finals
	}
	return matching
}

func (s Specifiers) match(v Version) bool {
	if v.IsZero() {
		return false
	}
	for i := range s.Clauses {
		if !s.Clauses[i].match(v) {
			return false
		}
	}
	return true
}

// match is Set().Contains(v) without making the set, but for ===, which looks
// at the text.
func (c *Clause) match(v Version) bool {
	switch c.Op {
	case Compatible:
		return v.key >= c.Version.key && v.inFamily(c.Version, c.Version.parts()-1)
	case Equal:
		return c.equal(v)
	case NotEqual:
		return !c.equal(v)
	case LessEqual:
		return v.public() <= c.Version.key
	case GreaterEqual:
		return v.key >= c.Version.key
	case Less:
		return c.less(v)
	case Greater:
		return c.greater(v)
	}
	return lowered(c.Text) == lowered(v.Original())
}

func (c *Clause) equal(v Version) bool {
	switch {
	case c.Wildcard:
		return v.inFamily(c.Version, c.Version.parts())
	case c.Version.shape&hasLocal != 0:
		return v.key == c.Version.key
	}
	return v.public() == c.Version.key
}

// less says whether v is below the version and not of the family that begins
// with the version's first development release.
func (c *Clause) less(v Version) bool {
	least := c.Version
	if v.key >= least.key || least.IsPre() {
		return v.key < least.key
	}
	l := least.layout()
	if least.IsPost() {
		return !strings.HasPrefix(v.key, least.key[:l.dev])
	}
	return !strings.HasPrefix(v.key, least.key[:l.pre])
}

// greater says whether v is above the version, and neither one of its local
// versions nor one of its post-releases.
func (c *Clause) greater(v Version) bool {
	last := c.Version
	if last.IsPost() || last.IsDev() {
		return v.public() > last.key
	}
	return v.key > last.key && !strings.HasPrefix(v.key, last.key[:last.layout().post])
}

// inFamily says whether the first n parts of both releases are equal. Missing
// parts are zero.
func (v Version) inFamily(o Version, n int) bool {
	a, b := v.key, o.key
	size := intSize(b)
	if !strings.HasPrefix(a, b[:size]) {
		return false
	}
	a, b = a[size:], b[size:]
	for ; n > 0; n-- {
		switch {
		case a[0] == tagEnd && b[0] == tagEnd:
			return true
		case a[0] == tagEnd:
			if b[0] != firstInt {
				return false
			}
			b = b[1:]
		case b[0] == tagEnd:
			if a[0] != firstInt {
				return false
			}
			a = a[1:]
		default:
			size = intSize(b)
			if !strings.HasPrefix(a, b[:size]) {
				return false
			}
			a, b = a[size:], b[size:]
		}
	}
	return true
}

// lowered is Python's str.lower.
func lowered(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "\u0130", "i\u0307"))
}
