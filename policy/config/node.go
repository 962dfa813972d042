package config

import (
	"strings"
	"time"

	"github.com/moby/buildkit/util/suggest"
	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

// mapping calls the reader of each key. Keys must be among those that are known,
// each once. It reports whether n is a mapping at all; what names it.
func (r *reader) mapping(n *yaml.Node, what string, known []string, readers map[string]func(*yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is no mapping: write lines of the form key: value, with one of: %s", what, strings.Join(known, ", "))
		return false
	}
	r.pairs(n, func(key, value *yaml.Node) {
		read := readers[key.Value]
		if read == nil {
			r.fail(key, "%s is no key here%s; known are: %s", quoted(key.Value), meant(key.Value, known), strings.Join(known, ", "))
			return
		}
		read(value)
	})
	return true
}

// pairs visits the keys of a mapping. One that is no text, or there twice, is
// an error.
func (r *reader) pairs(n *yaml.Node, visit func(key, value *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(key, "a key is no text")
		case lines[key.Value] != 0:
			r.fail(key, "%s is already in line %d: keep one of them", quoted(key.Value), lines[key.Value])
		default:
			lines[key.Value] = key.Line
			visit(key, value)
		}
	}
}

// keyOf is the key of a mapping that has this name, nil if there is none.
func keyOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i]
		}
	}
	return nil
}

// meant asks whether a known word was meant; "" if none is near.
func meant(word string, known []string) string {
	if len(word) > 100 {
		return ""
	}
	if near, ok := suggest.Search(word, known, true); ok {
		return " (did you mean " + near + "?)"
	}
	return ""
}

// list visits the items of a list; what names it.
func (r *reader) list(n *yaml.Node, what string, visit func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "%s is no list: write [a, b], or lines that begin with a dash", what)
		return
	}
	for _, item := range n.Content {
		visit(item)
	}
}

// text is a scalar as it is written, "" with an error if it is none or empty.
func (r *reader) text(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, "this is no text: write one value here")
	case strings.TrimSpace(n.Value) == "" || n.ShortTag() == "!!null":
		r.fail(n, "the value is empty: write one, or leave the key out")
	default:
		return strings.TrimSpace(n.Value)
	}
	return ""
}

func (r *reader) bool(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Value != "true" && n.Value != "false" {
		r.fail(n, "this is neither true nor false")
		return false
	}
	return n.Value == "true"
}

// word is one of several.
func word[W ~string](r *reader, n *yaml.Node, words ...W) W {
	text := r.text(n)
	known := make([]string, len(words))
	for i, w := range words {
		if known[i] = string(w); text == known[i] {
			return w
		}
	}
	if text != "" {
		r.fail(n, "%s is none of: %s%s", quoted(text), strings.Join(known, ", "), meant(text, known))
	}
	return ""
}

// date is a day, in UTC.
func (r *reader) date(n *yaml.Node) time.Time {
	text := r.text(n)
	t, err := time.Parse(time.DateOnly, text)
	if err != nil && text != "" {
		r.fail(n, "%s is no date: write one of the form 2027-12-31", quoted(text))
	}
	return t
}

// name is a project's name, normalized.
func (r *reader) name(n *yaml.Node) string {
	text := r.text(n)
	if text != "" && !pep503.Valid(text) {
		r.fail(n, "%s is no project's name: letters, digits and - _ . are allowed", quoted(text))
		return ""
	}
	return pep503.Normalize(text)
}

func (r *reader) marker(n *yaml.Node) *pep508.Marker {
	text := r.text(n)
	if text == "" {
		return nil
	}
	m, err := pep508.ParseMarker(text)
	if err != nil {
		r.fail(n, "this is no marker: %s; write one such as 'python_version < \"3.10\"'", shown(err.Error()))
	}
	return m
}

// id is the name of an advisory.
func (r *reader) id(n *yaml.Node) string {
	text := r.text(n)
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		r.fail(n, "%s is no id of an advisory: write one such as CVE-2024-6345", quoted(text))
		return ""
	}
	return text
}

// ids are several of them.
func (r *reader) ids(n *yaml.Node) []string {
	var all []string
	r.list(n, "ids", func(item *yaml.Node) {
		if id := r.id(item); id != "" {
			all = append(all, id)
		}
	})
	return all
}
