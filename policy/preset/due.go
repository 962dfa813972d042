package preset

import (
	"slices"
	"time"
)

// Run is what the record of a run says about its period.
type Run struct {
	Period   Period
	Finished time.Time
}

// Due is the answer about a cadence at one moment.
type Due struct {
	// Period is the current one: it is due, or was run.
	Period Period
	// Overdue says that no run settles Period. One run does, however many periods
	// were missed before it.
	Overdue bool
	// Since is the first period that nothing settled, if Overdue.
	Since Period
	// Missed counts the periods from Since to Period, up to [MostMissed].
	Missed int
	// Next is the first period that begins after now and was not run yet.
	Next Period
	// Ahead is set if a run was recorded later than now: a clock was wrong.
	Ahead bool
}

// MostMissed is as far as missed periods are counted.
const MostMissed = 100

// Due decides whether a run is due, given those that were recorded.
//
// A period is settled by a run that was recorded for it, or for a later one. A
// run whose record or period is later than now settles its own period alone: a
// clock that was once years ahead, be it until the run ended, must not silence the
// cadence until then, and one that goes back must not fire a second time.
func (c Cadence) Due(now time.Time, runs []Run) Due {
	d := Due{Period: c.Current(now)}
	var last time.Time // start of the latest period that a run of the past settled
	settled := false
	for _, r := range runs {
		past := !r.Finished.After(now) && !r.Period.Start.After(now)
		switch {
		case !past:
			d.Ahead = true
		case r.Period.Start.After(last):
			last = r.Period.Start
		}
		settled = settled || r.Period.same(d.Period) || past && !r.Period.Start.Before(d.Period.Start)
	}
	d.Overdue = !settled && !d.Period.IsZero()
	d.Next = c.Next(now)
	for slices.ContainsFunc(runs, func(r Run) bool { return !d.Next.IsZero() && r.Period.same(d.Next) }) {
		d.Next = c.Next(d.Next.Start)
	}
	if d.Overdue {
		d.Since, d.Missed = c.missed(last, d.Period)
	}
	return d
}

// missed returns the first period after last, and how many there are up to the
// current one. Before the first run, nothing but the current one was missed.
func (c Cadence) missed(last time.Time, current Period) (Period, int) {
	if last.IsZero() || !last.Before(current.Start) {
		return current, 1
	}
	first := c.Next(last)
	n := 1
	for p := first; n < MostMissed && p.Start.Before(current.Start); n++ {
		p = c.Next(p.Start)
	}
	return first, n
}
