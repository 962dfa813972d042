package floors

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/osv"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Explanation is all that is known of one project.
type Explanation struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"`
	Name          string `json:"name"`
	Private       bool   `json:"private"`
	// Floor is the lowest bound above which no version at all is affected;
	// "" if there is none.
	Floor    string           `json:"floor,omitempty"`
	Database DatabaseDocument `json:"database"`
	Policy   []FloorDocument  `json:"policy_floors"`
	// Advisories are those that count, then those that do not, then those that
	// have been withdrawn.
	Advisories   []AdvisoryDocument  `json:"advisories"`
	Exceptions   []ExceptionDocument `json:"exceptions"`
	Requirements []VerdictDocument   `json:"requirements"`

	verdicts []Verdict
	report   *Report
}

// Explain returns what is known of a project, by any spelling of its name.
func (r *Report) Explain(name string) *Explanation {
	name = pep503.Normalize(name)
	c := newChecker(r.in)
	k := c.about(name)
	e := &Explanation{
		SchemaVersion: SchemaVersion, Command: "floors explain", Name: name, Private: c.config.IsPrivate(name),
		Database: r.databaseDocument(), Policy: []FloorDocument{}, Advisories: []AdvisoryDocument{},
		Exceptions: []ExceptionDocument{}, Requirements: []VerdictDocument{}, report: r,
	}
	e.Floor = said(overall(k))
	for _, f := range k.floors {
		e.Policy = append(e.Policy, r.floorDocument(f))
	}
	e.advisories(c, k)
	for _, x := range c.config.Exceptions {
		if x.Name == name || x.Name == "" && e.names(x.ID) {
			e.Exceptions = append(e.Exceptions, ExceptionDocument{x.ID, x.Name, policy.Line(x.Reason), date(x.Expires), x.Line})
		}
	}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Requirement != nil && v.Requirement.Name == name {
			e.Requirements = append(e.Requirements, r.verdictDocument(v))
			e.verdicts = append(e.verdicts, *v)
		}
	}
	return e
}

// overall is the floor of a project whatever is declared of it; zero if there is
// none, or nothing is affected.
func overall(k *knowledge) osv.Bound {
	h := held{floors: k.floors, advisories: k.advisories}
	o := evaluate(pep440.Specifiers{}, false, h)
	return o.needed()
}

func (e *Explanation) advisories(c *checker, k *knowledge) {
	for _, a := range k.advisories {
		e.Advisories = append(e.Advisories, advisoryDocument(a, records(a)))
	}
	for _, l := range k.left {
		d := advisoryDocument(l.advisory, records(l.advisory))
		d.Left = l.why
		e.Advisories = append(e.Advisories, d)
	}
	if c.in.Database == nil {
		return
	}
	for _, a := range c.in.Database.Withdrawn(e.Name) {
		d := advisoryDocument(a, records(a))
		d.Left = "it was withdrawn"
		e.Advisories = append(e.Advisories, d)
	}
}

// names reports whether an advisory has a name.
func (e *Explanation) names(id string) bool {
	return slices.ContainsFunc(e.Advisories, func(a AdvisoryDocument) bool { return a.ID == id || slices.Contains(a.Aliases, id) })
}

// Write writes the explanation for people. paint may be nil.
func (e *Explanation) Write(w io.Writer, paint report.Painter) error {
	if paint == nil {
		paint = unpainted{}
	}
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(plain.Text(fmt.Sprintf(format, args...)) + "\n") }
	b.WriteString(paint.Bold(plain.Text(e.Name)) + "\n")
	switch {
	case e.Private:
		say("  is private by the policy: public advisories are not about it")
	case e.Floor != "":
		say("  no version is affected from %s on", e.Floor)
	case slices.ContainsFunc(e.Advisories, func(a AdvisoryDocument) bool { return a.Left == "" && a.Unprov == "" }):
		say("  there is no floor: not all that is affected has a fix")
	case len(e.Advisories)+len(e.Policy) == 0:
		say("  nothing is held against any version")
	}
	for _, f := range e.Policy {
		say("  policy   %s", f.line())
	}
	for _, a := range e.Advisories {
		say("  advisory %s", a.line())
	}
	for _, x := range e.Exceptions {
		say("  except   %s until %s: %s", strings.TrimSpace(x.ID+" "+x.Name), x.Ends, x.Reason)
	}
	for i := range e.verdicts {
		l := line{v: &e.verdicts[i]}
		if e.verdicts[i].Rule != "" {
			f := lens.Apply(e.report.finding(l.v))
			l.finding = &f
		}
		l.write(&b, e.report, paint, 0)
	}
	say("%s", e.report.advisories())
	_, err := io.WriteString(w, b.String())
	return err
}

func (f FloorDocument) line() string {
	text := f.Floor
	if f.Marker != "" {
		text += " where " + f.Marker
	}
	text += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
	if f.Reason != "" {
		text += ": " + f.Reason
	}
	return text
}

func (a AdvisoryDocument) line() string {
	var text strings.Builder
	text.WriteString(a.ID)
	if len(a.Aliases) > 0 {
		text.WriteString(" (" + strings.Join(a.Aliases, ", ") + ")")
	}
	text.WriteString("  affects " + short(a.Affected))
	if len(a.Fixed) > 0 {
		text.WriteString("  fixed " + short(a.Fixed))
	}
	for _, more := range []struct {
		is   bool
		text string
	}{
		{a.Malicious, "an attack"},
		{a.Weak, "by a last affected version, which is weaker evidence"},
		{a.Unprov != "", "unprovable: " + a.Unprov},
		{a.Modified != "", "as of " + a.Modified},
		{a.Left != "", "does not count: " + a.Left},
	} {
		if more.is {
			text.WriteString("  " + more.text)
		}
	}
	return text.String()
}

// short is a list of which the first are shown.
func short(list []string) string {
	const most = 6
	switch {
	case len(list) == 0:
		return "nothing that is known"
	case len(list) > most:
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}
