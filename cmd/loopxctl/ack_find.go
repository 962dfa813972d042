package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
	findings "github.com/loopx/loopx-frontend/policy/report"
)

// digits is the beginning of a fingerprint.
var digits = regexp.MustCompile(`^[0-9a-f]{6,64}$`)

// candidate is a blocker of the Dockerfile that may be meant.
type candidate struct {
	lens.Shadowed
	subject ack.Subject
	last    int // line
}

// found is what is signed for in a Dockerfile: the findings alike, and the text
// that they may be shown in.
type found struct {
	alike []lens.Shadowed
	name  string
	text  string // "" if a secret may stand in it
}

// find fills in what the entry is about. Of a finding of another tool that is
// what the flags say, and the result is nil.
func (c *ackCreate) find(root *base) (*found, error) {
	e := &c.entry
	if e.Rule != "" {
		if e.File != "" && !filepath.IsLocal(e.File) {
			return nil, fmt.Errorf("--file: %q is not a path from the root of the repository", e.File)
		}
		if e.File != "" {
			e.File = filepath.ToSlash(filepath.Clean(e.File))
		}
		return nil, nil
	}
	prefix := strings.ToLower(e.Fingerprint)
	if !digits.MatchString(prefix) {
		return nil, fmt.Errorf("--finding: %q is not the beginning of a fingerprint: write the digits that \"loopxctl check\" shows behind the rule, six at least", e.Fingerprint)
	}
	f, err := c.dockerfile(root)
	if err != nil {
		return nil, err
	}
	picked, err := c.pick(f, prefix)
	if err != nil {
		return nil, err
	}
	e.Subject = picked[0].subject
	e.Occurrences = len(picked)
	return newFound(f, picked), nil
}

// dockerfile plans and judges the Dockerfile that --file names.
func (c *ackCreate) dockerfile(root *base) (*report.File, error) {
	name := inRoot(root, c.entry.File)
	c.of, c.within = []string{name}, root.dir
	cfg, err := c.configure(&c.operator)
	if err != nil {
		return nil, err
	}
	f := c.planFile(name, cfg, report.Policy{})
	if f.Problem != nil {
		return nil, f.Problem
	}
	if f.Path = root.path(name); f.Path == "" {
		return nil, fmt.Errorf("--file: %s is not in %s, the root of the repository\nName another root: --root FOLDER", name, root.dir)
	}
	f.Judge()
	return f, nil
}

// inRoot is the name under which a file is read: it is one from the root, or one
// from here, if it says so ("./x", "../x") or there is none from the root.
func inRoot(root *base, file string) string {
	if file == "" {
		file = defaultFile
	}
	below := filepath.Join(root.dir, filepath.FromSlash(file))
	if !filepath.IsLocal(file) || strings.HasPrefix(file, "./") {
		return file
	}
	if _, err := os.Lstat(file); err == nil {
		if _, err := os.Lstat(below); errors.Is(err, os.ErrNotExist) {
			return file
		}
	}
	return below
}

// pick returns the blockers that one entry is for. All of them have one subject.
func (c *ackCreate) pick(f *report.File, prefix string) ([]candidate, error) {
	all, others := candidates(f)
	for _, one := range all {
		c.about = append(c.about, one.subject)
	}
	meant := slices.DeleteFunc(slices.Clone(all), func(o candidate) bool { return !strings.HasPrefix(o.Fingerprint, prefix) })
	if len(meant) == 0 {
		return nil, noFinding(f.Name, prefix, all, others)
	}
	if !same(meant, func(o candidate) string { return o.Fingerprint }) {
		return nil, fmt.Errorf("--finding: %s is the beginning of several fingerprints; write more digits\n%s", prefix, listed(f.Name, meant))
	}
	if c.line > 0 {
		here := slices.DeleteFunc(slices.Clone(meant), func(o candidate) bool { return c.line < o.Location.Start.Line || c.line > o.last })
		if len(here) == 0 {
			return nil, fmt.Errorf("--line: there is no such finding in line %d\n%s", c.line, listed(f.Name, meant))
		}
		meant = here
	}
	if !same(meant, func(o candidate) ack.Subject { return o.subject }) {
		return nil, fmt.Errorf("--finding: several instructions have this finding, and each is signed for by itself; say which one: --line %d\n%s", meant[0].Location.Start.Line, listed(f.Name, meant))
	}
	return slices.DeleteFunc(all, func(o candidate) bool { return o.subject != meant[0].subject }), nil
}

// candidates are the blockers of a file, and the other findings.
func candidates(f *report.File) (blockers []candidate, others []lens.Shadowed) {
	for i, s := range f.Findings {
		if s.Severity == policy.Blocker {
			blockers = append(blockers, candidate{s, f.Subject(i), max(s.Location.Start.Line, s.Location.End.Line)})
		} else {
			others = append(others, s)
		}
	}
	return blockers, others
}

// same reports whether all have one key.
func same[K comparable](list []candidate, key func(candidate) K) bool {
	return !slices.ContainsFunc(list, func(o candidate) bool { return key(o) != key(list[0]) })
}

// noFinding says that no blocker is meant, and which ones there are.
func noFinding(name, prefix string, all []candidate, others []lens.Shadowed) error {
	for _, o := range others {
		if strings.HasPrefix(o.Fingerprint, prefix) {
			return fmt.Errorf("--finding: %s is %s of %s, which stops nothing: it needs no acknowledgement", prefix, article(o.Severity), o.Rule)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("--finding: %s has no blocker, so there is nothing to sign for\nGive the build arguments, mirrors and host rules that \"loopxctl check\" was given", name)
	}
	return fmt.Errorf("--finding: no blocker of %s has a fingerprint that begins with %s; it has\n%s", name, prefix, listed(name, all))
}

func article(s policy.Severity) string {
	if s == policy.Advisory {
		return "an advisory"
	}
	return "a " + string(s)
}

// listed names blockers, one a line.
func listed(name string, list []candidate) string {
	lines := make([]string, len(list))
	for i, o := range list {
		lines[i] = fmt.Sprintf("  %s  %s:%d: %s", policy.ShortFingerprint(o.Fingerprint), name, o.Location.Start.Line, o.Rule)
	}
	return strings.Join(lines, "\n")
}

func newFound(f *report.File, picked []candidate) *found {
	out := &found{name: f.Name, text: string(f.Text())}
	for _, o := range picked {
		out.alike = append(out.alike, o.Shadowed)
	}
	secret := map[string]bool{}
	for _, r := range dockerfile.Rules() {
		secret[r.Name] = r.Secret
	}
	if slices.ContainsFunc(f.Findings, func(s lens.Shadowed) bool { return secret[s.Rule] }) {
		out.text = ""
	}
	return out
}

// show tells what is signed for. It does so at once, since the key may ask for a
// passphrase or a touch.
func (c *ackCreate) show(f *found) error {
	if f == nil {
		return nil
	}
	b := &c.notes
	fmt.Fprintln(b, "You sign for:")
	r := findings.Report{Tool: thisTool(), Rules: dockerfile.Rules(), Findings: f.alike}
	if f.text != "" {
		r.Sources = map[string]string{f.name: f.text}
	}
	if err := (findings.Text{Paint: paint.For("auto", c.stderr, c.env)}).Write(b, r); err != nil {
		return err
	}
	if e := policy.Line(f.alike[0].Evidence); e != "" {
		fmt.Fprintf(b, "    evidence    %s\n", plain.Text(e))
	}
	fmt.Fprintf(b, "    because     %s, until %s\n", printable(strings.Join(strings.Fields(c.entry.Reason), " ")), c.entry.Expires.Format("2006-01-02"))
	_, err := c.stderr.Write(b.Bytes())
	b.Reset()
	return err
}
