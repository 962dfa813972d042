package steps

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes is how many nodes of a file are looked at: aliases make a short file a
// long one.
const maxNodes = 200_000

// document is a YAML file that is looked at.
type document struct {
	root *yaml.Node
	left int // nodes
}

// parseYAML returns the documents of a file: compose merges all of them, and GitLab
// reads what is behind a header. It returns nil if one of them can't be read or has
// a key twice, of which programs take the first, the last or none, or if there is
// none.
func parseYAML(data []byte) []*document {
	var all []*document
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil, ambiguous(&n):
			return nil
		}
		if len(n.Content) > 0 {
			all = append(all, &document{root: n.Content[0], left: maxNodes})
		}
	}
}

// ambiguous reports whether a mapping below a node has a key twice.
func ambiguous(n *yaml.Node) bool {
	keys := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode {
			if keys[child.Value] && child.Value != "<<" {
				return true
			}
			keys[child.Value] = true
		}
		if ambiguous(child) {
			return true
		}
	}
	return false
}

// deref follows an alias.
func deref(n *yaml.Node) *yaml.Node {
	for range 10 {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// get is the value of a key; nil if there is none. What "<<" merges counts
// (https://yaml.org/type/merge.html).
func (d *document) get(n *yaml.Node, key string) *yaml.Node {
	n = deref(n)
	if d.left--; n == nil || n.Kind != yaml.MappingNode || d.left < 0 {
		return nil
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i]; {
		case k.Value == key:
			return deref(n.Content[i+1])
		case k.Value == "<<" && merged == nil:
			merged = d.merged(n.Content[i+1], key)
		}
	}
	return merged
}

func (d *document) merged(n *yaml.Node, key string) *yaml.Node {
	n = deref(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return d.get(n, key)
	}
	for _, item := range n.Content {
		if v := d.get(item, key); v != nil {
			return v
		}
	}
	return nil
}

// text is the scalar of a key; "" if there is none.
func (d *document) text(n *yaml.Node, key string) string { return scalar(d.get(n, key)) }

func scalar(n *yaml.Node) string {
	if n = deref(n); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// texts are the scalars of a node: one, or those of a list and of the lists in it.
func (d *document) texts(n *yaml.Node) []*yaml.Node {
	n = deref(n)
	if d.left--; n == nil || d.left < 0 {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	var all []*yaml.Node
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			all = append(all, d.texts(item)...)
		}
	}
	return all
}

// each visits a mapping's keys and values, of merged mappings too.
func (d *document) each(n *yaml.Node, visit func(key, value *yaml.Node)) {
	n = deref(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if d.left--; d.left < 0 {
			return
		}
		key, value := n.Content[i], n.Content[i+1]
		if key.Value != "<<" {
			visit(key, value)
			continue
		}
		if list := deref(value); list != nil && list.Kind == yaml.SequenceNode {
			for _, item := range list.Content {
				d.each(item, visit)
			}
			continue
		}
		d.each(value, visit)
	}
}

// all visits every mapping below a node, aliases included.
func (d *document) all(n *yaml.Node, visit func(*yaml.Node)) {
	n = deref(n)
	if d.left--; n == nil || d.left < 0 {
		return
	}
	if n.Kind == yaml.MappingNode {
		visit(n)
	}
	for _, child := range n.Content {
		d.all(child, visit)
	}
}

// firstLine is where the text of a scalar begins in its file: behind the sign of a
// block scalar; 0 if its lines are not lines of the file.
func firstLine(n *yaml.Node) int {
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		return n.Line + 1
	case !strings.Contains(n.Value, "\n"):
		return n.Line
	}
	return 0
}
