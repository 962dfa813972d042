package jsonstream

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

var limits = Limits{Value: 1 << 10, Total: 1 << 20}

// walk reads a text as the packages that use this one do: outer objects and
// arrays are walked, "v" is decoded, the rest skipped. It returns what was
// decoded.
func walk(src io.Reader) (string, error) {
	r := New(src, limits)
	var out strings.Builder
	var object func() error
	object = func() error {
		return r.Object(func(name string) error {
			switch name {
			case "list":
				return r.Array(object)
			case "v":
				var v json.RawMessage
				err := r.Value(&v)
				out.WriteString(string(v) + ";")
				return err
			}
			return r.Skip()
		})
	}
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return out.String(), nil
		} else if err != nil {
			return "", err
		}
		if err := object(); err != nil {
			return "", err
		}
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{" \n ", ""},
		{"{}", ""},
		{"\ufeff{\"v\": 1}", "1;"},
		{`{"v":1}{"v":"a\"}"}` + "\n" + `{"v":[{"x":"]"}],"w":2}`, `1;"a\"}";[{"x":"]"}];`},
		{`{"list":[{"v":true},{},{"v":null , "x":{"a":[1,"b",{}],"c":-1.5e3}}]}`, "true;null;"},
		{`{"v": 12` + "\r\n\t}", "12;"},
		{`{"v":"` + strings.Repeat("x", 1000) + `"}`, `"` + strings.Repeat("x", 1000) + `";`},
		{`{"x":[` + strings.Repeat(`"`+strings.Repeat("y", 100)+`",`, 5000) + `1],"v":2}`, "2;"},
	} {
		for name, src := range map[string]io.Reader{
			"whole": strings.NewReader(tc.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tc.in)),
			"error with data": iotest.DataErrReader(strings.NewReader(tc.in)),
		} {
			if name == "byte by byte" && strings.HasPrefix(tc.in, "\ufeff") {
				continue // the mark is looked for in what one read returns
			}
			got, err := walk(src)
			if err != nil || got != tc.want {
				t.Errorf("%.60q, %s: %.60q, %v", tc.in, name, got, err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{"[]", "line 1: there is an array where an object must be"},
		{"\n\"x\"", "line 2: there is a string where an object must be"},
		{"null", "line 1: there is null where an object must be"},
		{"true", "line 1: there is true or false where an object must be"},
		{"-1", "line 1: there is a number where an object must be"},
		{"\x00\x01", `line 1: there is '\x00' where an object must be`},
		{"{", "line 1: the text ends in the middle of a value"},
		{`{"v"`, "line 1: the text ends in the middle of a value"},
		{`{"v":`, "line 1: the text ends in the middle of a value"},
		{"{\"v\":\n[1,", "line 2: the text ends in the middle of a value"},
		{`{"v" 1}`, `line 1: a colon is missing behind the field "v"`},
		{`{"v":1 "w":2}`, "line 1: a comma or '}' is missing"},
		{`{"v":1,}`, "line 1: there is a comma in front of '}'"},
		{`{"list":[{},]}`, "line 1: there is a comma in front of ']'"},
		{`{"list":3}`, "line 1: there is a number where an array must be"},
		{`{v:1}`, "line 1: a field's name is missing"},
		{"{\"v\":1,\n\"v\":2}", `line 2: the field "v" comes twice`},
		{"{\"v\":\n\n{\"a\":1,\n\"b\":x}}", "line 4: this is no JSON: invalid character 'x' looking for beginning of value"},
		{`{"v":01}`, "line 1: this is no JSON: invalid character '1' after top-level value"},
		{`{"v":]}`, "line 1: this is no JSON: invalid character ']' looking for beginning of value"},
		{`{"x":{"a" 1}}`, "line 1: a colon is missing behind a field's name"},
		{`{"x":{1}}`, "line 1: a field's name is missing"},
		{`{"v":"` + strings.Repeat("x", 2000) + `"}`, "line 1: a value is larger than 1 KiB"},
		{`{"v":"` + strings.Repeat("x", 200_000), "line 1: a value is larger than 1 KiB"},
		{`{"` + strings.Repeat("x", 200_000), "line 1: a value is larger than 1 KiB"},
		{strings.Repeat(" ", 1<<20) + "  {}", "line 1: the text is larger than 1 MiB"},
		{`{"x":` + strings.Repeat("[", 300), "line 1: nested deeper than 200"},
		{"\xff\xfe{\x00}\x00", "line 1: the text is UTF-16; JSON is UTF-8"},
		{"\x1f\x8b\x08", "line 1: the text is compressed by gzip; unpack it first"},
	} {
		_, err := walk(strings.NewReader(tc.in))
		if err == nil || err.Error() != tc.want {
			t.Errorf("%.60q: %v, want %s", tc.in, err, tc.want)
		}
	}
	broken := errors.New("the disk is gone")
	if _, err := walk(io.MultiReader(strings.NewReader(`{"v":`), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if _, err := walk(never{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}

type never struct{}

func (never) Read([]byte) (int, error) { return 0, nil }

func TestTypes(t *testing.T) {
	t.Parallel()
	r := New(strings.NewReader("\n{\"a\":\n\"x\"}"), limits)
	var v struct {
		A int `json:"a"`
	}
	if err := r.Value(&v); err == nil || err.Error() != `line 3: the field "a" holds a string and must hold a whole number` {
		t.Error(err)
	}
	r = New(strings.NewReader("3"), limits)
	var s string
	if err := r.Value(&s); err == nil || err.Error() != "line 1: there is a number where a string must be" {
		t.Error(err)
	}
}

// FuzzWalk holds that a text which is taken is one that encoding/json takes
// too, in one read or byte by byte.
func FuzzWalk(f *testing.F) {
	f.Add(`{"v":1,"list":[{"v":"x\\\""},{"x":[1,{"a":null}]}]} {}`)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := walk(strings.NewReader(s))
		again, againErr := walk(iotest.OneByteReader(strings.NewReader(s)))
		if err == nil && (againErr != nil || got != again) && !strings.HasPrefix(s, "\ufeff") {
			t.Errorf("%q: whole %q, byte by byte %q, %v", s, got, again, againErr)
		}
		if err != nil {
			return
		}
		for dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(s, "\ufeff"))); ; {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q is taken, and encoding/json says: %v", s, err)
			}
		}
	})
}
