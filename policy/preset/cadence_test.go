package preset_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the test is about zones, whatever the machine knows

	"github.com/loopx/loopx-frontend/policy/preset"
)

func cadence(t *testing.T, line, zone string) preset.Cadence {
	t.Helper()
	c, err := preset.ParseCron(line)
	if err != nil {
		t.Fatal(err)
	}
	z, err := preset.ParseZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	return preset.Cadence{Cron: c, Zone: z}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestClockChanges: a time that the clock skips is reached when it jumps, and one
// that it shows twice is reached the first time.
func TestClockChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, zone, now, local, start, next string }{
		{"0 6 * * 1", "UTC", "2026-11-30T05:59:59Z", "2026-11-23T06:00", "2026-11-23T06:00:00Z", "2026-11-30T06:00:00Z"},
		{"0 6 * * 1", "UTC", "2026-11-30T06:00:00Z", "2026-11-30T06:00", "2026-11-30T06:00:00Z", "2026-12-07T06:00:00Z"},
		{"0 6 * * 1", "Europe/Berlin", "2026-10-26T05:00:00Z", "2026-10-26T06:00", "2026-10-26T05:00:00Z", "2026-11-02T05:00:00Z"},
		{"0 6 * * 1", "Europe/Berlin", "2026-10-26T04:59:59Z", "2026-10-19T06:00", "2026-10-19T04:00:00Z", "2026-10-26T05:00:00Z"},
		// 02:30 does not exist on March 28, 2027, and comes twice on October 25, 2026.
		{"30 2 * * *", "Europe/Berlin", "2027-03-28T00:59:59Z", "2027-03-27T02:30", "2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2027-03-28T01:00:00Z", "2027-03-28T02:30", "2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		// Midnight does not exist on September 6, 2026.
		{"0 0 * * *", "America/Santiago", "2026-09-06T04:00:00Z", "2026-09-06T00:00", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"},
		// Half an hour is put ahead.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:30:00Z", "2026-10-04T02:15", "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"},
		// December 30, 2011 does not exist: the day line was moved.
		{"0 6 * * 5", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T06:00", "2011-12-30T10:00:00Z", "2012-01-05T16:00:00Z"},
		{"0 0 29 2 *", "UTC", "2027-01-01T00:00:00Z", "2024-02-29T00:00", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2103-01-01T00:00:00Z", "2096-02-29T00:00", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
		// Go's bounds of the zone are wrong on this day.
		{"0 6 * * *", "Europe/Berlin", "2040-12-31T12:00:00Z", "2040-12-31T06:00", "2040-12-31T05:00:00Z", "2041-01-01T05:00:00Z"},
		// One of the days is enough if both are restricted.
		{"0 0 13 * 5", "UTC", "2026-11-14T00:00:00Z", "2026-11-13T00:00", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"},
		{"0 0 13 * *", "UTC", "2026-11-14T00:00:00Z", "2026-11-13T00:00", "2026-11-13T00:00:00Z", "2026-12-13T00:00:00Z"},
	} {
		c := cadence(t, tc.line, tc.zone)
		now := moment(t, tc.now)
		got := c.Current(now)
		want := preset.Period{Local: tc.local, Zone: tc.zone, Start: moment(t, tc.start)}
		if got != want {
			t.Errorf("%s %s at %s: %+v, want %+v", tc.line, tc.zone, tc.now, got, want)
		}
		if next := c.Next(now); !next.Start.Equal(moment(t, tc.next)) {
			t.Errorf("%s %s after %s: next %v, want %s", tc.line, tc.zone, tc.now, next, tc.next)
		}
	}
}

// zones are those of the tests: with no clock changes, with those of both
// hemispheres, of half an hour, at midnight, and over the date line.
func zones() []string {
	return []string{
		"UTC", "Asia/Kolkata", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
		"Pacific/Apia", "Asia/Kathmandu", "Africa/Casablanca", "America/St_Johns", "Antarctica/Troll", "Europe/Dublin",
	}
}

// field is a random field of a line, and the values that it stands for.
func field(r *rand.Rand, low, high int) (string, map[int]bool) {
	set := map[int]bool{}
	switch r.IntN(4) {
	case 0:
		for v := low; v <= high; v++ {
			set[v] = true
		}
		return "*", set
	case 1:
		a := low + r.IntN(high-low+1)
		set[a] = true
		return strconv.Itoa(a), set
	case 2:
		a := low + r.IntN(high-low)
		b := a + 1 + r.IntN(high-a)
		for v := a; v <= b; v++ {
			set[v] = true
		}
		return fmt.Sprintf("%d-%d", a, b), set
	}
	var words []string
	for range 1 + r.IntN(3) {
		a := low + r.IntN(high-low+1)
		set[a] = true
		words = append(words, strconv.Itoa(a))
	}
	return strings.Join(words, ","), set
}

// law is a line as its meaning is documented, a minute at a time.
type law struct {
	line                          string
	minute, hour, dom, month, dow map[int]bool
}

func randomLaw(r *rand.Rand) law {
	var l law
	var m, h, d, mo, w string
	m, l.minute = field(r, 0, 59)
	h, l.hour = field(r, 0, 23)
	d, l.dom = field(r, 1, 31)
	mo, l.month = field(r, 1, 12)
	w, l.dow = field(r, 0, 6)
	l.line = strings.Join([]string{m, h, d, mo, w}, " ")
	return l
}

func (l law) fits(t time.Time) bool {
	words := strings.Fields(l.line)
	dom, dow := l.dom[t.Day()], l.dow[int(t.Weekday())]
	day := dom && dow
	if words[2] != "*" && words[4] != "*" {
		day = dom || dow
	}
	return day && l.minute[t.Minute()] && l.hour[t.Hour()] && l.month[int(t.Month())]
}

// TestMeaning compares the periods with a count of every minute.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := randomLaw(r)
		zone := zones()[r.IntN(len(zones()))]
		c := cadence(t, l.line, zone)
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2026, time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), 0, 0, time.UTC)
		// The clock of the zone as it moves on; what it shows again is no new time.
		latest := from.Add(-48 * time.Hour).In(place)
		shown := time.Date(latest.Year(), latest.Month(), latest.Day(), latest.Hour(), latest.Minute(), 0, 0, time.UTC)
		var fired []string
		for at := from.Add(-48 * time.Hour); at.Before(from.Add(60 * 24 * time.Hour)); at = at.Add(time.Minute) {
			z := at.In(place)
			wall := time.Date(z.Year(), z.Month(), z.Day(), z.Hour(), z.Minute(), 0, 0, time.UTC)
			for shown.Before(wall) {
				shown = shown.Add(time.Minute)
				if l.fits(shown) && !at.Before(from) {
					fired = append(fired, shown.Format("2006-01-02T15:04")+at.UTC().Format(" 01-02T15:04"))
				}
			}
			if at.Before(from) {
				continue
			}
			if len(fired) > 40 {
				break
			}
		}
		p := c.Next(from.Add(-time.Minute))
		seen := map[string]bool{}
		for _, f := range fired {
			seen[f] = true
		}
		for i := 0; i < len(fired) && i < 40; {
			got := p.Local + p.Start.Format(" 01-02T15:04")
			if !seen[got] {
				t.Fatalf("%s %s from %v: %s is none of %q", l.line, zone, from, got, fired)
			}
			// Of those that one jump reaches, the first one is told and the last
			// one is current.
			last := i
			for last+1 < len(fired) && fired[last+1][16:] == fired[i][16:] {
				last++
			}
			current := c.Current(p.Start)
			if fired[i] != got || current.Local+current.Start.Format(" 01-02T15:04") != fired[last] {
				t.Fatalf("%s %s from %v: next %s, want %s; then %v, want %s", l.line, zone, from, got, fired[i], current, fired[last])
			}
			i = last + 1
			p = c.Next(p.Start)
		}
	}
}
