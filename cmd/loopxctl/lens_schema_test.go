package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keywords is a JSON Schema (draft 2020-12), or a part of one.
type keywords map[string]any

func parseSchema(text []byte) (keywords, error) {
	var k keywords
	return k, json.Unmarshal(text, &k)
}

// accepts checks v against a part of the schema. It knows the keywords that our
// schemas use, and takes no others.
func (root keywords) accepts(part keywords, v any) error {
	for name, value := range part {
		if err := root.keyword(name, value, part, v); err != nil {
			return err
		}
	}
	return nil
}

func (root keywords) keyword(name string, value any, part keywords, v any) error {
	object, _ := v.(map[string]any)
	number, isNumber := v.(float64)
	text, isText := v.(string)
	switch name {
	case "$schema", "title", "description", "$defs":
		return nil
	case "$ref":
		def, ok := root["$defs"].(map[string]any)[strings.TrimPrefix(value.(string), "#/$defs/")].(map[string]any)
		if !ok {
			return fmt.Errorf("%v leads nowhere", value)
		}
		return root.accepts(def, v)
	case "const":
		return unless(reflect.DeepEqual(value, v), "%v is not %v", v, value)
	case "enum":
		return unless(slices.Contains(value.([]any), v), "%v is none of %v", v, value)
	case "type":
		return unless(isType(value.(string), v), "%v is no %v", v, value)
	case "minimum":
		return unless(!isNumber || number >= value.(float64), "%v is less than %v", v, value)
	case "pattern":
		return unless(!isText || regexp.MustCompile(value.(string)).MatchString(text), "%q does not match %v", text, value)
	case "required":
		for _, field := range value.([]any) {
			if _, ok := object[field.(string)]; object != nil && !ok {
				return fmt.Errorf("%v is missing", field)
			}
		}
		return nil
	case "properties":
		return root.fields(value.(map[string]any), object)
	case "additionalProperties":
		for field := range object {
			if _, ok := part["properties"].(map[string]any)[field]; !ok {
				return fmt.Errorf("%s is not described", field)
			}
		}
		return nil
	case "items":
		list, _ := v.([]any)
		for _, item := range list {
			if err := root.accepts(value.(map[string]any), item); err != nil {
				return err
			}
		}
		return nil
	}
	return root.combine(name, value, v)
}

func (root keywords) fields(known, object map[string]any) error {
	for field, schema := range known {
		if v, ok := object[field]; ok {
			if err := root.accepts(schema.(map[string]any), v); err != nil {
				return fmt.Errorf("%s: %w", field, err)
			}
		}
	}
	return nil
}

func (root keywords) combine(name string, value, v any) error {
	if name == "not" {
		return unless(root.accepts(value.(map[string]any), v) != nil, "%v is what it must not be", v)
	}
	all, ok := value.([]any)
	if !ok {
		return fmt.Errorf("the keyword %s is not known", name)
	}
	var problems []error
	for _, option := range all {
		if err := root.accepts(option.(map[string]any), v); err != nil {
			problems = append(problems, err)
		}
	}
	good := len(all) - len(problems)
	switch name {
	case "allOf":
		return errors.Join(problems...)
	case "anyOf":
		return unless(good > 0, "none fits: %w", errors.Join(problems...))
	case "oneOf":
		return unless(good == 1, "%d fit: %w", good, errors.Join(problems...))
	}
	return fmt.Errorf("the keyword %s is not known", name)
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	}
	return name == "object"
}

// validateLens checks a document against one of the lens schemas.
func validateLens(schema, doc []byte) error {
	root, err := parseSchema(schema)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return err
	}
	return root.accepts(root, v)
}

const credential = `{"type":"security_privacy","detail":"Hard-coded credential detected"}`

// TestFindingsSchema holds that the schema of inputs and the program agree.
func TestFindingsSchema(t *testing.T) {
	for _, tc := range []struct {
		in   string
		good bool
	}{
		{credential, true},
		{"[]", true},
		{"[" + credential + "]", true},
		{`{"findings":[` + credential + `],"validations":[{"name":"x","status":"passed"}]}`, true},
		{`[{"validations":[]},` + credential + `]`, true},
		{`{"class":"efficiency","message":"x","severity":"advisory","file":"f","line":3,"tags":"a","tool":{"name":"t"},"status":"resolved","more":1}`, true},
		{`{}`, false},
		{`{"type":"efficiency"}`, false},
		{`{"detail":"x"}`, false},
		{`{"type":"efficiency","detail":" "}`, false},
		{`{"type":"speed","detail":"x"}`, false},
		{`{"type":"efficiency","detail":"x","severity":"high"}`, false},
		{`{"type":"efficiency","detail":"x","file":"f","line":-1}`, false},
		{`{"type":"efficiency","detail":"x","tags":[1]}`, false},
		{`{"type":"efficiency","detail":"x","tool":1}`, false},
		{`{"type":"efficiency","detail":"x","status":"fixed"}`, false},
		{`{"type":"efficiency","detail":"x","findings":[]}`, false},
		{`{"findings":[{"findings":[]}]}`, false},
		{`{"findings":3}`, false},
		{`{"validations":[{"name":"x"}]}`, false},
		{`{"validations":[{"name":"x","status":"ok"}]}`, false},
		{`{"schema_version":2,"findings":[]}`, false},
		{`3`, false},
	} {
		err := validateLens(published("findings"), []byte(tc.in))
		if (err == nil) != tc.good {
			t.Errorf("%s: the schema says %v", tc.in, err)
		}
		code, out, _ := loopxctl(t, tc.in, "lens")
		if (code != exitFailed) != tc.good {
			t.Errorf("%s: exit code %d", tc.in, code)
		}
		if (out != "") != tc.good {
			t.Errorf("%s: printed %q", tc.in, out)
		}
	}
}

// TestLensSchema holds that the schema of outputs is closed, and that outputs
// keep to it.
func TestLensSchema(t *testing.T) {
	root, err := parseSchema(published("lens"))
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range root["$defs"].(map[string]any) {
		if def := def.(map[string]any); def["type"] == "object" && def["additionalProperties"] != false {
			t.Errorf("%s is open", name)
		}
	}
	_, good, _ := loopxctl(t, credential, "lens")
	if err := validateLens(published("lens"), []byte(good)); err != nil {
		t.Error(err)
	}
	for _, change := range [][2]string{
		{`"decision":"fail"`, `"decision":"maybe"`},
		{`"blocking":true`, `"blocking":1`},
		{`"schema_version":1`, `"schema_version":2`},
		{`"reuse":"not_triggered",`, ``},
		{`"validations":[]`, `"validations":[],"more":1`},
		{`"blocking_codes":["security_privacy"]`, `"blocking_codes":["x"]`},
		{`"status":"open"`, `"status":"gone"`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good || validateLens(published("lens"), []byte(bad)) == nil {
			t.Errorf("%s is taken for valid", change[1])
		}
	}
}
