// Package foreign reads what other tools report: SARIF 2.1.0, and what Docker's
// build checks print as JSON. It tells them apart by their fields.
package foreign

import (
	"errors"
	"io"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/buildcheck"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
	"github.com/loopx/loopx-frontend/policy/sarif"
)

// Limits of what is read.
const (
	MaxValue = 16 << 20 // bytes of one result, one rule, one Dockerfile
	MaxText  = 1 << 30
)

// ErrUnknown is returned for JSON that is neither.
var ErrUnknown = errors.New(`this is neither SARIF (there is no "runs") nor the result of Docker's build checks (there is no "warnings")`)

// ErrEmpty is returned for a text without any value.
var ErrEmpty = errors.New("it is empty, so nothing was looked at")

// Read reads one report to its end. A text that is not understood as a whole
// is an error, a [*jsonstream.Error] where a line is to blame.
func Read(src io.Reader) (policy.Intake, error) {
	d := document{json: jsonstream.New(src, jsonstream.Limits{Value: MaxValue, Total: MaxText})}
	if _, err := d.json.Next(); errors.Is(err, io.EOF) {
		return policy.Intake{}, ErrEmpty
	}
	if err := d.json.Object(d.field); err != nil {
		return policy.Intake{}, err
	}
	if _, err := d.json.Next(); err == nil {
		return policy.Intake{}, d.json.Fail("something follows behind the report")
	} else if !errors.Is(err, io.EOF) {
		return policy.Intake{}, err
	}
	return d.intake()
}

type document struct {
	json         *jsonstream.Reader
	version      string
	runs, checks bool
	out          policy.Intake
	report       buildcheck.Report
}

func (d *document) field(name string) error {
	switch name {
	case "version":
		return d.json.Value(&d.version)
	case "runs":
		d.runs = true
		return sarif.ReadRuns(d.json, &d.out)
	case "inlineExternalProperties":
		return d.json.Fail("the log keeps parts of its runs in inlineExternalProperties; give one whose runs are whole")
	case "warnings":
		d.checks = true
		return d.json.Value(&d.report.Warnings)
	case "sources":
		return d.json.Value(&d.report.Sources)
	case "buildError":
		d.checks = true
		return d.json.Value(&d.report.Error)
	}
	return d.json.Skip()
}

func (d *document) intake() (policy.Intake, error) {
	switch {
	case d.runs == d.checks:
		return policy.Intake{}, ErrUnknown
	case d.checks:
		return d.report.Intake(), nil
	case d.version != sarif.Version:
		return policy.Intake{}, d.json.Fail("the log has the version %.20q; this release reads SARIF %s", d.version, sarif.Version)
	}
	return d.out, nil
}
