package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// The elements of JUnit's XML that CI systems agree on.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		File    string   `xml:"file,attr,omitempty"`
		Line    int      `xml:"line,attr,omitempty"`
		Failure *outcome `xml:"failure"`
		Error   *outcome `xml:"error"`
		Skipped *outcome `xml:"skipped"`
		Output  string   `xml:"system-out,omitempty"`
	}
	outcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes JUnit's XML, each finding as a test case. Only what blocks is a
// failure; other findings are cases that passed, with the finding as their
// output, and what is acknowledged or resolved was skipped. A file without
// findings is a case that passed, and one that could not be read is an error.
type JUnit struct{}

// Write writes r.
func (JUnit) Write(w io.Writer, r Report) error {
	s := suite{Name: plain.Text(r.Tool.Name)}
	all := entries(&r)
	for _, e := range all {
		s.add(newCase(&e))
	}
	for _, held := range withheld(&r) {
		s.add(withheldCase(&r, held))
	}
	for _, p := range problems(&r) {
		s.add(testcase{
			Name: "read", Class: plain.Text(p.File), File: plain.Text(p.File), Line: max(0, p.Line),
			Error: &outcome{Message: plain.Text(p.Message), Text: p.String()},
		})
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(r.Files))) {
		name = shownFile(name)
		if !slices.ContainsFunc(all, func(e entry) bool { return e.at().File == name }) {
			s.add(testcase{Name: "no findings", Class: plain.Text(name), File: plain.Text(name)})
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suites{Suites: []suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suite) add(c testcase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func newCase(e *entry) testcase {
	at := e.at()
	c := testcase{
		Name: plain.Text(e.rule), Class: plain.Text(cmp.Or(at.File, nowhere)), File: plain.Text(at.File), Line: max(0, at.Start.Line),
	}
	if at.Start.Line > 0 {
		c.Name = fmt.Sprintf("%s at line %d", c.Name, at.Start.Line)
	}
	text := plain.Text(e.Message)
	if where := place(at); where != "" {
		text = where + ": " + text
	}
	switch told := e.told(); {
	case told != "":
		c.Skipped, c.Output = &outcome{Message: plain.Text(told)}, text
	case e.severity == policy.Blocker:
		c.Failure = &outcome{Message: plain.Text(e.Message), Type: plain.Text(e.rule), Text: text}
	default:
		c.Output = string(e.severity) + ": " + text
	}
	return c
}

func withheldCase(r *Report, held Withheld) testcase {
	c := testcase{Name: plain.Text(held.Family), Class: "withheld"}
	text := plain.Text(held.sentence(r))
	if held.Severity == policy.Blocker {
		c.Failure = &outcome{Message: text, Type: plain.Text(held.Family)}
		return c
	}
	c.Output = string(held.Severity) + ": " + text
	return c
}
