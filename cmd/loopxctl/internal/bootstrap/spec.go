// Package bootstrap derives the image that runs a benchmark from the image of a
// task: the text of its Dockerfile, the check that the commands which the runner
// needs are in the built image, and the result of both.
package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
)

// Defaults of [Spec].
const (
	// Retries of a fetch, over apt's own 3 since 2.3.2 and 0 before (apt-transport-http(1)).
	Retries = 3
	// Timeout is how long a connection may say nothing: apt's own in new releases,
	// and a quarter of it in old ones.
	Timeout = 30 * time.Second
	// Deadline is for all that apt does.
	Deadline = 15 * time.Minute
)

// Packages are installed if none is named.
func Packages() []string { return []string{"tmux", "asciinema"} }

// Spec says what is built. [New] checks one.
type Spec struct {
	// Source is the reference of the task's image.
	Source string
	// Packages are apt's, NAME[:ARCHITECTURE][=VERSION].
	Packages []string
	// Commands must be in the built image: names, or absolute paths.
	Commands []string
	// User is the one that the source image runs as, "" for root. It means nothing
	// unless UserKnown.
	User      string
	UserKnown bool
	// Retries, Timeout and Deadline bound apt's fetches; the units of the last two
	// are seconds.
	Retries           int
	Timeout, Deadline time.Duration
}

// Grammars, each of a whole value.
var (
	// Names and architectures: Debian policy 5.6.1 and 5.6.8; versions: 5.6.12. apt
	// takes a sign at the end for an order, so nothing ends in one but names such as
	// g++: their plus asks for what is asked for anyway.
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9][a-z0-9-]*[a-z0-9])?(=([0-9]+:)?[0-9]([A-Za-z0-9.+~:-]*[A-Za-z0-9.~])?)?$`)
	// A name without a character that any shell reads as more than itself.
	commandName = regexp.MustCompile(`^(/[A-Za-z0-9_.+-]+)*/?[A-Za-z0-9_.+][A-Za-z0-9_.+-]*$`)
	// useradd(8) of Debian, or an ID; the same for a group behind a colon.
	userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`)
)

// New checks s and fills in what it leaves out. The error says which flag is
// wrong, and is for the command line.
func New(s Spec) (Spec, error) {
	if len(s.Packages) == 0 {
		s.Packages = Packages()
	}
	if len(s.Commands) == 0 {
		s.Commands = CommandsOf(s.Packages)
	}
	if s.Retries < 0 || s.Retries > 100 {
		return s, errors.New("--apt-retries is a number from 0 to 100")
	}
	for flag, value := range map[string]time.Duration{"--apt-timeout": s.Timeout, "--deadline": s.Deadline} {
		if value < time.Second || value > 24*time.Hour || value%time.Second != 0 {
			return s, fmt.Errorf("%s is a time in whole seconds, from 1s to 24h", flag)
		}
	}
	return s, cmp.Or(s.checkSource(), s.checkPackages(), s.checkCommands(), s.checkUser())
}

func (s *Spec) checkSource() error {
	switch {
	case s.Source == "":
		return errors.New("--source-image is missing: name the task's image")
	case s.Source == "scratch":
		return errors.New("--source-image scratch is empty: it has no apt")
	}
	if _, err := reference.ParseNormalizedNamed(s.Source); err != nil {
		return fmt.Errorf("--source-image %q is no image: %w", s.Source, err)
	}
	return nil
}

func (s *Spec) checkPackages() error {
	for i, name := range s.Packages {
		switch {
		case slices.Contains(s.Packages[:i], name):
			return fmt.Errorf("--apt-package %s is given twice", name)
		case packageName.MatchString(name):
		case strings.HasSuffix(name, "-"):
			return fmt.Errorf("--apt-package %q ends in a minus, which apt takes for a removal", name)
		default:
			return fmt.Errorf("--apt-package %q is no package: write NAME, NAME=VERSION or NAME:ARCHITECTURE, with a name of lower-case letters, digits, dots, + and -", name)
		}
	}
	return nil
}

func (s *Spec) checkCommands() error {
	for i, name := range s.Commands {
		switch {
		case slices.Contains(s.Commands[:i], name):
			return fmt.Errorf("--required-command %s is given twice", name)
		case len(name) > 255 || !commandName.MatchString(name):
			return fmt.Errorf("--required-command %q is no command: write a program's name, or its absolute path, of letters, digits and . _ + -", name)
		}
	}
	return nil
}

func (s *Spec) checkUser() error {
	if s.UserKnown && s.User != "" && !userName.MatchString(s.User) {
		return fmt.Errorf("--user %q is no user: write NAME or ID, with :GROUP behind it where the image has one", s.User)
	}
	return nil
}

// WithUser is s for a source image with this user, as its configuration has it.
func (s Spec) WithUser(user string) (Spec, error) {
	s.User, s.UserKnown = user, true
	if s.checkUser() != nil {
		return s, fmt.Errorf("the image %s runs as %q, which is no user's name: say with --user which one to go back to", s.Source, user)
	}
	return s, nil
}

// isRoot reports whether the source image is known to run as root.
func (s *Spec) isRoot() bool {
	name, _, _ := strings.Cut(s.User, ":")
	return s.UserKnown && (name == "" || name == "root" || name == "0")
}
