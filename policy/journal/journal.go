// Package journal keeps records of runs: JSON lines in a folder, to which one is
// added at the end of each run and from which none is taken.
//
//	journal.jsonl  the records, oldest first
//	torn.jsonl     what was cut off a record by a crash, if that ever happened
//	lock           held by the run that is going on
//
// A record is there whole or not at all. It holds no text of a finding.
package journal

import (
	"time"

	"github.com/loopx/loopx-frontend/policy/diagnostic"
	"github.com/loopx/loopx-frontend/policy/preset"
)

// Version is the form of the records that are written, and the newest that is
// read.
const Version = 1

// Record is one run that came to its end.
type Record struct {
	Version int `json:"version"`
	// ID is random, and names the run.
	ID string `json:"id"`
	// Project says what was looked at, where several share a folder: a digest of what
	// names it, "" in records of which it is not known.
	Project string `json:"project,omitempty"`
	// Preset is the preset's ID, and Trigger what started the run.
	Preset  string `json:"preset"`
	Trigger string `json:"trigger"`
	// Period is nil if the run is for none.
	Period   *preset.Period `json:"period,omitempty"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished"`
	// ClockBack is how many seconds Finished lies before that of a run that was
	// recorded earlier: a clock was wrong. Append sets it.
	ClockBack int64 `json:"clock_back,omitempty"`
	// Tool is the version of the program.
	Tool string `json:"tool"`
	// Commit is what was checked, "" outside of a repository; Dirty says that
	// files differed from it.
	Commit string `json:"commit,omitempty"`
	Dirty  bool   `json:"dirty,omitempty"`
	// Mode is that of the preset; see there.
	Mode string `json:"mode,omitempty"`
	// Decision is the verdict.
	Decision Decision `json:"decision"`
	// Counts are numbers of findings and problems, by name.
	Counts map[string]int `json:"counts,omitempty"`
	// Report is the SHA-256 of the report of the run, in hexadecimal.
	Report string `json:"report,omitempty"`
}

// Decision is the verdict of a run.
type Decision string

// The verdicts.
const (
	// Passed: nothing blocks.
	Passed Decision = "passed"
	// Blocked: something blocks.
	Blocked Decision = "blocked"
	// Reported: something blocks, and this run only reports.
	Reported Decision = "reported"
	// Failed: not all could be looked at.
	Failed Decision = "failed"
)

// Error is one failure of a journal.
type Error = diagnostic.Error
