package floors

import (
	"fmt"
	"maps"
	"regexp"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// condition is a marker in a file, whose requires-python counts with it.
type condition struct{ file, marker string }

// everUsed reports whether a requirement is installed anywhere that is
// supported, as far as that can be told.
func (c *checker) everUsed(q *manifest.Requirement) bool {
	return q.Marker == nil || c.possible(q.File, q.Marker.String(), q.Marker)
}

// mayMeet reports whether a marker may hold where the requirement is installed.
func (c *checker) mayMeet(q *manifest.Requirement, m *pep508.Marker) bool {
	if q.Marker == nil {
		return c.possible(q.File, m.String(), m)
	}
	text := fmt.Sprintf("(%s) and (%s)", q.Marker, m)
	both, err := pep508.ParseMarker(text)
	return err != nil || c.possible(q.File, text, both)
}

// within reports whether a marker is known to hold wherever the requirement is
// installed: it is what the requirement's own says.
func (c *checker) within(q *manifest.Requirement, m *pep508.Marker) bool {
	if q.Marker != nil && q.Marker.String() == m.String() {
		return true
	}
	everywhere := c.supported(q.File)
	for _, e := range everywhere {
		if holds, err := m.Eval(e); err == nil && holds {
			continue
		}
		if q.Marker == nil {
			return false
		}
		if used, err := q.Marker.Eval(e); err != nil || used {
			return false
		}
	}
	return len(everywhere) > 0
}

// possible reports whether a marker may hold in an environment that is
// supported.
func (c *checker) possible(file, text string, m *pep508.Marker) bool {
	key := condition{file, text}
	if known, ok := c.conditions[key]; ok {
		return known
	}
	answer := !m.Never(c.python(file)) && c.platform(file, text, m)
	c.conditions[key] = answer
	return answer
}

// asked are variables of a marker that an installer is asked for, so that they
// depend on no environment.
var asked = regexp.MustCompile(`\b(?:extras?|dependency_groups)\b`)

// platform reports whether a marker may hold on one of the policy's platforms.
func (c *checker) platform(file, text string, m *pep508.Marker) bool {
	if len(c.config.Environments.Platforms) == 0 || asked.MatchString(text) {
		return true
	}
	for _, e := range c.supported(file) {
		if holds, err := m.Eval(e); err != nil || holds {
			return true
		}
	}
	return false
}

// python is the versions of Python that a file, and the policy, is for.
func (c *checker) python(file string) pep440.Set {
	set, said := c.pythons[file]
	if !said {
		set = pep440.All()
	}
	if c.config.Environments.Python != "" {
		set = set.Intersect(c.config.Environments.Pythons)
	}
	return set
}

// newestMinor is how far Python's minor versions are looked at; 3.14 is the
// newest in 2026.
const newestMinor = 40

// supported are the environments that a file is for: one for each minor version
// of Python on each of the policy's platforms. Variables that more depends on
// are not in them.
func (c *checker) supported(file string) []map[string]string {
	if known, ok := c.environments[file]; ok {
		return known
	}
	platforms := []map[string]string{{}}
	if names := c.config.Environments.Platforms; len(names) > 0 {
		platforms = nil
		for _, name := range names {
			platforms = append(platforms, config.Platforms()[name])
		}
	}
	var all []map[string]string
	for _, minor := range minors(c.python(file)) {
		for _, p := range platforms {
			e := map[string]string{"python_version": minor}
			maps.Copy(e, p)
			all = append(all, e)
		}
	}
	c.environments[file] = all
	return all
}

// minors are the values of python_version that a set has a release of.
func minors(set pep440.Set) []string {
	var all []string
	add := func(text string) {
		s, err := pep440.ParseSpecifiers("==" + text + ".*")
		if err == nil && set.Intersect(s.Set()).HasFinal() {
			all = append(all, text)
		}
	}
	for _, old := range []string{"2.6", "2.7"} {
		add(old)
	}
	for n := range newestMinor + 1 {
		add(fmt.Sprintf("3.%d", n))
	}
	return all
}
