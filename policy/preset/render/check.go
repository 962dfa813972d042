package render

import (
	"fmt"
	"regexp"
)

// What stands in the files is read by shells, YAML, cron and systemd, which all
// quote in their own way: only text that none of them reads as anything else is
// taken.
var (
	address  = regexp.MustCompile(`^https://[A-Za-z0-9._~:/@+=-]+$`)
	path     = regexp.MustCompile(`^(/[A-Za-z0-9._+=@-]+)+/?$`)
	inside   = regexp.MustCompile(`^/?[A-Za-z0-9._+=@][A-Za-z0-9._+=@/-]*$`)
	checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)
	image    = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9._:/-]*@sha256:[0-9a-f]{64}$`)
)

// check refuses what is missing, or cannot stand in the files of a target.
func (in Input) check(t Target) error {
	type part struct {
		value, what, form string
		pattern           *regexp.Regexp
	}
	parts := []part{{in.SHA256, "the checksum of the program's release", "64 hexadecimal digits", checksum}}
	if t.OnMachine() {
		parts = []part{
			{in.Program, "the program", "an absolute path without blanks", path},
			{in.SHA256, "the checksum of the program", "64 hexadecimal digits", checksum},
			{in.Folder, "the folder that is checked", "an absolute path without blanks", path},
		}
	} else {
		parts = append(parts, part{in.Archive, "the address of the program's release", "an https address without a query", address})
	}
	if t == GitLab {
		parts = append(parts, part{in.Image, "the image of the job", "a reference with a digest, NAME@sha256:…", image})
	}
	if in.Root != "" {
		parts = append(parts, part{in.Root, "the folder that is looked at", "a path without blanks", inside})
	}
	if in.Config != "" {
		parts = append(parts, part{in.Config, "the file of the policy", "a path without blanks", inside})
	}
	if in.State != "" {
		parts = append(parts, part{in.State, "the folder of the journal", "an absolute path without blanks", path})
	}
	if in.Advisories != "" {
		parts = append(parts, part{in.Advisories, "the address of the advisories", "an https address without a query", address})
	}
	for _, p := range parts {
		switch {
		case p.value == "":
			return &Error{What: p.what, Message: "is not given: name " + p.form}
		case !p.pattern.MatchString(p.value):
			return &Error{What: p.what, Message: fmt.Sprintf("%.80q cannot stand in the file: it must be %s", p.value, p.form)}
		}
	}
	return nil
}

// Error says what cannot be rendered.
type Error struct {
	// What is the part of the input, and Message what is wrong with it.
	What, Message string
}

// Error gives both.
func (e *Error) Error() string { return e.What + " " + e.Message }
