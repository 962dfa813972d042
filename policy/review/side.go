package review

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/gitread"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/review/steps"
	"github.com/loopx/loopx-frontend/policy/scan"
	"github.com/loopx/loopx-frontend/rewrite"
)

// side is one of the two trees, and what is found in it.
type side struct {
	in          *Input
	view        *view
	steps       []steps.Step
	dockerfiles []string
	findings    []lens.Shadowed
	own         own
	entries     []scan.Acknowledged
	notes       []string
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
	s.findings = append(s.findings, s.own.findings...)
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
	if f.Location != nil {
		if i, ok := s.view.inline[f.Location.File]; ok {
			at := policy.Location{File: i.step.File, Start: policy.Position{Line: i.step.Line}}
			if i.step.Inline.Line > 0 {
				at.Start.Line, at.End.Line = f.Location.Start.Line, f.Location.End.Line
			}
			f.Location, f.Fix = &at, nil
		}
	}
	if f.Sensitive() || !matches(s.in.rules().SensitiveRules, f.Finding) {
		s.findings = append(s.findings, f)
		return
	}
	// It may be a blocker now that was none when signatures were looked at.
	s.own.findings, s.own.subjects = append(s.own.findings, tagged(f)), append(s.own.subjects, subject)
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
// the words for it have lines in them.
func (s *side) notChecked(p report.Problem) {
	message := p.Message
	if slices.ContainsFunc(s.own.findings, func(f lens.Shadowed) bool {
		at := place(Finding{Shadowed: f})
		return f.Rule == ruleNotChecked && at.File == shown(p.File) && at.Start.Line == p.Line
	}) {
		return
	}
	if data, err := s.view.ReadFile(p.File); err == nil {
		if _, ok := gitread.ParsePointer(data); ok {
			message = "it is kept by Git LFS, so its text is not in the tree"
		}
	}
	s.own.add(ruleNotChecked, p.File, p.Line, "this is not checked: "+message, "not checked")
}

// shown is a file's name as findings have it.
func shown(name string) string {
	if name == "" {
		return ""
	}
	return policy.Redact(policy.CleanFile(name))
}

// changedContents are changed files that hold a Dockerfile, before and after.
type changedContents struct{ base, head []string }

// contents looks into the changed files of any name.
func contents(in *Input) changedContents {
	var c changedContents
	for _, f := range in.Changed {
		if holdsDockerfile(in.Base, f.Path) {
			c.base = append(c.base, f.Path)
		}
		if holdsDockerfile(in.Head, f.Path) {
			c.head = append(c.head, f.Path)
		}
	}
	return c
}

// holdsDockerfile reports whether a plain file of at most 1 MiB is a Dockerfile to
// BuildKit: its first instruction is FROM or ARG, and the others are known. A text
// that it does not understand is one if it names another frontend, which might.
func holdsDockerfile(tree *gitread.Tree, name string) bool {
	e, ok := tree.Lookup(name)
	if !ok || e.Link() || e.Submodule() || e.Size > steps.MaxFile || e.Size <= 0 {
		return false
	}
	data, err := tree.ReadFile(name)
	if err != nil || !begins(data) {
		return false
	}
	if _, err := rewrite.New(data, rewrite.Config{}); err == nil {
		return true
	}
	_, _, _, other := parser.DetectSyntax(data)
	return other
}

// begins reports whether the first instruction of a text is FROM or ARG.
func begins(data []byte) bool {
	r, err := parser.Parse(bytes.NewReader(data))
	if err != nil || len(r.AST.Children) == 0 {
		_, _, _, other := parser.DetectSyntax(data)
		return other
	}
	first := r.AST.Children[0].Value
	return strings.EqualFold(first, "FROM") || strings.EqualFold(first, "ARG")
}
