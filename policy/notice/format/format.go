// Package format reads security notices in the forms that databases publish, and
// makes one form of them, that of OSV: records of OSV itself, advisories of
// GitHub's API, Ubuntu's security notices (the page's JSON, and that of the
// security team's repository), and the data of Debian's security tracker.
//
// It is pure. What a form does not say is left out, never made up.
package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// Decode calls each with the records of a JSON text: one notice of any form or
// several one behind the other, or arrays of them. line is the number of the
// text's first line. It is a decoder for package feed.
//
// The error is that of each, or an [*osv.Error].
func Decode(text string, line int, each func(osv.Record) error) error {
	r := reader{text: strings.TrimPrefix(text, "\ufeff"), line: line, each: each}
	d := json.NewDecoder(strings.NewReader(r.text))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return r.broken(err)
		}
		if err := r.value(raw, int(d.InputOffset())-len(raw), 0); err != nil {
			return err
		}
	}
}

// reader reads one text.
type reader struct {
	text string
	line int
	each func(osv.Record) error
}

// at is the line of an offset.
func (r *reader) at(offset int) int {
	return r.line + strings.Count(r.text[:max(0, min(offset, len(r.text)))], "\n")
}

func (r *reader) fail(offset int, format string, args ...any) error {
	return &osv.Error{Line: r.at(offset), Message: fmt.Sprintf(format, args...)}
}

// broken is the error about a text that is no JSON. Package osv tells it better.
func (r *reader) broken(err error) error {
	if told := osv.Decode(r.text, r.line, func(osv.Record) error { return nil }); told != nil {
		return told
	}
	return r.fail(len(r.text), "this is no JSON: %v", err)
}

// maxArrays is how deep arrays may be in each other.
const maxArrays = 8

// value reads one value at an offset of the text.
func (r *reader) value(raw json.RawMessage, offset, depth int) error {
	switch raw[0] {
	case '[':
		return r.array(raw, offset, depth)
	case '{':
		return r.notice(raw, offset)
	}
	return r.fail(offset, "there is a value where a notice must be, an object")
}

func (r *reader) array(raw json.RawMessage, offset, depth int) error {
	if depth == maxArrays {
		return r.fail(offset, "arrays are nested deeper than %d", maxArrays)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := d.Token(); err != nil {
		return r.fail(offset, "this is no array: %v", err)
	}
	for d.More() {
		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return r.fail(offset, "this is no array: %v", err)
		}
		if err := r.value(item, offset+int(d.InputOffset())-len(item), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fields are those of an object, by name.
type fields map[string]json.RawMessage

func (f fields) has(names ...string) bool {
	for _, name := range names {
		if _, ok := f[name]; !ok {
			return false
		}
	}
	return true
}

// notice tells the form of an object by the fields that it has, and reads it.
func (r *reader) notice(raw json.RawMessage, offset int) error {
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return r.fail(offset, "this is no object: %v", err)
	}
	read := tracker
	switch {
	case f.has("ghsa_id"):
		read = github
	case f.has("id", "release_packages"):
		read = ubuntuPage
	case f.has("id", "releases") && (f.has("cves") || f.has("isummary")):
		read = ubuntuTeam
	case f.has("id") || !isTracker(f):
		return osv.Decode(string(raw), r.at(offset), r.each)
	}
	records, err := read(raw)
	if err != nil {
		return r.fail(offset, "%s", plainly(err))
	}
	for _, record := range records {
		if record.ID == "" {
			return r.fail(offset, "a notice has no id")
		}
		if err := r.each(record); err != nil {
			return err
		}
	}
	return nil
}

// plainly tells an error of encoding/json without Go's types.
func plainly(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("the field %q holds %s, which it must not", e.Field, e.Value)
	}
	return err.Error()
}

// moment reads a time; zero and a note for one that is none. Ubuntu writes its
// times, which are in UTC, without a zone.
func moment(text string, notes *[]string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	*notes = append(*notes, fmt.Sprintf("%.40q is no time", text))
	return time.Time{}
}

// below is the range of all versions below one; all versions if it is "".
func below(fixed string) []osv.Range {
	events := []osv.Event{{Kind: osv.Introduced, Version: "0"}}
	if fixed != "" {
		events = append(events, osv.Event{Kind: osv.Fixed, Version: fixed})
	}
	return []osv.Range{{Type: "ECOSYSTEM", Events: events}}
}
