package main

import (
	"strconv"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// wayOut says how a reviewer accepts the first blocker that is left; "" if none
// is, or it is in no repository.
func (c *checkCommand) wayOut(r *report.Report) string {
	for _, f := range r.Files {
		if f.Path == "" || !f.Blocked() {
			continue
		}
		for i, finding := range f.Findings {
			if finding.Blocks() {
				return acceptable(c.createCommand(f, i))
			}
		}
	}
	return ""
}

// typedCommand is a command by its words.
type typedCommand []string

// add adds a flag that has a value.
func (c *typedCommand) add(flag, value string) {
	if value != "" {
		*c = append(*c, flag, value)
	}
}

// acceptable is the paragraph around the command that accepts a blocker. The
// words come from whoever names files: the shell, and the terminal, must take
// them for what they are.
func acceptable(command typedCommand) string {
	const text = "Mend what blocks. What has to stay, a reviewer can sign for, with a reason and for a time:\n"
	var b strings.Builder
	for _, word := range command {
		quoted, ok := plain.ShellWord(word)
		if !ok {
			return text + "  loopxctl ack create --help\n"
		}
		b.WriteString(quoted + " ")
	}
	return text + "  " + b.String() + "--reason 'why' --expires 30d\n"
}

// createCommand is what a reviewer types to sign for a blocker, but the reason and
// the time.
func (c *checkCommand) createCommand(f *report.File, i int) typedCommand {
	words := typedCommand{"loopxctl", "ack", "create"}
	words.add("--root", c.root.flag)
	words.add("--repository", c.repository)
	for _, arg := range c.operator.typed() {
		words.add(arg.flag, arg.value)
	}
	words.add("--file", f.Path)
	words.add("--finding", policy.ShortFingerprint(f.Findings[i].Fingerprint))
	if sharesFingerprint(f, i) {
		words.add("--line", strconv.Itoa(f.Findings[i].Location.Start.Line))
	}
	return words
}

// sharesFingerprint reports whether a blocker of another instruction has the
// fingerprint too, so that the line has to say which is meant.
func sharesFingerprint(f *report.File, i int) bool {
	for j, other := range f.Findings {
		if other.Severity == policy.Blocker && other.Fingerprint == f.Findings[i].Fingerprint && f.Subject(j) != f.Subject(i) {
			return true
		}
	}
	return false
}

// wayOut says how a reviewer accepts the first blocker that is left; "" if none
// is. One without a rule cannot be signed for.
func (c *lensCommand) wayOut(findings []lens.Shadowed) string {
	s := ofTools(findings)
	for _, b := range s.blockers {
		if !b.Blocks() || b.Rule == "" {
			continue
		}
		words := typedCommand{"loopxctl", "ack", "create"}
		words.add("--root", c.dir)
		words.add("--repository", c.repository)
		words.add("--rule", b.Rule)
		words.add("--file", b.subject.File)
		words.add("--finding", b.Fingerprint)
		if n := s.alike(b.subject); n > 1 {
			words.add("--occurrences", strconv.Itoa(n))
		}
		return acceptable(words)
	}
	return ""
}

// alike is how many blockers one entry would be for.
func (s *signable) alike(subject ack.Subject) int {
	n := 0
	for _, b := range s.blockers {
		if b.subject == subject && !b.again {
			n++
		}
	}
	return n
}
