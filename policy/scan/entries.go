package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/report"
	"github.com/loopx/loopx-frontend/policy/tree"
)

// The rules of the check of acknowledgements.
const (
	ruleExpiring = "AcknowledgementExpiring"
	ruleInvalid  = "AcknowledgementInvalid"
	ruleUnused   = "AcknowledgementUnused"
)

// entryPage describes acknowledgements.
const entryPage = "https://github.com/loopx/loopx-frontend/blob/main/docs/acknowledgements.md"

// entryRules describes the rules about acknowledgements.
func entryRules() []report.Rule {
	rule := func(name, description string, severity policy.Severity) report.Rule {
		return report.Rule{Name: name, Description: description, Class: policy.Validation, Severity: severity, Help: entryPage, Family: "acknowledgement"}
	}
	return []report.Rule{
		rule(ruleExpiring, "An acknowledgement ends soon.", policy.Warning),
		rule(ruleInvalid, "An acknowledgement does not count.", policy.Warning),
		rule(ruleUnused, "An acknowledgement is for nothing that is found.", policy.Advisory),
	}
}

// scan is one run.
type scan struct {
	in       Input
	entries  []ack.Entry
	broken   *report.Problem // of the file of acknowledgements
	planned  []planned
	unlisted []report.Problem
}

func newScan(in Input) *scan {
	s := &scan{in: in, entries: in.Entries}
	if in.Entries == nil {
		s.entries, s.broken = Entries(in.Tree)
	}
	return s
}

// Entries reads the acknowledgements of a tree. A file that is not there is
// empty; one that can't be read is a problem, and no entry of it counts. The
// file itself must be at its place, and not a link to another.
func Entries(fsys fs.FS) ([]ack.Entry, *report.Problem) {
	info, err := lstat(fsys)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("is not a plain file: put the file itself there")
	}
	var data []byte
	if err == nil {
		files := tree.Tree{FS: fsys, Limit: ack.MaxFile}
		data, err = files.Read(ack.Path)
	}
	if err != nil {
		return nil, &report.Problem{File: ack.Path, Message: "the file " + tree.Why(err)}
	}
	entries, err := ack.Parse(data)
	if at, ok := errors.AsType[*ack.SyntaxError](err); ok {
		return nil, &report.Problem{File: ack.Path, Line: at.Line, Message: at.Message + "; until the file is mended, no acknowledgement counts"}
	}
	return entries, nil
}

// lstat looks at the file without following a link, where the tree has links.
func lstat(fsys fs.FS) (fs.FileInfo, error) {
	if links, ok := fsys.(fs.ReadLinkFS); ok {
		return links.Lstat(ack.Path)
	}
	return fs.Stat(fsys, ack.Path)
}

// acknowledgements tells of the file; its entries are told by tell.
func (s *scan) acknowledgements(_ context.Context, o *Outcome) error {
	if s.broken != nil {
		o.Problems = append(o.Problems, *s.broken)
	}
	if len(s.entries) > 0 {
		o.Files = append(o.Files, ack.Path)
	}
	return nil
}

// acknowledge lifts the blockers that a reviewer signed for, of all outcomes
// together, and returns what is said of the entries. What two checks tell of one
// instruction is counted for each.
func (s *scan) acknowledge(outcomes []Outcome) []Acknowledged {
	var found []lens.Shadowed
	var subjects []ack.Subject
	var from []*lens.Shadowed
	for i := range outcomes {
		o := &outcomes[i]
		for j := range o.Findings {
			if f := &o.Findings[j]; f.Severity == policy.Blocker {
				found, subjects, from = append(found, *f), append(subjects, o.Subjects[j]), append(from, f)
			}
		}
	}
	r := ack.Acknowledge(found, subjects, s.entries, s.in.Trust, s.in.Now)
	for i, f := range from {
		f.Acknowledged = found[i].Acknowledged
	}
	all := make([]Acknowledged, len(s.entries))
	for i, e := range s.entries {
		all[i] = Acknowledged{e, r.Entries[i]}
	}
	return all
}

// tell makes findings of the entries that a person should look at.
func (s *scan) tell(entries []Acknowledged, o *Outcome) {
	for _, e := range entries {
		rule, severity := ruleInvalid, policy.Warning
		switch e.State {
		case ack.Good:
			continue
		case ack.Expiring:
			rule = ruleExpiring
		case ack.Unused:
			rule, severity = ruleUnused, policy.Advisory
		}
		f := lens.Apply(policy.Finding{
			Rule: rule, Class: policy.Validation, Severity: severity,
			Message:  policy.Line(fmt.Sprintf("the acknowledgement of %s by %s: %s", e.Rule, e.Principal, e.Why)),
			Location: &policy.Location{File: ack.Path, Start: policy.Position{Line: e.Line}},
			Tool:     policy.Tool{Name: policy.ToolName},
		})
		o.Findings, o.Subjects = append(o.Findings, f), append(o.Subjects, ack.NewSubject(f.Finding, ""))
	}
}
