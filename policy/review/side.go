package review

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/dockerfile"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/review/steps"
	"github.com/loopx/loopx-frontend/policy/scan"
)

// side is one of the two trees, and what is found in it.
type side struct {
	in          *Input
	view        *view
	steps       []steps.Step
	dockerfiles []string
	findings    []found
	own         own
	entries     []scan.Acknowledged
	notes       []string
	unchecked   []report.Problem // that are told already
}

// found is a finding of one tree.
type found struct {
	lens.Shadowed
	instruction string // the digest of the one that it is in, see [ack.Subject]
}

// own are findings of this package, with what a reviewer signs for.
type own struct {
	findings []lens.Shadowed
	subjects []ack.Subject
}

// look runs the checks over one tree. contents are changed files that are
// Dockerfiles by what they hold.
func look(ctx context.Context, in *Input, tree *gitread.Tree, reports []scan.Report, contents []string) (*side, error) {
	s := &side{in: in, view: &view{Tree: tree, inline: map[string]inline{}}}
	var names []string
	for _, e := range tree.Entries() {
		if !e.Submodule() {
			names = append(names, e.Path)
		}
	}
	s.steps = steps.Find(s.view, names)
	s.collect(contents)
	if err := s.scan(ctx, reports); err != nil {
		return nil, err
	}
	s.ofTree()
	s.acknowledge()
	if s.view.failed != nil {
		return nil, s.view.failed
	}
	return s, nil
}

// collect lists the Dockerfiles: by their names, those that a build names, and
// those that hold one. A link stands for what it leads to.
func (s *side) collect(contents []string) {
	names, _ := scan.Names(s.view) // a tree of git can be listed
	names = append(names, contents...)
	for _, step := range s.steps {
		names = append(names, step.Dockerfiles...)
		if step.Inline != nil {
			names = append(names, s.view.add(step))
		}
	}
	for i, name := range names {
		if to, err := s.view.Resolve(name); err == nil {
			names[i] = to
		}
	}
	slices.Sort(names)
	s.dockerfiles = slices.Compact(names)
	if s.dockerfiles == nil {
		s.dockerfiles = []string{} // nil would have them looked for
	}
}

// scan runs the checks of package scan, and gathers what they say. What could not
// be checked is a finding too: so it is known whether the change did that.
func (s *side) scan(ctx context.Context, reports []scan.Report) error {
	in := s.in.Scan
	in.Tree, in.Dockerfiles, in.Reports = s.view, s.dockerfiles, reports
	in.Entries = s.signed()
	r, err := scan.Run(ctx, in, s.in.Checks...)
	if err != nil {
		return err
	}
	for _, o := range r.Outcomes {
		if o.Check == scan.Lens || o.Check == scan.Advisories {
			if err := failure(o); err != nil {
				return err
			}
		}
		for i, f := range o.Findings {
			s.put(f, o.Subjects[i])
		}
		for _, p := range o.Problems {
			s.notChecked(p)
		}
		s.notes = append(s.notes, o.Notes...)
	}
	s.entries = r.Entries
	return nil
}

// failure is what kept a tool from looking. It is no finding: a tool that did not
// run has not found nothing.
func failure(o scan.Outcome) error {
	if len(o.Problems) > 0 {
		return errors.New(o.Problems[0].String())
	}
	for _, v := range o.Validations {
		if v.Blocks() {
			return errors.New(policy.Line(v.Name + ": " + v.Message))
		}
	}
	return nil
}

// signed are the acknowledgements of the tree, without those that nobody signed
// and that the target branch does not have.
func (s *side) signed() []ack.Entry {
	entries, broken := scan.Entries(s.view)
	if broken != nil {
		s.notChecked(*broken)
	}
	return slices.DeleteFunc(append([]ack.Entry{}, entries...), func(e ack.Entry) bool {
		return s.in.Scan.Trust.Policy.Unsigned && e.Signature == "" && !slices.ContainsFunc(s.in.Trusted, func(t ack.Entry) bool { return bytes.Equal(t.Payload(), e.Payload()) })
	})
}

// acknowledge lifts what a reviewer signed for of our own findings, and adds them
// to the others.
func (s *side) acknowledge() {
	s.entries = s.own.acknowledge(s.entries, s.in)
	for i, f := range s.own.findings {
		s.findings = append(s.findings, found{f, s.own.subjects[i].Instruction})
	}
}

// acknowledge lifts blockers, and returns what is said of the entries now: one
// that lifts something counts.
func (o *own) acknowledge(entries []scan.Acknowledged, in *Input) []scan.Acknowledged {
	plain := make([]ack.Entry, len(entries))
	for i, e := range entries {
		plain[i] = e.Entry
	}
	r := ack.Acknowledge(o.findings, o.subjects, plain, in.Scan.Trust, in.Scan.Now)
	out := slices.Clone(entries)
	for i := range out {
		if v := r.Entries[i]; out[i].State == ack.Unused {
			out[i].Verdict = v
		}
	}
	return out
}

// put keeps a finding. One of an inline Dockerfile is shown in the file that it
// stands in; the fingerprint, and what is signed for, has the name of its own.
func (s *side) put(f lens.Shadowed, subject ack.Subject) {
	f = s.placed(f)
	if f.Sensitive() || !matches(s.in.rules().SensitiveRules, f.Finding) {
		s.findings = append(s.findings, found{f, subject.Instruction})
		return
	}
	// It may be a blocker now that was none when signatures were looked at.
	s.own.findings, s.own.subjects = append(s.own.findings, tagged(f)), append(s.own.subjects, subject)
}

// placed is a finding in the file that people have.
func (s *side) placed(f lens.Shadowed) lens.Shadowed {
	if f.Location == nil {
		return f
	}
	if i, ok := s.view.inline[f.Location.File]; ok {
		at := policy.Location{File: i.step.File, Start: policy.Position{Line: i.step.Line}}
		if i.step.Inline.Line > 0 && f.Location.Start.Line > 0 {
			at.Start.Line, at.End.Line = f.Location.Start.Line, f.Location.End.Line
		}
		f.Location, f.Fix = &at, nil
	}
	return f
}

// tagged is a finding with the tag for what is not public.
func tagged(f lens.Shadowed) lens.Shadowed {
	f.Tags = append(slices.Clone(f.Tags), policy.SensitiveTag)
	out := lens.Apply(f.Finding)
	out.Fingerprint, out.Acknowledged = f.Fingerprint, f.Acknowledged
	return out
}

// matches reports whether a rule is one of the patterns.
func matches(patterns []string, f policy.Finding) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for _, name := range []string{f.Rule, f.Tool.Name + "/" + f.Rule} {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return true
			}
		}
		return false
	})
}

// notChecked makes a finding of what could not be looked at, once for each line,
// though two checks may say so. Of what is wrong nothing is in the fingerprint:
// the words for it have lines in them. The file's object is: what is not checked is
// no baseline, so once the file is edited the finding is another.
func (s *side) notChecked(p report.Problem) {
	message := p.Message
	if slices.ContainsFunc(s.unchecked, func(q report.Problem) bool { return q.File == p.File && q.Line == p.Line }) {
		return
	}
	s.unchecked = append(s.unchecked, p)
	if data, err := s.view.ReadFile(p.File); err == nil {
		if _, ok := gitread.ParsePointer(data); ok {
			message = "it is kept by Git LFS, so its text is not in the tree"
		}
	}
	s.own.add(ruleNotChecked, p.File, p.Line, "this is not checked: "+message, "not checked "+s.object(p.File))
	last := &s.own.findings[len(s.own.findings)-1]
	*last = s.placed(*last)
}

// object names the text of a file, so that another text has another name: by what
// git calls it, links followed. It is "" for what is no file.
func (s *side) object(name string) string {
	if i, ok := s.view.inline[name]; ok {
		sum := sha256.Sum256(i.text)
		return hex.EncodeToString(sum[:])
	}
	if to, err := s.view.Resolve(name); err == nil {
		name = to
	}
	e, _ := s.view.Lookup(name)
	return e.ID
}

// changedContents are changed files that are Dockerfiles, before and after.
type changedContents struct{ base, head []string }

// contents looks into the changed files, wherever they are and whatever they are
// called.
func contents(in *Input) changedContents {
	var c changedContents
	for _, f := range in.Changed {
		if isDockerfile(in.Base, f.Path) {
			c.base = append(c.base, f.Path)
		}
		if isDockerfile(in.Head, f.Path) {
			c.head = append(c.head, f.Path)
		}
	}
	return c
}

// isDockerfile reports whether a file, or what a link leads to, holds a Dockerfile.
// One with the name of a Dockerfile may be as large as BuildKit takes it.
func isDockerfile(tree *gitread.Tree, name string) bool {
	to, err := tree.Resolve(name)
	if err != nil {
		return false
	}
	most := int64(steps.MaxFile)
	if dockerfile.IsName(path.Base(name)) {
		most = dockerfile.MaxSize
	}
	e, ok := tree.Lookup(to)
	if !ok || e.Submodule() || e.Size > most || e.Size <= 0 {
		return false
	}
	data, err := tree.ReadFile(to)
	return err == nil && steps.Holds(data)
}
