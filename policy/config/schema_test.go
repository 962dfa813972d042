package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/config"
)

var update = flag.Bool("update", false, "rewrite the published schemas")

// published are the two kinds of file: what reads each, its schema, and where
// that is published.
type published struct {
	name   string
	parse  func(string, []byte) (*config.Config, error)
	schema func() ([]byte, error)
	url    string
}

func kinds() []published {
	return []published{
		{"project", config.Parse, config.Schema, config.SchemaURL},
		{"organisation", config.ParseOrganisation, config.OrganisationSchema, config.OrganisationSchemaURL},
	}
}

// text is the schema as it is printed.
func (p published) text(t *testing.T) []byte {
	t.Helper()
	text, err := p.schema()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (p published) compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(p.text(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(p.url, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(p.url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks a YAML text as an editor does: dates are text there.
func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return s.Validate(value(&n))
}

// value is a node as JSON has it.
func value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return value(n.Content[0])
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = value(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, value(item))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!bool":
		return n.Value == "true"
	case "!!int", "!!float":
		return json.Number(n.Value)
	case "!!null":
		return nil
	}
	return n.Value
}

// TestPublishedSchemas holds that docs/schema has what the program prints.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	for _, p := range kinds() {
		name := filepath.Join("..", "..", "docs", "schema", filepath.Base(p.url))
		if *update {
			if err := os.WriteFile(name, p.text(t), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(p.text(t)), string(got)); diff != "" {
			t.Errorf("%s (-program +file), go test -update rewrites it:\n%s", name, diff)
		}
	}
}

// TestSchemaKnowsWhatIsRead holds, for each mapping and each list of words of the
// schema, that the parser knows the same: what it says of a wrong one names them.
func TestSchemaKnowsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, p := range kinds() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var root map[string]any
			if err := json.Unmarshal(p.text(t), &root); err != nil {
				t.Fatal(err)
			}
			w := walker{t, p, p.compile(t)}
			w.walk(root, "%s")
			if w.words(root) < 2 {
				t.Error("the schema has no words")
			}
		})
	}
}

type walker struct {
	*testing.T
	published
	compiled *jsonschema.Schema
}

// walk checks a part of the schema; at is a file with %s in its place, in YAML's
// flow style.
func (w walker) walk(s map[string]any, at string) {
	if words, ok := s["enum"].([]any); ok {
		w.same("is none of: ", at, "zzzzzzzz", words)
		for _, word := range words {
			w.accepted(at, fmt.Sprint(word))
		}
	}
	if keys, ok := s["properties"].(map[string]any); ok {
		var known []any
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			known = append(known, key)
			w.walk(keys[key].(map[string]any), fmt.Sprintf(at, "{"+key+": %s}"))
		}
		w.same("known are: ", at, "{zzzzzzzz: 1}", known)
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		w.walk(values, fmt.Sprintf(at, "{zzzzzzzz: %s}"))
	}
	if items, ok := s["items"].(map[string]any); ok {
		w.walk(items, fmt.Sprintf(at, "[%s]"))
	}
	shapes, _ := s["anyOf"].([]any)
	for _, one := range shapes {
		w.walk(one.(map[string]any), at)
	}
}

// same checks what the parser lists about a wrong value against the schema's list.
func (w walker) same(mark, at, wrong string, want []any) {
	text := fmt.Sprintf(at, wrong)
	_, err := w.parse("f", []byte(text))
	if err == nil {
		w.Errorf("%s is read", text)
		return
	}
	for line := range strings.Lines(err.Error()) {
		_, list, ok := strings.Cut(strings.TrimSpace(line), mark)
		if !ok || !strings.Contains(line, `"zzzzzzzz"`) {
			continue
		}
		got := strings.Split(list, ", ")
		slices.Sort(got)
		var names []string
		for _, name := range want {
			names = append(names, fmt.Sprint(name))
		}
		slices.Sort(names)
		if diff := cmp.Diff(got, names); diff != "" {
			w.Errorf("%s (-parser +schema):\n%s", text, diff)
		}
		if validate(w.T, w.compiled, text) == nil {
			w.Errorf("the schema admits %s", text)
		}
		return
	}
	if !strings.Contains(err.Error(), `"zzzzzzzz" is `) {
		w.Errorf("%s: %v", text, err)
	}
}

// accepted checks that there is no complaint about the word itself.
func (w walker) accepted(at, word string) {
	text := fmt.Sprintf(at, word)
	if _, err := w.parse("f", []byte(text)); err != nil && strings.Contains(err.Error(), `"`+word+`" is `) {
		w.Errorf("%s: %v", text, err)
	}
}

func (w walker) words(s any) (n int) {
	switch s := s.(type) {
	case map[string]any:
		if _, ok := s["enum"]; ok {
			n++
		}
		for _, child := range s {
			n += w.words(child)
		}
	case []any:
		for _, child := range s {
			n += w.words(child)
		}
	}
	return n
}

// TestSchemaAgrees has whole files that the parser and the schema judge alike.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	compiled := map[string]*jsonschema.Schema{}
	for _, p := range kinds() {
		compiled[p.name] = p.compile(t)
	}
	for _, tc := range []struct {
		kind, text string
		good       bool
	}{
		{"project", full, true},
		{"project", fetch, true},
		{"organisation", organisation, true},
		{"organisation", "", true},
		{"organisation", full, false},
		{"project", organisation, false},
		{"project", "mirrors: {debian: []}", false},
		{"project", "hosts: {a.example: ignore}", false},
		{"project", "hosts: {a.example: 'http://b.example'}", false},
		{"project", "floors: {foo: {reason: x}}", false},
		{"project", "exceptions: [{id: CVE-2026-1, reason: x}]", false},
		{"project", "exceptions: [{reason: x, expires: 2027-01-01}]", false},
		{"project", "library: maybe", false},
		{"organisation", "locked: sure", false},
	} {
		for _, p := range kinds() {
			if p.name != tc.kind {
				continue
			}
			_, err := p.parse("f", []byte(tc.text))
			var schemaErr error
			if tc.text != "" {
				schemaErr = validate(t, compiled[tc.kind], tc.text)
			}
			if (err == nil) != tc.good || (schemaErr == nil) != tc.good {
				t.Errorf("%s %q: parser %v, schema %v", tc.kind, tc.text, err, schemaErr)
			}
		}
	}
}
