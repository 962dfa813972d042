// Package findingjson reads findings and validations as JSON: one object, an
// array of them, or one after the other (JSON lines). docs/policy.md describes
// the fields; "loopxctl schema findings" prints the schema.
package findingjson

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/moby/buildkit/util/suggest"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// Limits of what is read.
const (
	MaxFinding  = 1 << 20 // bytes of one value
	MaxText     = 256 << 20
	MaxFindings = 200_000
)

// ErrSARIF is returned for a text that is a SARIF log.
var ErrSARIF = errors.New("this is SARIF, not a list of findings")

// ErrEmpty is returned for a text without any value.
var ErrEmpty = errors.New("it is empty, so nothing was looked at")

// Read reads a text to its end. A text that is not understood as a whole is an
// error, a [*jsonstream.Error] where a line is to blame.
func Read(r io.Reader) (policy.Intake, error) {
	in := &reader{json: jsonstream.New(r, jsonstream.Limits{Value: MaxFinding, Total: MaxText}), noted: map[string]bool{}}
	values := 0
	for {
		c, err := in.json.Next()
		switch {
		case errors.Is(err, io.EOF) && values == 0:
			return policy.Intake{}, ErrEmpty
		case errors.Is(err, io.EOF):
			return in.out, nil
		case err != nil:
			return policy.Intake{}, err
		case c == '[':
			err = in.json.Array(in.object)
		default:
			err = in.object()
		}
		if err != nil {
			return policy.Intake{}, err
		}
		values++
	}
}

type reader struct {
	json  *jsonstream.Reader
	out   policy.Intake
	noted map[string]bool
}

// object reads a finding, or an object that holds lists of findings and
// validations. Which it is shows only at its end.
func (in *reader) object() error {
	d := draft{json: in.json, reader: in, line: in.json.Line()}
	if err := in.json.Object(d.field); err != nil {
		return err
	}
	if d.lists {
		if d.fields > 0 {
			return &jsonstream.Error{Line: d.line, Message: "an object has findings or validations, and fields of a finding too; give a finding an object of its own"}
		}
		return nil
	}
	f, err := d.finding()
	if err != nil {
		return &jsonstream.Error{Line: d.line, Message: err.Error()}
	}
	return in.add(f)
}

func (in *reader) add(f policy.Finding) error {
	if len(in.out.Findings) == MaxFindings {
		return in.json.Fail("there are more than %d findings", MaxFindings)
	}
	in.out.Findings = append(in.out.Findings, f)
	return nil
}

// item reads one item of "findings".
func (in *reader) item() error {
	d := draft{json: in.json, line: in.json.Line(), reader: in, plain: true}
	if err := in.json.Object(d.field); err != nil {
		return err
	}
	f, err := d.finding()
	if err != nil {
		return &jsonstream.Error{Line: d.line, Message: err.Error()}
	}
	return in.add(f)
}

// unknown passes over a field that is not known, and notes it. One that looks
// like a misspelt field is an error, if the verdict could be milder without it.
func (in *reader) unknown(name string) error {
	switch meant := misspelt(name); {
	case meant == name:
		return in.json.Fail("the field %.60q has no place here", name)
	case meant != "":
		return in.json.Fail("the field %.60q is not known; did you mean %q?", name, meant)
	}
	if len(in.noted) < maxNotes && !in.noted[name] {
		in.noted[name] = true
		in.out.Notes = append(in.out.Notes, fmt.Sprintf("the field %.60q is not known and was not read", name))
	}
	return in.json.Skip()
}

// maxNotes is how many unknown fields are noted.
const maxNotes = 20

// misspelt returns the field that name was meant to be, or "". What else a
// finding or a validation must have is missed anyway, if it is misspelt.
func misspelt(name string) string {
	if folded := strings.ToLower(name); folded == "tag" || folded == "tags" {
		return "tags"
	}
	for _, field := range []string{"severity", "findings", "validations"} {
		if strings.EqualFold(name, field) {
			return field
		}
	}
	near, _ := suggest.Search(name, []string{"severity", "findings", "validations"}, true)
	return near
}
