package floors

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/manifest"
)

// policy answers for what is wrong with the policy and the database themselves.
func (c *checker) policy() []Verdict {
	var all []Verdict
	for _, name := range slices.Sorted(maps.Keys(c.config.Floors)) {
		for _, f := range c.config.Floors[name] {
			if config.Expired(f.Expires, c.in.Today) {
				all = append(all, c.ended(f.Line, "the floor of "+name, f.Expires, "it holds all the same: look at it again, and write a new date"))
			}
		}
	}
	for _, e := range c.config.Exceptions {
		if config.Expired(e.Expires, c.in.Today) {
			what := e.Name
			if e.ID != "" {
				what = e.ID
			}
			all = append(all, c.ended(e.Line, "the exception for "+what, e.Expires, "it lifts nothing any more: take it out, or review it and write a new date"))
		}
	}
	for _, i := range c.config.Advisories.Ignore {
		if config.Expired(i.Expires, c.in.Today) {
			all = append(all, c.ended(i.Line, "the distrust of "+i.ID, i.Expires, "the record counts again: take the entry out, or review it and write a new date"))
		}
	}
	return append(all, c.age()...)
}

// ended answers for what had its last day.
func (c *checker) ended(line int, what string, last time.Time, todo string) Verdict {
	v := Verdict{
		Answer: ByPolicy, File: c.config.Name, Span: wholeLine(line),
		Message: fmt.Sprintf("%s ended on %s; %s", policy.Line(what), last.Format(time.DateOnly), todo),
	}
	c.rate(&v, nil, rulePolicy, config.Fail)
	return v
}

// wholeLine is a line of which no column is known.
func wholeLine(line int) manifest.Span {
	p := manifest.Position{Offset: -1, Line: line}
	return manifest.Span{Start: p, End: p}
}

// age answers for a database that is missing or too old. It fails if the policy
// says which one is to be used, or how old it may be.
func (c *checker) age() []Verdict {
	d := c.config.Database
	message := ""
	switch {
	case c.in.Database == nil && d.Source == config.NoDatabase:
		return nil
	case c.in.Database == nil:
		message = "there is no advisory database, so only the floors of the policy were checked: run loopxctl floors update"
		if d.Source == "" {
			message += fmt.Sprintf(", or write database: {source: %s} in %s", config.NoDatabase, config.File)
		}
	case c.in.Snapshot.Older(c.in.Today, d.Oldest()):
		message = c.old(d.Oldest())
	default:
		return nil
	}
	v := Verdict{Answer: Unprovable, Message: message}
	if d.Line > 0 {
		v.File, v.Span = c.config.Name, wholeLine(d.Line)
	}
	c.rate(&v, nil, ruleDatabase, config.Fail)
	if d.Source != "" || d.MaxAge != 0 {
		v.Severity = blocker
	}
	return []Verdict{v}
}

// old says how old the database is.
func (c *checker) old(most time.Duration) string {
	const todo = "what came out since is not known: run loopxctl floors update"
	age, ok := c.in.Snapshot.Age(c.in.Today)
	if !ok {
		return "the age of the advisory database is not known, and " + todo
	}
	return fmt.Sprintf("the newest advisory is %s old, and %s are allowed; %s", Days(age), Days(most), todo)
}

// Days is a time as people say it.
func Days(d time.Duration) string {
	const day = 24 * time.Hour
	n, unit := int(d/day), "day"
	if d < 2*day && d%day != 0 {
		n, unit = int(d/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// database says which advisories the check had.
func (c *checker) database() Database {
	if c.in.Database == nil {
		return Database{}
	}
	return Database{Loaded: true, Snapshot: c.in.Snapshot, Records: c.in.Database.Stats().Records}
}
