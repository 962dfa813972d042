package osv

import "time"

// Snapshot says which state of an advisory database an answer comes from.
type Snapshot struct {
	// Source is where it was read from, without secrets.
	Source string
	// SHA256 is that of the bytes that were read, in hexadecimal; of a folder,
	// of all its files; "" where there is no such thing.
	SHA256 string
	// Fetched is when it was brought from the network; zero for local files.
	Fetched time.Time
	// Newest is the last change of a record; zero if no record has one.
	Newest time.Time
	// Records are those about Python projects.
	Records int
	// Live: the records were asked for one by one when they were fetched, so
	// that Newest says nothing about what is missing.
	Live bool
}

// Age is how long ago the database knew the last that it knows: the time since
// the newest record, since a copy of an old state may have been fetched today.
// For one that is Live it is the time since it was asked. ok is false if that
// is unknown, which is no better than old.
func (s Snapshot) Age(now time.Time) (age time.Duration, ok bool) {
	last := s.Newest
	if s.Live {
		last = s.Fetched
	}
	if last.IsZero() {
		return 0, false
	}
	return max(0, now.Sub(last)), true
}

// Older reports whether the database is older than most, or its age unknown.
func (s Snapshot) Older(now time.Time, most time.Duration) bool {
	age, ok := s.Age(now)
	return !ok || age > most
}
