package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schema is the part of JSON Schema (draft 2020-12) that the file uses. An
// unknown keyword in it fails to decode.
type schema struct {
	Schema      string             `json:"$schema"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Defs        map[string]*schema `json:"$defs"`
	Ref         string             `json:"$ref"`
	OneOf       []*schema          `json:"oneOf"`
	Type        string             `json:"type"`
	Const       any                `json:"const"`
	Enum        []any              `json:"enum"`
	Required    []string           `json:"required"`
	Properties  map[string]*schema `json:"properties"`
	Additional  *bool              `json:"additionalProperties"`
	Items       *schema            `json:"items"`
}

// published is the schema of a name; nil if there is none.
func published(name string) []byte {
	text, _ := schemaOf(name)
	return text
}

// checker resolves the references of a schema.
type checker map[string]*schema

func loadSchema() (*schema, error) {
	dec := json.NewDecoder(strings.NewReader(string(published(commonSchema))))
	dec.DisallowUnknownFields()
	var s schema
	return &s, dec.Decode(&s)
}

// validate checks a document of loopxctl against the schema.
func validate(doc []byte) error {
	root, err := loadSchema()
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return err
	}
	command := ""
	if object, ok := v.(map[string]any); ok {
		command, _ = object["command"].(string)
	}
	if own := strings.SplitN(strings.ReplaceAll(command, "_", " "), " ", 2)[0]; slices.Contains(schemaNames(), own) {
		return validateLens(published(own), doc)
	}
	switch _, ok := root.Defs[command]; {
	case strings.HasSuffix(command, "-public"):
		command = "public"
	case !ok:
		command = "report"
	}
	return checker(root.Defs).check(root.Defs[command], v, "$")
}

// check returns the first difference between v, which stands at path, and s.
func (c checker) check(s *schema, v any, path string) error {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = c[name]
	}
	switch {
	case s == nil:
		return fmt.Errorf("%s: the schema refers to nothing", path)
	case s.Const != nil && !reflect.DeepEqual(s.Const, v):
		return fmt.Errorf("%s: %v, want %v", path, v, s.Const)
	case s.Enum != nil && !slices.Contains(s.Enum, v):
		return fmt.Errorf("%s: %v, want one of %v", path, v, s.Enum)
	}
	switch s.Type {
	case "object":
		return c.checkObject(s, v, path)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s: %v is no array", path, v)
		}
		for i, item := range list {
			if err := c.check(s.Items, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	return s.checkScalar(v, path)
}

func (c checker) checkObject(s *schema, v any, path string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %v is no object", path, v)
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s: lacks %s", path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property, ok := s.Properties[name]
		if !ok {
			return fmt.Errorf("%s: the schema does not know %s", path, name)
		}
		if err := c.check(property, object[name], path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) checkScalar(v any, path string) error {
	ok := true
	switch s.Type {
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "integer":
		f, number := v.(float64)
		ok = number && f == float64(int(f))
	}
	if !ok {
		return fmt.Errorf("%s: %v is no %s", path, v, s.Type)
	}
	return nil
}

// TestSchema holds that the schema is closed: each object says which fields it
// must have, and takes no others.
func TestSchema(t *testing.T) {
	root, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range root.Defs {
		if s.Type != "object" || s.Additional == nil || *s.Additional {
			t.Errorf("%s is not a closed object", name)
		}
		for _, required := range s.Required {
			if s.Properties[required] == nil {
				t.Errorf("%s requires %s, which it does not describe", name, required)
			}
		}
	}
	for _, bad := range []string{
		`{}`, `[]`, `{"schema_version": 2, "command": "rewrite", "notes": [], "files": []}`,
		`{"schema_version": 1, "command": "rewrite", "notes": [], "files": [{}]}`,
		`{"schema_version": 1, "command": "rewrite", "notes": [], "files": [], "more": 1}`,
		`{"schema_version": 1, "command": "rewrite", "notes": [1], "files": []}`,
	} {
		if validate([]byte(bad)) == nil {
			t.Errorf("%s is taken for valid", bad)
		}
	}
}
