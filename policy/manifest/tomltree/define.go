package tomltree

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// What may be defined where is TOML 1.0, sections "Table", "Inline Table",
// "Array of Tables" and "Keys". Where the text leaves room, it is what
// Python's tomllib does.

// table is [a.b]: the table may be there already if only headers of deeper
// tables made it.
func (b *builder) table(n *unstable.Node) {
	parent, last, ok := b.open(n)
	if !ok {
		return
	}
	e := parent.Entry(last.key)
	switch {
	case e == nil:
		made := b.group(Table, header, 0, 0)
		parent.add(last.key, last.start, last.end, made)
		b.into = made
	case e.Value.Kind == Table && e.Value.made == implied:
		e.Start, e.End = last.start, last.end
		e.Value.made = header
		b.into = e.Value
	default:
		b.fail(last.start, "%s is defined twice", name(last.key))
		return
	}
	b.into.Start, b.into.End = b.headerSpan(n)
}

// arrayTable is [[a.b]], one more table of an array.
func (b *builder) arrayTable(n *unstable.Node) {
	parent, last, ok := b.open(n)
	if !ok {
		return
	}
	start, end := b.headerSpan(n)
	e := parent.Entry(last.key)
	if e == nil {
		e = parent.add(last.key, last.start, last.end, b.group(Array, repeated, start, end))
	}
	if !e.Value.Repeated() {
		b.fail(last.start, "%s is defined twice, and not as an array of tables before", name(last.key))
		return
	}
	b.into = b.group(Table, header, start, end)
	e.Value.in.items = append(e.Value.in.items, b.into)
}

// open walks to the parent of the table that a header names.
func (b *builder) open(n *unstable.Node) (parent *Value, last part, ok bool) {
	b.section++
	parts := b.parts(n.Key())
	if b.err != nil {
		return nil, part{}, false
	}
	parent = b.doc.Root
	for _, p := range parts[:len(parts)-1] {
		e := parent.Entry(p.key)
		if e == nil {
			e = parent.add(p.key, p.start, p.end, b.group(Table, implied, p.start, p.end))
		}
		parent = e.Value.last()
		if parent.Kind != Table || parent.made == inline {
			b.fail(p.start, "%s is no table that more can be added to", name(p.key))
			return nil, part{}, false
		}
	}
	return parent, parts[len(parts)-1], true
}

// headerSpan is the line of a header from its first bracket to its last.
func (b *builder) headerSpan(n *unstable.Node) (start, end int) {
	it := n.Key()
	for first := true; it.Next(); first = false {
		i, j := b.span(it.Node().Raw)
		if first {
			start = i
		}
		end = j
	}
	for start > b.skip && strings.IndexByte(" \t[", b.src[start-1]) >= 0 {
		start--
	}
	for start < end && b.src[start] != '[' {
		start++
	}
	for end < len(b.src) && strings.IndexByte(" \t]", b.src[end]) >= 0 {
		end++
	}
	for end > start && b.src[end-1] != ']' {
		end--
	}
	return start, end
}

// keyValue is a.b = value in the table t.
func (b *builder) keyValue(t *Value, n *unstable.Node) {
	parts := b.parts(n.Key())
	if b.err != nil {
		return
	}
	last := parts[len(parts)-1]
	for _, p := range parts[:len(parts)-1] {
		e := t.Entry(p.key)
		if e == nil {
			e = t.add(p.key, p.start, p.end, b.group(Table, dotted, p.start, p.end))
			e.Value.in.section = b.section
		}
		t = e.Value
		if t.Kind == Table && t.made == implied {
			t.made, t.in.section = dotted, b.section
		}
		if t.Kind != Table || t.made != dotted || t.in.section != b.section {
			b.fail(p.start, "%s is no table that a dotted key can add to", name(p.key))
			return
		}
	}
	if t.Entry(last.key) != nil {
		b.fail(last.start, "%s is defined twice", name(last.key))
		return
	}
	_, end := b.span(n.Raw)
	t.add(last.key, last.start, last.end, b.value(n.Value(), b.valueStart(last.end), end))
}

// valueStart is the first byte of the value behind a key's last part.
func (b *builder) valueStart(at int) int {
	blank := func() {
		for at < len(b.src) && (b.src[at] == ' ' || b.src[at] == '\t') {
			at++
		}
	}
	blank()
	if at < len(b.src) && b.src[at] == '=' {
		at++
	}
	blank()
	return at
}

// name is a key as a message shows it.
func name(key string) string {
	if len(key) > 60 {
		key = key[:60] + "…"
	}
	return strings.ToValidUTF8(key, "�")
}
