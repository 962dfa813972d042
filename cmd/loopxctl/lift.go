package main

import (
	"context"
	"slices"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/rewrite"
)

// blocker is one that a reviewer may have signed for.
type blocker struct {
	*lens.Shadowed
	subject ack.Subject
	// again says that its file was named before, so that it is no further
	// occurrence.
	again bool
}

// signable are the blockers of a run.
type signable struct {
	blockers []blocker
	// inInstructions says that the blockers are in instructions of Dockerfiles.
	inInstructions bool
	// about reports whether an entry is about what was looked at, be it that no
	// finding is left of it. It is nil where only the findings tell.
	about func(*ack.Entry) bool
}

// ofDockerfiles are the blockers of Dockerfiles. For a file outside of the root
// nobody can have signed.
func ofDockerfiles(r *report.Report) signable {
	s := signable{inInstructions: true}
	paths := map[string]bool{}
	for _, f := range r.Files {
		if f.Path == "" || f.Plan == nil {
			continue
		}
		for i := range f.Findings {
			if b := &f.Findings[i]; b.Severity == policy.Blocker {
				s.blockers = append(s.blockers, blocker{b, f.Subject(i), paths[f.Path]})
			}
		}
		paths[f.Path] = true
	}
	s.about = func(e *ack.Entry) bool { return paths[e.File] && e.Instruction != "" && isRule(e.Rule) }
	return s
}

// ofTools are the blockers of other tools, which are in no instruction.
func ofTools(shadowed []lens.Shadowed) signable {
	var s signable
	for i := range shadowed {
		if b := &shadowed[i]; b.Severity == policy.Blocker {
			s.blockers = append(s.blockers, blocker{b, ack.NewSubject(b.Finding, ""), false})
		}
	}
	return s
}

// isRule reports whether a rule is one of ours.
func isRule(name string) bool {
	return slices.ContainsFunc(rewrite.Rules(), func(r rewrite.Rule) bool { return r.Name == name })
}

// lift marks the blockers that a reviewer signed for, and tells which entries
// end soon or don't count; terse keeps what they say from being told. What is
// trusted is read only if an entry concerns the run.
func (a *acceptance) lift(ctx context.Context, root string, s signable, terse bool) error {
	name, _, entries, err := readAcknowledgements(root)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e ack.Entry) bool { return !s.concerned(&e) })
	if len(entries) == 0 {
		return nil
	}
	trust, err := a.trust(ctx, &a.trustFlags, root)
	if err != nil {
		return err
	}
	if trust.Source != "" {
		trust.Repository, _ = a.id(ctx, root) // without one no entry counts, and says so
	}
	r := &ackReport{file: name, trust: trust, entries: entries, verdicts: s.acknowledge(entries, trust)}
	if trust.Source == "" {
		a.tellNoSource(r)
		return nil
	}
	a.tell(r, s.needing(r), terse)
	return nil
}

// concerned reports whether an entry is about what was looked at. One for the
// finding of a tool says nothing about an instruction, and the other way round.
func (s *signable) concerned(e *ack.Entry) bool {
	if s.about != nil && s.about(e) {
		return true
	}
	return slices.ContainsFunc(s.blockers, func(b blocker) bool {
		return b.subject == e.Subject || b.alike(e) && s.inInstructions == (e.Instruction != "")
	})
}

// alike reports whether an entry is about the blocker, apart from the form that
// its instruction had.
func (b blocker) alike(e *ack.Entry) bool {
	subject := b.subject
	subject.Instruction = e.Instruction
	return subject == e.Subject
}

// acknowledge marks the blockers, and returns what is said of the entries.
func (s *signable) acknowledge(entries []ack.Entry, trust ack.Trust) []ack.Verdict {
	var found []lens.Shadowed
	var subjects []ack.Subject
	for _, b := range s.blockers {
		if !b.again {
			found, subjects = append(found, *b.Shadowed), append(subjects, b.subject)
		}
	}
	result := ack.Acknowledge(found, subjects, entries, trust, now())
	granted := map[ack.Subject]*lens.Acknowledgement{}
	for i, f := range found {
		if by := f.Acknowledged; by != nil {
			granted[subjects[i]] = by
		}
	}
	for _, b := range s.blockers {
		b.Acknowledged = granted[b.subject]
	}
	return result.Entries
}

// needing are the entries that a person should know of, by their index.
func (s *signable) needing(r *ackReport) []int {
	var all []int
	for i, v := range r.verdicts {
		open := func(b blocker) bool { return b.Acknowledged == nil && b.alike(&r.entries[i]) }
		switch {
		case v.State == ack.Good && !v.Unsigned:
		case v.State == ack.Changed && !slices.ContainsFunc(s.blockers, open): // it was signed for anew
		default:
			all = append(all, i)
		}
	}
	return all
}

// tell notes which entries end soon or don't count, and why.
func (p *program) tell(r *ackReport, which []int, terse bool) {
	if terse && len(which) > 0 {
		p.note("loopxctl: note: %s: \"loopxctl ack verify\" tells more",
			count(len(which), "acknowledgement ends soon, or does not count", "acknowledgements end soon, or do not count"))
		return
	}
	for _, i := range which {
		p.note("loopxctl: note: %s", r.line(i, paint.Painter(false)))
	}
	if len(which) > 0 && r.trust.Repository == "" {
		p.note("Name the repository that is checked: --repository HOST/PATH")
	}
}

// tellNoSource notes that no entry counts, and what to do about it.
func (p *program) tellNoSource(r *ackReport) {
	count := count(len(r.entries), "acknowledgement", "acknowledgements")
	p.note("loopxctl: note: %s: %s of what is found here, and none counts: it is not said whose signatures do", printable(r.file), count)
	p.note("Name the signers, from outside of the change: --trusted-ref origin/main (the tip of the protected branch), --policy FOLDER, or --allowed-signers FILE")
}
