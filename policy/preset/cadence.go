package preset

import "time"

// Cadence is when a preset is due: a cron line by the clock of a zone.
type Cadence struct {
	Cron Cron
	// Zone is one of [ParseZone].
	Zone *time.Location
}

// Period is the time from one firing of a cadence to the next. It is named by
// what the clock of its zone was to show: that name is the same whatever becomes
// of daylight saving time, and stands once for a time that comes twice.
type Period struct {
	// Local is the date and the time of day, as 2006-01-02T15:04.
	Local string `json:"local"`
	Zone  string `json:"zone"`
	// Start is the first moment at which the clock showed that time or a later
	// one.
	Start time.Time `json:"start"`
}

// minutes is the layout of Period.Local.
const minutes = "2006-01-02T15:04"

// IsZero reports whether p is no period.
func (p Period) IsZero() bool { return p == Period{} }

// same reports whether both are one period.
func (p Period) same(q Period) bool { return p.Local == q.Local && p.Zone == q.Zone }

func (c Cadence) period(wall time.Time) Period {
	return Period{wall.Format(minutes), c.Zone.String(), reached(wall, c.Zone)}
}

// Current returns the latest period that began at now or before; it is zero for a
// line without a date in [searchYears].
func (c Cadence) Current(now time.Time) Period {
	wall := furthest(now, c.Zone).Truncate(time.Second)
	wall = c.Cron.schedule.Prev(wall.Add(time.Second)) // before that second, so at wall at the latest
	if wall.IsZero() {
		return Period{}
	}
	return c.period(wall)
}

// Next returns the first period that begins after t.
func (c Cadence) Next(t time.Time) Period {
	wall := c.Cron.schedule.Next(furthest(t, c.Zone))
	if wall.IsZero() {
		return Period{}
	}
	return c.period(wall)
}

// The clock of a zone jumps ahead and is put back. Cron lines are evaluated on a
// clock that does neither, which is written as UTC here: reached leads from a time
// on it to the moment when the zone's clock gets there, and furthest leads back.

// widest is more than any zone is away from UTC.
const widest = 26 * time.Hour

// reached returns the first moment at which the zone's clock shows wall or a later
// time: for a time that is skipped the moment of the jump, for one that comes
// twice the first time.
func reached(wall time.Time, zone *time.Location) time.Time {
	at := wall.Add(-widest)
	for {
		_, offset := at.In(zone).Zone()
		end := offsetEnds(at, zone)
		shown := wall.Add(-time.Duration(offset) * time.Second)
		if shown.Before(at) {
			shown = at
		}
		if end.IsZero() || shown.Before(end) {
			return shown.UTC()
		}
		at = end
	}
}

// offsetEnds returns when the zone's offset at a moment ends, or an earlier time
// after that moment; zero if it never ends. For December 31 of leap years after
// 2037, Go 1.26's ZoneBounds returns an end that has passed already.
func offsetEnds(at time.Time, zone *time.Location) time.Time {
	_, end := at.In(zone).ZoneBounds()
	if !end.IsZero() && !end.After(at) {
		return at.Add(time.Hour)
	}
	return end
}

// furthest returns the latest time that the zone's clock has shown until now: what
// it showed before it was put back, if it is not there again.
func furthest(now time.Time, zone *time.Location) time.Time {
	wall := asUTC(now.In(zone))
	start, _ := now.In(zone).ZoneBounds()
	for !start.IsZero() && now.Sub(start) < widest {
		before := start.Add(-time.Nanosecond)
		if earlier := asUTC(before.In(zone)); earlier.After(wall) {
			wall = earlier
		}
		start, _ = before.In(zone).ZoneBounds()
	}
	return wall
}

// asUTC is what the clock of t's zone shows, as if it were UTC.
func asUTC(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
