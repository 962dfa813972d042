package ack

import (
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// Acknowledge verifies entries against findings, as [Verify] does, and marks the
// blockers among them that an entry lifts; other findings need none. subjects
// are those of the findings, in their order. What a mark says is redacted.
func Acknowledge(findings []lens.Shadowed, subjects []Subject, entries []Entry, t Trust, now time.Time) Result {
	r := Verify(entries, subjects, t, now)
	for i, out := range r.Findings {
		if f := &findings[i]; out.Acknowledged && f.Blocks() {
			e := entries[out.Entry]
			f.Acknowledged = &lens.Acknowledgement{
				Owner: policy.Line(e.Principal), Reason: policy.Line(e.Reason), Expires: date(e.Expires), Unsigned: r.Entries[out.Entry].Unsigned,
			}
		}
	}
	return r
}
