package policy

// Status is how a validation ended.
type Status string

// The ways in which a validation ends.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// ParseStatus returns the status that s spells. The error lists all of them.
func ParseStatus(s string) (Status, error) {
	return parse("status", s, []Status{Passed, Failed, Skipped})
}

// Check is one validation: a test run, a scan, a review step. One that failed
// blocks, and so does one that was skipped although it was required.
type Check struct {
	// Name says what was validated, in a few words.
	Name     string
	Status   Status
	Required bool
	// Class decides the lens; "" counts as [Validation].
	Class Class
	// Message says why it ended so; "" if nothing is known.
	Message string
	Tool    Tool
}

// Blocks reports whether the validation stops what it is asked about. A status
// that is not known does.
func (c Check) Blocks() bool {
	switch c.Status {
	case Passed:
		return false
	case Skipped:
		return c.Required
	}
	return true
}

// Intake is what one input says: the findings and the validations of one or
// more tools, in the order of the input.
type Intake struct {
	Findings []Finding
	Checks   []Check
	// Notes are about the input itself, one line each: what in it was not
	// understood and does no harm.
	Notes []string
}
