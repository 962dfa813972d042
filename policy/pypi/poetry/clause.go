package poetry

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// read fills in what Text and Op mean; what is wrong comes back, "" if nothing
// is.
func (c *Clause) read() string {
	if c.Op == Bare && isAny(c.Text) {
		c.Any = true
		return ""
	}
	number, stars, letter := cutStars(c.Text)
	c.Wildcard = stars > 0
	if number == "dev" && c.Op != Caret && c.Op != Tilde && c.Op != Compatible {
		// Poetry reads ">dev" so.
		number = "0.0.dev0"
	}
	v, err := pep440.Parse(number)
	if err != nil || strings.TrimFunc(number, isSpace) != number {
		return wrong(c.Op, c.Text)
	}
	c.Version = v
	switch {
	case (stars > 1 || letter) && (!c.equality() || c.Op == Single || !isRelease(v) || len(v.Release()) > 3):
		return "only up to three parts of a release can be followed by .x or by more than one .*"
	case stars > 0 && (c.Op == Caret || c.Op == Tilde || c.Op == Compatible):
		return "^, ~ and ~= take no version with .*"
	case stars > 0 && c.equality():
		return c.family()
	}
	return c.compare()
}

// cutStars cuts each ".*" off the end. ".x", which poetry-core took before its
// release 1.9, is one too; letter says that it is there.
func cutStars(s string) (number string, stars int, letter bool) {
	for len(s) > 2 && s[len(s)-2] == '.' {
		switch s[len(s)-1] {
		case 'x', 'X':
			letter = true
		case '*':
		default:
			return s, stars, letter
		}
		s, stars = s[:len(s)-2], stars+1
	}
	return s, stars, letter
}

// wrong says what is wrong with what is no version.
func wrong(op Op, text string) string {
	switch {
	case op == Equal && strings.HasPrefix(text, "="):
		return "Poetry has no ==="
	case op == Less && strings.HasPrefix(text, ">"):
		return "<> is no operator; write != for \"not\""
	case op == Bare && strings.ContainsAny(text, "()"):
		return "Poetry takes no parentheses here"
	case op == Bare && strings.HasPrefix(text, "@"):
		return "Poetry takes no URL here"
	}
	return "this is no version number"
}

// isAny knows "*" and its longer forms, an x for the star, a v in front.
func isAny(s string) bool {
	if s != "" && (s[0] == 'v' || s[0] == 'V') {
		s = s[1:]
	}
	for i := range len(s) {
		star := s[i] == '*' || s[i] == 'x' || s[i] == 'X'
		if i%2 == 0 && !star || i%2 == 1 && s[i] != '.' {
			return false
		}
	}
	return len(s)%2 == 1
}

func (c *Clause) equality() bool {
	return c.Op == Bare || c.Op == Single || c.Op == Equal || c.Op == NotEqual
}

func isRelease(v pep440.Version) bool { return v.Compare(v.Base()) == 0 && v.Local() == "" }

// compare says a clause without a family in the terms of PEP 440. Labels are
// left out of bounds that PEP 440 has none for, so that the set is rather too
// wide. What is wrong comes back, "" if nothing is.
func (c *Clause) compare() string {
	v := c.Version
	switch c.Op {
	case Bare, Single, Equal:
		c.add(pep440.Equal, v)
	case NotEqual:
		c.add(pep440.NotEqual, v)
	case Less:
		c.add(pep440.Less, v.Public())
	case LessEqual:
		c.add(pep440.LessEqual, v.Public())
	case Greater:
		if v.Local() != "" {
			c.add(pep440.GreaterEqual, v)
		} else {
			c.add(pep440.Greater, v)
		}
	case GreaterEqual:
		c.add(pep440.GreaterEqual, v)
	case Caret:
		c.add(pep440.GreaterEqual, v)
		c.add(pep440.Less, next(v, breaking(v.Release())))
	case Tilde:
		c.add(pep440.GreaterEqual, v)
		c.add(pep440.Less, next(v, min(1, len(v.Release())-1)))
	case Compatible:
		// Poetry takes ~=1 too, and goes on to the next minor.
		part := 1
		if len(v.Release()) == 2 {
			part = 0
		}
		c.add(pep440.GreaterEqual, v)
		c.add(pep440.Less, next(v, part))
	}
	return c.check()
}

// check looks for a version that could not be made.
func (c *Clause) check() string {
	for _, same := range c.same {
		if same.Version.IsZero() {
			return "the version is too long to count up"
		}
	}
	return ""
}

// breaking gives the part of a release that ^ counts up: the first that is not
// zero, at most the third, at most the last.
func breaking(release []string) int {
	for i, part := range release {
		if part != "0" || i == 2 || i == len(release)-1 {
			return i
		}
	}
	return 0
}

func (c *Clause) add(op pep440.Op, v pep440.Version) {
	c.same = append(c.same, pep440.Clause{Op: op, Text: v.String(), Version: v, Start: c.Start, End: c.End})
}

// family says "1.2.*" in the terms of PEP 440. Poetry knows families of pre-,
// post- and development releases as well.
func (c *Clause) family() string {
	v := c.Version
	letters, _ := v.Pre()
	switch {
	case v.Local() != "":
		return "a local label takes no .*"
	case isRelease(v):
		op := pep440.Equal
		if c.Op == NotEqual {
			op = pep440.NotEqual
		}
		c.same = []pep440.Clause{{Op: op, Text: v.String() + ".*", Version: v, Wildcard: true, Start: c.Start, End: c.End}}
	case c.Op == NotEqual:
		return "only a release can be followed by .* behind !="
	case v.IsDev() && (v.IsPost() || letters != ""):
		return "a development release of a pre- or post-release takes no .*"
	default:
		low, high := neighbours(v)
		c.add(pep440.GreaterEqual, low)
		c.add(pep440.Less, high)
	}
	return c.check()
}
