package preset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/preset"
)

func TestDue(t *testing.T) {
	t.Parallel()
	weekly := cadence(t, "0 6 * * 1", "UTC")
	ran := func(local, finished string) preset.Run {
		return preset.Run{
			Period:   preset.Period{Local: local, Zone: "UTC", Start: moment(t, local+":00Z")},
			Finished: moment(t, finished),
		}
	}
	for _, tc := range []struct {
		name, now string
		runs      []preset.Run
		want      string
	}{
		{"never run", "2026-11-30T07:00:00Z", nil, "overdue since 2026-11-30T06:00 (1), next 2026-12-07T06:00"},
		{"run", "2026-11-30T07:00:00Z", []preset.Run{ran("2026-11-30T06:00", "2026-11-30T06:01:00Z")}, "next 2026-12-07T06:00"},
		{"last week's", "2026-11-30T07:00:00Z", []preset.Run{ran("2026-11-23T06:00", "2026-11-23T06:01:00Z")}, "overdue since 2026-11-30T06:00 (1), next 2026-12-07T06:00"},
		{"not yet", "2026-11-30T05:59:59Z", []preset.Run{ran("2026-11-23T06:00", "2026-11-23T06:01:00Z")}, "next 2026-11-30T06:00"},
		{"missed", "2026-11-30T07:00:00Z", []preset.Run{ran("2026-11-02T06:00", "2026-11-02T06:01:00Z")}, "overdue since 2026-11-09T06:00 (4), next 2026-12-07T06:00"},
		{"one catch-up", "2026-11-30T08:00:00Z", []preset.Run{ran("2026-11-02T06:00", "2026-11-02T06:01:00Z"), ran("2026-11-30T06:00", "2026-11-30T07:01:00Z")}, "next 2026-12-07T06:00"},
		{"the clock went back a week", "2026-11-24T07:00:00Z", []preset.Run{ran("2026-11-23T06:00", "2026-11-23T06:01:00Z"), ran("2026-11-30T06:00", "2026-11-30T06:01:00Z")}, "next 2026-12-07T06:00, ahead"},
		{"the clock went back a minute", "2026-11-30T06:00:00Z", []preset.Run{ran("2026-11-30T06:00", "2026-11-30T06:01:00Z")}, "next 2026-12-07T06:00, ahead"},
		{"the clock was years ahead", "2026-11-30T07:00:00Z", []preset.Run{ran("2026-11-23T06:00", "2026-11-23T06:01:00Z"), ran("2099-11-30T06:00", "2099-11-30T06:01:00Z")}, "overdue since 2026-11-30T06:00 (1), next 2026-12-07T06:00, ahead"},
		{"the clock was years ahead until the run ended", "2026-11-30T07:00:00Z", []preset.Run{ran("2099-11-30T06:00", "2026-11-23T06:01:00Z")}, "overdue since 2026-11-30T06:00 (1), next 2026-12-07T06:00, ahead"},
		{"many missed", "2126-11-30T07:00:00Z", []preset.Run{ran("2026-11-02T06:00", "2026-11-02T06:01:00Z")}, "overdue since 2026-11-09T06:00 (100), next 2126-12-02T06:00"},
	} {
		d := weekly.Due(moment(t, tc.now), tc.runs)
		got := ""
		if d.Overdue {
			got = fmt.Sprintf("overdue since %s (%d), ", d.Since.Local, d.Missed)
		}
		got += "next " + d.Next.Local
		if d.Ahead {
			got += ", ahead"
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// TestOtherCadence: a run by the old cadence or zone settles what it covered.
func TestOtherCadence(t *testing.T) {
	t.Parallel()
	ran := []preset.Run{{
		Period:   preset.Period{Local: "2026-11-30T06:00", Zone: "UTC", Start: moment(t, "2026-11-30T06:00:00Z")},
		Finished: moment(t, "2026-11-30T06:01:00Z"),
	}}
	for _, tc := range []struct {
		line, zone string
		overdue    bool
	}{
		{"0 6 * * 1", "Europe/Berlin", false}, {"0 7 * * 1", "UTC", true}, {"0 8 * * 1", "UTC", false},
	} {
		if d := cadence(t, tc.line, tc.zone).Due(moment(t, "2026-11-30T07:30:00Z"), ran); d.Overdue != tc.overdue {
			t.Errorf("%s %s: %+v", tc.line, tc.zone, d)
		}
	}
}

// TestExactlyOnce holds over random lines, zones and histories that a period is
// run once at the most, whatever the clock does, and exactly once while it runs as
// it should and somebody looks in every period.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		exactlyOnce(t, seed)
	}
}

// FuzzExactlyOnce is TestExactlyOnce over other seeds.
func FuzzExactlyOnce(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { exactlyOnce(t, seed) })
}

func exactlyOnce(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	c := cadence(t, randomLaw(r).line, zones()[r.IntN(len(zones()))])
	wrong, missing := r.IntN(2) == 0, r.IntN(2) == 0
	at := time.Date(2024+r.IntN(4), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
	var runs []preset.Run
	seen := map[string]bool{}
	for range 60 {
		next := c.Next(at)
		at = next.Start.Add(time.Duration(r.Int64N(int64(time.Minute))))
		if missing {
			at = at.Add(time.Duration(r.Int64N(int64(40 * 24 * time.Hour))))
		}
		now := at
		if wrong && r.IntN(4) == 0 {
			now = at.Add(time.Duration(r.Int64N(int64(90*24*time.Hour))) - 60*24*time.Hour)
		}
		for range 1 + r.IntN(3) { // it is asked more than once
			d := c.Due(now, runs)
			if d.Overdue {
				name := d.Period.Local + d.Period.Zone
				if seen[name] {
					t.Fatalf("seed %d: %s is run twice: %+v", seed, name, runs)
				}
				seen[name] = true
				runs = append(runs, preset.Run{Period: d.Period, Finished: now})
			}
			if again := c.Due(now, runs); again.Overdue || !again.Next.IsZero() && !again.Next.Start.After(now) {
				t.Fatalf("seed %d: due after the run: %+v", seed, again)
			}
			now = now.Add(time.Duration(r.Int64N(int64(time.Second))))
		}
		if want := c.Current(at); !wrong && !seen[want.Local+want.Zone] {
			t.Fatalf("seed %d: %s was not run at %v", seed, want.Local, at)
		}
	}
	if !wrong && len(runs) != len(seen) {
		t.Fatalf("seed %d: %d runs of %d periods", seed, len(runs), len(seen))
	}
	// Whatever the clock was, what the right one says is done or due.
	if d := c.Due(at, runs); !d.Overdue && !seen[d.Period.Local+d.Period.Zone] {
		for _, run := range runs {
			if !run.Period.Start.Before(d.Period.Start) && !run.Finished.After(at) {
				return
			}
		}
		t.Fatalf("seed %d: the cadence is silent: %+v", seed, d)
	}
}

func TestWrongLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"0 6 * *":               `a cron line has five fields (minute, hour, day of the month, month, day of the week), and this has 4: write one such as "0 6 * * 1"`,
		"":                      `a cron line has five fields (minute, hour, day of the month, month, day of the week), and this has 0: write one such as "0 6 * * 1"`,
		"@weekly":               `names such as "@weekly" are not read: write the five fields, such as "0 6 * * 1"`,
		"TZ=Asia/Tokyo 0 6 * *": `the zone does not stand in the cron line: write zone: Asia/Tokyo beside it`,
		"CRON_TZ=":              `the zone does not stand in the cron line: write zone: Europe/Berlin beside it`,
		"60 6 * * 1":            `the minute "60" cannot be used: end of range (60) above maximum (59): "60"; it goes from 0 to 59`,
		"0 25 * * 1":            `the hour "25" cannot be used: end of range (25) above maximum (23): "25"; it goes from 0 to 23`,
		"0 6 0 * *":             `the day of the month "0" cannot be used: beginning of range (0) below minimum (1): "0"; it goes from 1 to 31`,
		"0 6 * 1/3 *":           `the month "1/3" cannot be used: a step needs a range: write 1-12/3`,
		"0 /3 * * *":            `the hour "/3" cannot be used: a step needs a range: write 0-23/3`,
		"0 6 ? * 1":             `the day of the month "?" cannot be used: write *, a number, a range such as 1-5, a step such as */2, or several with commas`,
		"0 6 , * 1":             `the day of the month "," cannot be used: write *, a number, a range such as 1-5, a step such as */2, or several with commas`,
		"0 6 L * *":             "",
		"0 6 * * MON#2":         `the day of the week "MON#2" cannot be used: write *, a number, a range such as 1-5, a step such as */2, or several with commas`,
		"0 6 * * moon":          "",
		"0 6 */2 * 1":           `"*/2" beside "1" in the fields of days means one thing to some crons and another to others: write the days out, such as 1-31/2`,
		"0 6 30 2 *":            `no day fits: the month has no such day of the month`,
		"0 H * * *":             "",
		"0 \x1b[31m * * *":      "",
	} {
		switch _, err := preset.ParseCron(line); {
		case err == nil:
			t.Errorf("%q is read", line)
		case want != "" && err.Error() != want:
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestPortable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"0  6 * * mon-fri":   "0 6 * * 1,2,3,4,5",
		"*/20 0 1 JAN,jun *": "0,20,40 0 1 1,6 *",
		"0 22-2 * * 7":       "0 0,1,2,22,23 * * 0",
		"*/1 * * * *":        "* * * * *",
		"0 6 */10 * *":       "0 6 1,11,21,31 * *",
	} {
		c, err := preset.ParseCron(line)
		if err != nil || c.Portable() != want {
			t.Errorf("%q: %q, %v, want %q", line, c.Portable(), err, want)
		}
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Europe/Berlin":    "",
		"UTC":              "",
		"Local":            `"Local" is no name of the IANA time zone database: write one such as Europe/Berlin, or UTC`,
		"":                 `"" is no name of the IANA time zone database: write one such as Europe/Berlin, or UTC`,
		"europe/berlin":    `"europe/berlin" is no name of the IANA time zone database (did you mean Europe/Berlin?)`,
		"America/New York": `"America/New York" is no name of the IANA time zone database (did you mean America/New_York?)`,
		"Tokyo":            `"Tokyo" is no name of the IANA time zone database (did you mean Asia/Tokyo?)`,
		"utc":              `"utc" is no name of the IANA time zone database (did you mean UTC?)`,
		"../etc/passwd":    `"../etc/passwd" is no name of the IANA time zone database: write one such as Europe/Berlin, or UTC`,
		"\x1b[31m":         `"\x1b[31m" is no name of the IANA time zone database: write one such as Europe/Berlin, or UTC`,
	} {
		_, err := preset.ParseZone(name)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", name, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
