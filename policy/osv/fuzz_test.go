package osv

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// FuzzDecode holds that a text which is taken is one that encoding/json takes,
// that both see the same ids, that what encoding/json takes is refused for a
// reason of ours only, and that whatever is read can be asked.
func FuzzDecode(f *testing.F) {
	f.Add(whole)
	for _, tc := range edgeCases {
		f.Add(strings.Join(tc.records, "\n"))
	}
	f.Add(`[{"id":"A\u0041\ud83d","x":[1e5,-0.5,true,null,{}]},[]] {"id":"B"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var b Builder
		var got []string
		err := Decode(text, 1, func(r Record) error {
			got = append(got, r.ID)
			b.Add(r)
			return nil
		})
		want, valid := ids(text)
		if err == nil && !valid {
			t.Fatalf("%q is taken, and encoding/json refuses it", text)
		}
		if err == nil && strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("%q: ids %q, by encoding/json %q", text, got, want)
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
		}
		db := b.Database()
		for _, name := range db.Names() {
			d := Derive(db.Lookup(name), pep440.Specifiers{}, false)
			if !d.Floor.IsZero() && !d.Affected.Intersect(d.Floor.Set()).Empty() {
				t.Errorf("%q: the floor %v leaves %v", text, d.Floor, d.Affected)
			}
		}
	})
}

// ids are those of the records in a text; valid is false if it is no JSON, or
// not UTF-8.
func ids(text string) (list []string, valid bool) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			id, _ := v["id"].(string)
			list = append(list, id)
		}
	}
	for dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return list, utf8.ValidString(text)
		} else if err != nil {
			return nil, false
		}
		walk(v)
	}
}
