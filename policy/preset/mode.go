package preset

// Mode is what a run does about what blocks.
type Mode string

// The modes.
const (
	// ReportOnly tells, and fails nothing.
	ReportOnly Mode = "report_only"
	// ReportFirst tells in the first run that is recorded for the preset and the
	// trigger, and enforces from the second on: a project learns what is wrong
	// before anything stops it, and no later than after one period it stops.
	ReportFirst Mode = "policy_report_first"
	// Enforce fails.
	Enforce Mode = "enforce"
)

// Modes returns all of them.
func Modes() []Mode { return []Mode{ReportOnly, ReportFirst, Enforce} }

// Enforces reports whether a run by the trigger fails for what blocks, and may
// write what it was asked to. first says that no run of the preset by this trigger
// was recorded before. The gate of a release always enforces.
func (m Mode) Enforces(t Trigger, first bool) bool {
	switch {
	case t == Release || m == Enforce:
		return true
	case m == ReportFirst:
		return !first
	}
	return false
}
