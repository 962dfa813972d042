package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
)

// Report is what is written.
type Report struct {
	// Command is what was asked, as the JSON document names it: "check-public".
	Command string
	// Tool is what asked. Findings of other tools are written with their tool's
	// name.
	Tool Tool
	// Findings need not be seen through a lens: a severity is written as it is.
	Findings []lens.Shadowed
	// Rules describe the rules of the findings; one may be missing.
	Rules []Rule
	// Sources are the texts of files, by the File of locations; one may be
	// missing. Columns count bytes of them.
	Sources map[string]string
	// Files are the names of all files that were looked at.
	Files []string
	// Problems are what could not be looked at.
	Problems []Problem
	// Stopped is true if something blocks that is no finding, such as a
	// validation that failed.
	Stopped bool
	// Audit makes every blocker a warning.
	Audit bool
	// Withheld are the findings that [Public] took out, and Pointer is the
	// sentence that says where they are.
	Withheld []Withheld
	Pointer  string
	// unquoted keeps the lines of Sources from being shown.
	unquoted bool
}

// Tool is what made a report.
type Tool struct {
	policy.Tool
	// URI is a page about it; "" if there is none.
	URI string
}

// Rule describes one kind of finding.
type Rule struct {
	Name        string
	Description string // one line
	Class       policy.Class
	Severity    policy.Severity
	// Help is a page about the rule; "" if there is none.
	Help string
	// Family is all that is said of the rule in public, if its findings are
	// sensitive; "" stands for what [Public] says of rules that are not known.
	Family string
	// Secret is true if the text at a finding may be a secret of any shape. The
	// lines of such a finding are never shown, in findings of other rules
	// neither.
	Secret bool
}

// Problem is something that could not be looked at.
type Problem struct {
	File    string
	Line    int // 0 if not known
	Message string
}

// Withheld counts sensitive findings of one family that block alike.
type Withheld struct {
	Family   string
	Severity policy.Severity // as it counts
	Count    int
}

// Blocking reports whether a finding stops what is asked about, be it withheld,
// or something else does. Problems do not block: that something could not be
// looked at is no verdict.
func (r *Report) Blocking() bool {
	withheld := func(w Withheld) bool { return w.Severity == policy.Blocker }
	return r.Stopped || slices.ContainsFunc(r.Findings, r.blocks) || slices.ContainsFunc(r.Withheld, withheld)
}

func (r *Report) blocks(s lens.Shadowed) bool { return judged(s).Blocks() && !r.Audit }

// judged is s, as a blocker if its severity is not known.
func judged(s lens.Shadowed) lens.Shadowed {
	if _, err := policy.ParseSeverity(string(s.Severity)); err != nil {
		s.Severity = policy.Blocker
	}
	return s
}

// severity is a severity as it counts; one that is not known is a blocker.
func (r *Report) severity(s policy.Severity) policy.Severity {
	switch {
	case s == policy.Warning || s == policy.Advisory:
		return s
	case r.Audit:
		return policy.Warning
	}
	return policy.Blocker
}

// rules are Rules by name.
func (r *Report) rules() map[string]Rule {
	all := map[string]Rule{}
	for _, rule := range r.Rules {
		all[rule.Name] = rule
	}
	return all
}

// Painter colours text for a terminal.
type Painter interface {
	Bold(string) string
	Faint(string) string
	Red(string) string
	Yellow(string) string
}

// Writer writes reports in one format.
type Writer interface {
	// Write writes all of a report. The error is one of w.
	Write(w io.Writer, r Report) error
}

// Formats returns the names of all formats, that for people first.
func Formats() []string { return []string{"text", "json", "sarif", "github", "junit"} }

// New returns the writer of a format. Only text is painted; p may be nil. It
// returns nil for a name that [Formats] does not have.
func New(format string, p Painter) Writer {
	switch format {
	case "text":
		return Text{Paint: p}
	case "json":
		return JSON{}
	case "sarif":
		return SARIF{}
	case "github":
		return GitHub{}
	case "junit":
		return JUnit{}
	}
	return nil
}

// worst is the more severe of two severities as they count.
func worst(a, b policy.Severity) policy.Severity {
	all := policy.Severities()
	if cmp.Compare(slices.Index(all, a), slices.Index(all, b)) <= 0 {
		return a
	}
	return b
}
