package review

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/gitread"
)

// ofTree tells what is wrong with the tree itself: what hides a file from the
// checks, or from those who look at it.
func (s *side) ofTree() {
	for _, name := range s.view.Malformed() {
		s.own.add(ruleMalformed, name, 0, "git does not check this out, or it is here twice: a tool has made the commit, so what others see of it is not known", name)
	}
	s.links()
	s.collisions()
	s.unprovable()
}

// links tells of those that lead out of the tree: what is built through them is
// not in the repository.
func (s *side) links() {
	for _, e := range s.view.Entries() {
		if !e.Link() {
			continue
		}
		if _, err := s.view.Resolve(e.Path); errors.Is(err, gitread.ErrOutside) {
			s.own.add(ruleOutside, e.Path, 0, "this link leads out of the repository, so what is read through it is not checked", e.ID)
		} else {
			_ = s.view.note(err) // all else is the link's own business
		}
	}
}

// collisions tells of files of which a checkout has one alone, where the file
// system does not tell upper case from lower.
func (s *side) collisions() {
	groups := map[string][]string{}
	for _, e := range s.view.Entries() {
		lower := strings.ToLower(e.Path)
		groups[lower] = append(groups[lower], e.Path)
	}
	for _, lower := range slices.Sorted(maps.Keys(groups)) {
		if alike := groups[lower]; len(alike) > 1 {
			s.own.add(ruleCollision, alike[0], 0, "other files have this name in another case, and where that makes no difference one takes the place of the other: "+strings.Join(alike[1:], ", "), strings.Join(alike, "\n"))
		}
	}
}

// unprovable tells of builds whose Dockerfile is not known.
func (s *side) unprovable() {
	level := s.in.rules().Unprovable
	severity := policy.Warning
	switch level {
	case config.Allow:
		return
	case config.Fail:
		severity = policy.Blocker
	}
	for _, step := range s.steps {
		if step.Why == "" {
			continue
		}
		what := strings.TrimSpace(step.Name)
		if what == "" {
			what = "this file"
		}
		message := fmt.Sprintf("%s: %s, so it is not known which Dockerfile is built, and none is checked for it", what, step.Why)
		if step.Text != "" {
			message += ": " + step.Text
		}
		s.own.addAs(severity, ruleUnprovable, step.File, step.Line, message, strings.Join([]string{string(step.Kind), step.Name, step.Text, step.Why}, "\n"))
	}
}
