package ack

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// SyntaxError is what is wrong in a file, and where.
type SyntaxError struct {
	Line    int // from 1; 0 if it is on none
	Message string
}

// Error returns the line and the message.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

func wrong(line int, format string, args ...any) error {
	return &SyntaxError{line, fmt.Sprintf(format, args...)}
}

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 1 << 20

// Parse reads a file of acknowledgements. It is strict: an unknown or missing
// key, a key given twice, two entries for the same, an anchor or a tag are
// errors. A file without a document has no entries. The error is a
// [*SyntaxError].
func Parse(data []byte) ([]Entry, error) {
	root, err := document(data)
	if root == nil || err != nil {
		return nil, err
	}
	keys, err := mapping(root, "version", "acknowledgements")
	if err != nil {
		return nil, err
	}
	if v := keys["version"]; v == nil || v.Value != "1" {
		return nil, wrong(root.Line, `the file has no "version: 1"; other versions are not known`)
	}
	list := keys["acknowledgements"]
	switch {
	case list == nil || list.ShortTag() == "!!null":
		return nil, nil
	case list.Kind != yaml.SequenceNode:
		return nil, wrong(list.Line, "acknowledgements is not a list")
	}
	return entries(list, strings.Count(string(data), "\n")+2)
}

// entries reads the list. end is the line after the file's last.
func entries(list *yaml.Node, end int) ([]Entry, error) {
	var all []Entry
	for i, node := range list.Content {
		e, err := parseEntry(node)
		if err != nil {
			return nil, err
		}
		for j := range all {
			if all[j].same(e) {
				return nil, wrong(node.Line, "acknowledges the same as the entry in line %d; keep one of them", all[j].Line)
			}
		}
		e.Line, e.end = node.Line, end
		if i > 0 {
			all[i-1].end = node.Line
		}
		all = append(all, *e)
	}
	return all, nil
}

func parseEntry(node *yaml.Node) (*Entry, error) {
	keys, err := mapping(node, "rule", "fingerprint", "file", "instruction", "occurrences",
		"reason", "principal", "created", "expires", "repository", "signature")
	if err != nil {
		return nil, err
	}
	r := reader{keys: keys, line: node.Line}
	e := &Entry{
		Subject: Subject{
			Rule: r.text("rule"), Fingerprint: r.text("fingerprint"),
			File: r.optional("file"), Instruction: r.optional("instruction"),
		},
		Occurrences: r.number("occurrences"),
		Reason:      strings.TrimRight(r.text("reason"), "\n"),
		Principal:   r.text("principal"),
		Created:     r.time("created"), Expires: r.time("expires"),
		Repository: r.text("repository"),
		Signature:  tidy(r.optional("signature")),
	}
	if r.err == nil {
		if err := e.Check(); err != nil {
			r.err = wrong(node.Line, "%s", err.Error())
		}
	}
	return e, r.err
}

// reader takes the values of one mapping; err is the first thing wrong.
type reader struct {
	keys map[string]*yaml.Node
	line int
	err  error
}

func (r *reader) fail(line int, format string, args ...any) {
	if r.err == nil {
		r.err = wrong(line, format, args...)
	}
}

func (r *reader) text(name string) string {
	node := r.keys[name]
	switch {
	case node == nil:
		r.fail(r.line, "the entry has no %s", name)
	case node.Kind != yaml.ScalarNode:
		r.fail(node.Line, "%s is not a text", name)
	case node.ShortTag() == "!!null":
		r.fail(node.Line, "%s is empty", name)
	default:
		return node.Value
	}
	return ""
}

// optional is text for a key that need not be there.
func (r *reader) optional(name string) string {
	if r.keys[name] == nil {
		return ""
	}
	return r.text(name)
}

func (r *reader) number(name string) int {
	text := r.text(name)
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil && r.err == nil {
		r.fail(r.keys[name].Line, "%s: %q is not a number", name, text)
	}
	return int(n)
}

func (r *reader) time(name string) time.Time {
	text := r.text(name)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil && r.err == nil {
		r.fail(r.keys[name].Line, "%s: %q is not a time of the form 2006-01-02T15:04:05Z", name, text)
	}
	return t.UTC()
}

// document returns the one node of a YAML text, or nil if there is none.
func document(data []byte) (*yaml.Node, error) {
	if len(data) > MaxFile {
		return nil, wrong(0, "the file is larger than %d bytes", MaxFile)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if empty(data) {
			return nil, nil
		}
		return nil, yamlError(err)
	}
	if dec.Decode(&more) == nil {
		return nil, wrong(more.Line, "a second document begins; the file is one")
	}
	root := doc.Content[0]
	if root.ShortTag() == "!!null" {
		return nil, nil
	}
	return root, plainNodes(root)
}

// empty reports whether a text holds only comments and blanks.
func empty(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError takes the line out of the text of the YAML package's error, which
// has it nowhere else.
func yamlError(err error) error {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return wrong(0, "%s", text)
	}
	line, _ := strconv.Atoi(m[1]) // "" is line 0
	return wrong(line, "is not YAML: %s", strings.TrimPrefix(text, m[0]))
}

// plainNodes refuses what makes a YAML text mean other than what it shows.
func plainNodes(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return wrong(n.Line, "anchors (&) and aliases (*) are not allowed")
	case n.Style&yaml.TaggedStyle != 0:
		return wrong(n.Line, "tags (%s) are not allowed", n.Tag)
	}
	for _, c := range n.Content {
		if err := plainNodes(c); err != nil {
			return err
		}
	}
	return nil
}

// mapping returns the values of a mapping by their keys, which must be among
// those that are known, each once.
func mapping(n *yaml.Node, known ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, wrong(n.Line, "there is no mapping (key: value) here")
	}
	keys := map[string]*yaml.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(known, key.Value):
			return nil, wrong(key.Line, "%q is not a key here; known are %s", key.Value, strings.Join(known, ", "))
		case keys[key.Value] != nil:
			return nil, wrong(key.Line, "%s is given twice", key.Value)
		}
		keys[key.Value] = value
	}
	return keys, nil
}
