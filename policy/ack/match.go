package ack

import (
	"fmt"
	"strings"
	"time"
)

// Verify judges entries as [Check] does, and against all findings of the
// checked tree: each element of findings is one occurrence, and those that are
// alike are counted. An entry lifts only findings whose rule, fingerprint, file
// and instruction are its own, and no more of them than it was signed for.
func Verify(entries []Entry, findings []Subject, t Trust, now time.Time) Result {
	r := Result{Entries: Check(entries, t, now), Findings: make([]Outcome, len(findings))}
	count := map[Subject]int{}
	for _, f := range findings {
		count[f]++
	}
	for i := range entries {
		fit(&entries[i], &r.Entries[i], count)
	}
	for i, f := range findings {
		r.Findings[i] = r.find(entries, f)
	}
	return r
}

// fit refuses an entry that fits the findings less than it says.
func fit(e *Entry, v *Verdict, count map[Subject]int) {
	n := count[e.Subject]
	switch {
	case !v.State.Counts():
	case n > e.Occurrences:
		v.State, v.Why = TooMany, fmt.Sprintf("it is signed for %d of these findings, and there are %d; mend the new one, or sign again for all", e.Occurrences, n)
	case n > 0:
	case elsewhere(e, count):
		v.State, v.Why = Changed, "the instruction has changed since it was signed; review it and sign again"
	default:
		v.State, v.Why = Unused, "no finding matches it; remove it"
	}
}

// elsewhere reports whether the finding is there, in a changed instruction.
func elsewhere(e *Entry, count map[Subject]int) bool {
	for s := range count {
		if s.alike(e.Subject) {
			return true
		}
	}
	return false
}

// alike reports whether only the instruction may differ.
func (s Subject) alike(o Subject) bool {
	s.Instruction = o.Instruction
	return s == o
}

// find says what became of a finding. An entry that counts is preferred, then
// one for just this, then one for the instruction as it was.
func (r *Result) find(entries []Entry, s Subject) Outcome {
	best, rank := -1, 0
	for i := range entries {
		n := 0
		switch {
		case entries[i].Subject == s && r.Entries[i].State.Counts():
			n = 3
		case entries[i].Subject == s:
			n = 2
		case entries[i].alike(s):
			n = 1
		}
		if n > rank {
			best, rank = i, n
		}
	}
	switch rank {
	case 0:
		return Outcome{Entry: -1, Why: "nobody has acknowledged it"}
	case 1:
		return Outcome{Entry: best, Why: by(&entries[best]) + " was for another form of the instruction; review it and sign again"}
	case 2:
		return Outcome{Entry: best, Why: by(&entries[best]) + " does not count: " + r.Entries[best].Why}
	}
	return Outcome{Acknowledged: true, Entry: best, Why: granted(&entries[best], &r.Entries[best])}
}

func by(e *Entry) string { return "the acknowledgement by " + e.Principal }

// granted says who lifted a finding, until when and why.
func granted(e *Entry, v *Verdict) string {
	how := "acknowledged"
	if v.Unsigned {
		how = "acknowledged without a signature, which the trusted policy allows,"
	}
	return fmt.Sprintf("%s by %s until %s: %s", how, e.Principal, date(e.Expires), oneLine(e.Reason))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
