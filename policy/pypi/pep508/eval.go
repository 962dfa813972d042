package pep508

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// Eval reports whether the marker holds in an environment: values of the
// marker variables, by their names in PEP 508. It has no defaults: the
// variables that the marker uses must be there, "extra" alone is "" if it
// isn't. With extras, the marker holds if it holds for one of them, as pip
// installs; each is in turn the value of "extra".
//
// As packaging 26.x does, it looks at every comparison, so an error in one is
// never hidden by another; where two variables are compared, the right one is
// taken as text, and where two texts are, the right one as a variable's name.
// The error is an *UndefinedError or a *ComparisonError.
func (m *Marker) Eval(env map[string]string, extras ...string) (bool, error) {
	if len(extras) == 0 {
		return m.holds(scope{variables: env, extra: env[extraVariable]})
	}
	one := false
	for _, extra := range extras {
		holds, err := m.holds(scope{variables: env, extra: extra})
		if err != nil {
			return false, err
		}
		one = one || holds
	}
	return one, nil
}

// EvalLocked is Eval for a marker of a lock file (PEP 751): "extras" and
// "dependency_groups" are the sets that are asked for, and "extra" is not
// defined.
func (m *Marker) EvalLocked(env map[string]string, extras, groups []string) (bool, error) {
	return m.holds(scope{variables: env, locked: true, extras: normalized(extras), groups: normalized(groups)})
}

func normalized(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = pep503.Normalize(name)
	}
	return out
}

// scope is where a marker is evaluated.
type scope struct {
	variables map[string]string
	extra     string
	// locked says that the two sets are defined, and extra is not.
	locked         bool
	extras, groups []string
}

// text returns the value of a variable that is no set.
func (s scope) text(name string) (string, error) {
	if name == extraVariable && !s.locked {
		return pep503.Normalize(s.extra), nil
	}
	value, ok := s.variables[name]
	if !ok || name == extraVariable {
		return "", &UndefinedError{Variable: name}
	}
	if name == pythonFullVersion && strings.HasSuffix(value, "+") {
		// Python says so when it was built from no tag; packaging makes it
		// a version.
		value += "local"
	}
	return value, nil
}

// set returns the value of a variable that is a set.
func (s scope) set(name string) ([]string, bool) {
	switch {
	case !s.locked:
	case name == extrasVariable:
		return s.extras, true
	case name == groupsVariable:
		return s.groups, true
	}
	return nil, false
}

func (m *Marker) holds(s scope) (bool, error) {
	if m == nil {
		return true, nil
	}
	one, all := false, true
	for _, t := range m.terms {
		if t.or {
			one, all = one || all, true
		}
		holds, err := t.holds(s)
		if err != nil {
			return false, err
		}
		all = all && holds
	}
	return one || all, nil
}

func (t term) holds(s scope) (bool, error) {
	if t.group != nil {
		return t.group.holds(s)
	}
	return t.comparison.holds(s)
}

func (c comparison) holds(s scope) (bool, error) {
	if !c.left.literal {
		value, err := s.text(c.left.text)
		if err != nil {
			return false, err
		}
		return c.compare(c.left.text, value, c.right.text)
	}
	if set, ok := s.set(c.right.text); ok {
		return c.ask(set)
	}
	value, err := s.text(c.right.text)
	if err != nil {
		return false, err
	}
	return c.compare(c.right.text, c.left.text, value)
}

// ask compares a text with a set. Apart from membership, a text is never equal
// to one.
func (c comparison) ask(set []string) (bool, error) {
	switch c.op {
	case "in":
		return slices.Contains(set, pep503.Normalize(c.left.text)), nil
	case "not in":
		return !slices.Contains(set, pep503.Normalize(c.left.text)), nil
	case "!=":
		return true, nil
	case "~=", "===":
		return false, &ComparisonError{Comparison: c.String()}
	}
	return false, nil
}

// compare applies the operator to the values of its sides: as versions if the
// variable is one and the right side makes a specifier, as texts if not. Texts
// have no order: one is less or equal only if it is equal.
func (c comparison) compare(variable, left, right string) (bool, error) {
	if isVersion(variable) {
		if holds, ok := admits(c.op, right, left); ok {
			return holds, nil
		}
	}
	switch c.op {
	case "in":
		return strings.Contains(right, left), nil
	case "not in":
		return !strings.Contains(right, left), nil
	case "==", "<=", ">=":
		return left == right, nil
	case "!=":
		return left != right, nil
	case "<", ">":
		return false, nil
	}
	return false, &ComparisonError{Comparison: c.String()}
}

// admits reports whether the specifier of the operator and the bound admits
// the version. It is not ok if the two make no single specifier. A text that
// is no version is admitted by none but ===.
func admits(op, bound, version string) (holds, ok bool) {
	if text, ok := arbitrary(op + bound); ok {
		return strings.EqualFold(text, version), true
	}
	s, ok := clause(op, bound)
	if !ok {
		return false, false
	}
	v, err := pep440.Parse(version)
	if err != nil {
		return false, true
	}
	return s.Contains(v, pep440.PreYes), true
}

// arbitrary returns the text of a specifier of arbitrary equality.
func arbitrary(specifier string) (text string, ok bool) {
	text, ok = strings.CutPrefix(specifier, "===")
	text = strings.TrimFunc(text, isSpace)
	return text, ok && !strings.ContainsFunc(text, endsArbitrary)
}

func endsArbitrary(r rune) bool { return r == ';' || r == ')' || isSpace(r) }

// clause makes the one specifier that the operator and the bound are together.
func clause(op, bound string) (pep440.Specifiers, bool) {
	if strings.Contains(bound, ",") {
		return pep440.Specifiers{}, false
	}
	s, err := pep440.ParseSpecifiers(op + bound)
	return s, err == nil && len(s.Clauses) == 1
}
