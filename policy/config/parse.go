package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// section is a top-level key and what reads it.
type section struct {
	key  string
	read func(*reader, *Config, *yaml.Node)
}

// sections are all of them.
func sections() []section {
	return []section{
		{"floors", (*reader).floors},
		{"require_floor", func(r *reader, c *Config, n *yaml.Node) { c.RequireFloor = r.bool(n) }},
		{"cap", (*reader).cap},
		{"exceptions", (*reader).exceptions},
		{"private", (*reader).private},
		{"library", func(r *reader, c *Config, n *yaml.Node) { c.Library = r.bool(n) }},
		{"scopes", (*reader).scopes},
		{"unpinned", func(r *reader, c *Config, n *yaml.Node) { c.Unpinned = word(r, n, Fail, Warn, Allow) }},
		{"unprovable", func(r *reader, c *Config, n *yaml.Node) { c.Unprovable = word(r, n, Fail, Warn, Allow) }},
		{"minimum_severity", func(r *reader, c *Config, n *yaml.Node) { c.MinimumSeverity = word(r, n, Severities()...) }},
		{"database", (*reader).database},
		{"advisories", (*reader).advisories},
		{"environments", (*reader).environments},
		{"presets", (*reader).presets},
		{"release", (*reader).release},
		{"review", (*reader).review},
		{"strict_constraints", func(r *reader, c *Config, n *yaml.Node) { c.StrictConstraints = r.bool(n) }},
	}
}

// Parse reads the file; name is what messages call it. A text without a document
// is an empty file. The error is of type [Errors].
func Parse(name string, data []byte) (*Config, error) {
	r := reader{file: name}
	c := &Config{Name: name}
	root := r.document(data)
	if root != nil && r.plain(root) {
		all := sections()
		readers := make(map[string]func(*yaml.Node), len(all))
		keys := make([]string, len(all))
		for i, s := range all {
			keys[i] = s.key
			readers[s.key] = func(n *yaml.Node) { s.read(&r, c, n) }
		}
		r.mapping(root, "the file", keys, readers)
	}
	if err := r.errors.sorted(); err != nil {
		return nil, err
	}
	return c, nil
}

// reader reads nodes and collects what is wrong with them.
type reader struct {
	file   string
	errors Errors
}

// fail records what is wrong at a node.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.errors = append(r.errors, &Error{r.file, n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// document returns the one node of a YAML text, nil if there is none.
func (r *reader) document(data []byte) *yaml.Node {
	if len(data) > MaxFile {
		r.fail(&yaml.Node{}, "the file is larger than %d bytes", MaxFile)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		r.notYAML(err)
		return nil
	}
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.notYAML(err)
		return nil
	default:
		r.fail(&more, "a second document begins here: the file is one")
		return nil
	}
	if root := doc.Content[0]; root.ShortTag() != "!!null" || root.Anchor != "" {
		return root
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// notYAML takes the line out of the text of the YAML package's error, which has
// it nowhere else.
func (r *reader) notYAML(err error) {
	text := err.Error()
	at := &yaml.Node{}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		at.Line, _ = strconv.Atoi(m[1]) // "" is line 0
		text = strings.TrimPrefix(text, m[0])
	}
	r.fail(at, "this is not YAML: %s", shown(text))
}

// plain refuses what makes a YAML text mean other than what it shows.
func (r *reader) plain(n *yaml.Node) bool {
	ok := true
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fail(n, "anchors (&) and aliases (*) are not allowed: write the value out")
		ok = false
	case n.Style&yaml.TaggedStyle != 0:
		r.fail(n, "tags (%s) are not allowed: leave it out", shown(n.Tag))
		ok = false
	}
	for _, child := range n.Content {
		ok = r.plain(child) && ok
	}
	return ok
}

// shown is foreign text as a message has it: short, and only text.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xc0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return plain.Text(s)
}

// quoted is foreign text in quotes.
func quoted(s string) string { return `"` + shown(s) + `"` }
