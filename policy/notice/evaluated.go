package notice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/policy/osv"
)

// Evaluated are the records that were evaluated before, by id: when each was
// modified last, as it was then.
type Evaluated map[string]time.Time

// evaluatedDocument is the file of them.
type evaluatedDocument struct {
	SchemaVersion int               `json:"schema_version"`
	Evaluated     map[string]string `json:"evaluated"`
}

// ParseEvaluated reads a file of evaluated records. An empty text has none. What is
// wrong is an error: a record that is left out by mistake would never be told.
func ParseEvaluated(text []byte) (Evaluated, error) {
	all := Evaluated{}
	if len(bytes.TrimSpace(text)) == 0 {
		return all, nil
	}
	var d evaluatedDocument
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return nil, fmt.Errorf("this is no file of evaluated notices: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("this is no file of evaluated notices: something stands behind its end")
	}
	if d.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("the file of evaluated notices has the version %d, and version %d is known", d.SchemaVersion, SchemaVersion)
	}
	for id, text := range d.Evaluated {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, fmt.Errorf("of %.60q the time %.40q is none", id, text)
		}
		all[id] = t
	}
	return all, nil
}

// Knows reports whether a record was evaluated as it is. One that does not say when
// it was modified is never known.
func (e Evaluated) Knows(r *osv.Record) bool {
	t, ok := e[r.ID]
	return ok && !r.Modified.IsZero() && !r.Modified.After(t)
}

// Add adds records.
func (e Evaluated) Add(records []osv.Record) {
	for _, r := range records {
		if !r.Modified.IsZero() && r.Modified.After(e[r.ID]) {
			e[r.ID] = r.Modified
		}
	}
}

// Text is the file of them, sorted, with a line for each.
func (e Evaluated) Text() []byte {
	d := evaluatedDocument{SchemaVersion, map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(e)) {
		d.Evaluated[id] = e[id].UTC().Format(time.RFC3339Nano)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		panic(err) // a map of strings
	}
	return b.Bytes()
}
