package tomltree

import (
	"regexp"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// value makes the value of a node. start and end are its bytes; end is -1
// where only the value's own end tells.
func (b *builder) value(n *unstable.Node, start, end int) *Value {
	switch n.Kind {
	case unstable.Array:
		v := b.group(Array, inline, start, end)
		b.array(v, n)
		return v
	case unstable.InlineTable:
		v := b.group(Table, inline, start, end)
		b.inlineTable(v, n)
		return v
	}
	v := &Value{src: &b.src}
	switch n.Kind {
	case unstable.String:
		v.Kind = String
	case unstable.Bool:
		v.Kind = Bool
	case unstable.Integer:
		v.Kind = Integer
	case unstable.Float:
		v.Kind = Float
	default:
		v.Kind = DateTime
	}
	v.Start, v.End = b.span(n.Raw)
	v.Text = b.same(n.Data, v.Start, v.End)
	if v.Kind == String {
		b.escapes(v.Start, v.End)
	} else if v.Kind == DateTime {
		b.date(v)
	}
	return v
}

// array reads the items. The parser says where scalars stand, and arrays are
// found behind what comes before them.
func (b *builder) array(v *Value, n *unstable.Node) {
	at := v.Start + 1
	for it := n.Children(); it.Next() && b.err == nil; {
		item := b.value(it.Node(), b.gap(at), -1)
		v.in.items = append(v.in.items, item)
		at = item.End
	}
	v.End = b.close(at)
}

// inlineTable reads {…}. A line break or a comma before the closing brace is
// TOML 1.1.
func (b *builder) inlineTable(v *Value, n *unstable.Node) {
	at := v.Start + 1
	for it := n.Children(); it.Next() && b.err == nil; {
		start, end := b.span(it.Node().Raw)
		b.breaks(at, start)
		b.keyValue(v, it.Node())
		at = end
	}
	v.End = b.close(at)
	if len(v.in.entries) > 0 && strings.IndexByte(b.stripped(at, v.End-1), ',') >= 0 {
		b.newer(at, v.End, "a comma before the end of an inline table")
	}
	b.breaks(at, v.End)
	v.freeze()
}

// freeze makes the tables of an inline table's dotted keys part of it.
func (v *Value) freeze() {
	for _, e := range v.in.entries {
		if e.Value.Kind == Table && e.Value.made == dotted {
			e.Value.made = inline
			e.Value.freeze()
		}
	}
}

// gap is the first byte at or behind at that belongs to a value.
func (b *builder) gap(at int) int {
	for at < len(b.src) {
		switch b.src[at] {
		case ' ', '\t', '\r', '\n', ',':
			at++
		case '#':
			at = b.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// close is behind the bracket that follows the last item.
func (b *builder) close(at int) int { return min(b.gap(at)+1, len(b.src)) }

func (b *builder) lineEnd(at int) int {
	if n := strings.IndexByte(b.src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(b.src)
}

// stripped is the source without its comments.
func (b *builder) stripped(from, to int) string {
	var out strings.Builder
	for at := from; at < to; at++ {
		if b.src[at] == '#' {
			at = b.lineEnd(at)
			continue
		}
		out.WriteByte(b.src[at])
	}
	return out.String()
}

// breaks notes a line break between the bytes of an inline table's entries.
func (b *builder) breaks(from, to int) {
	if n := strings.IndexByte(b.src[from:to], '\n'); n >= 0 {
		b.newer(from+n, from+n+1, "a line break in an inline table")
	}
}

// escapes notes the escapes that TOML 1.1 adds, in a string or a key.
func (b *builder) escapes(start, end int) {
	if b.src[start] != '"' {
		return
	}
	for i := start; i+1 < end; i++ {
		if b.src[i] != '\\' {
			continue
		}
		if c := b.src[i+1]; c == 'e' || c == 'x' {
			b.newer(i, i+2, `the escape \`+string(c))
		}
		i++
	}
}

// date is RFC 3339 as TOML 1.0 narrows it; the seconds may be missing in
// TOML 1.1.
var date = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)?(?:(?:^|[Tt ])([01]\d|2[0-3]):([0-5]\d)(:([0-5]\d|60)(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$`)

// date checks a date or a time, which the parser only delimits.
func (b *builder) date(v *Value) {
	m := date.FindStringSubmatch(v.Text)
	if m == nil || m[1] == "" && m[7] != "" {
		b.fail(v.Start, "this is no date or time that TOML knows")
		return
	}
	if m[1] != "" {
		if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
			b.fail(v.Start, "there is no such day")
			return
		}
	}
	if m[2] != "" && m[4] == "" {
		b.newer(v.Start, v.End, "a time without seconds")
	}
}
