// Package tomltree reads a TOML document into a tree in which every key and
// every value knows where it stands.
//
// The grammar is that of github.com/pelletier/go-toml; what it means (what may
// be defined where, and how often) is checked here, as TOML 1.0 asks. The
// tree is read, never printed: whoever edits cuts bytes of the source.
package tomltree

import "slices"

// Kind is the type of a value.
type Kind uint8

// The kinds. DateTime is each of TOML's four types of dates and times.
const (
	String Kind = iota + 1
	Integer
	Float
	Bool
	DateTime
	Array
	Table
)

// String names the kind as a message does.
func (k Kind) String() string {
	names := [...]string{String: "a string", Integer: "an integer", Float: "a float", Bool: "a boolean", DateTime: "a date", Array: "an array", Table: "a table"}
	if k <= 0 || int(k) >= len(names) {
		return "nothing"
	}
	return names[k]
}

// Value is a value of the document. The zero of *Value, nil, is a value that
// is not there: all methods take it.
type Value struct {
	Kind Kind
	// Start and End are the value's bytes in the source, with its quotes or
	// brackets. A table made by a header has its header's bytes, and one that
	// only headers of deeper tables or dotted keys imply has those of the key
	// that does.
	Start, End int
	// Text is a string's content; the source's own bytes for other scalars.
	Text string

	src  *string // the document
	made origin
	in   *content // of an array or a table
}

// content is what lies in an array or a table.
type content struct {
	items   []*Value
	entries []*Entry
	index   map[string]*Entry // of a table with many entries
	section int               // the header under which a dotted key made the table
}

// Entry is a key of a table with its value.
type Entry struct {
	Key string
	// Start and End are the bytes of the key's own part of a dotted key, its
	// quotes included.
	Start, End int
	Value      *Value
}

// origin says how a table or an array came to be, on which it depends what may
// be added to it.
type origin uint8

const (
	inline   origin = iota // {…} or […]: nothing
	implied                // by the header of a table below it
	header                 // by [name]
	dotted                 // by a dotted key
	repeated               // an array of tables, by [[name]]
)

// manyEntries is from where on a table has an index.
const manyEntries = 8

// Entry returns the key's entry, nil if there is none.
func (v *Value) Entry(key string) *Entry {
	if v == nil || v.in == nil {
		return nil
	}
	if v.in.index != nil {
		return v.in.index[key]
	}
	for _, e := range v.in.entries {
		if e.Key == key {
			return e
		}
	}
	return nil
}

// Get returns the value under the keys, one inside the other, nil if there is
// none.
func (v *Value) Get(keys ...string) *Value {
	for _, k := range keys {
		e := v.Entry(k)
		if e == nil {
			return nil
		}
		v = e.Value
	}
	return v
}

// Entries returns a table's keys in the order in which they first appear.
func (v *Value) Entries() []*Entry {
	if v == nil || v.in == nil {
		return nil
	}
	return v.in.entries
}

// Items returns an array's values.
func (v *Value) Items() []*Value {
	if v == nil || v.in == nil {
		return nil
	}
	return v.in.items
}

// Is reports whether the value is there and of the kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// True reports whether the value is the boolean true.
func (v *Value) True() bool { return v.Is(Bool) && v.Text == "true" }

// Str returns a string's content, "" for anything else.
func (v *Value) Str() string {
	if v.Is(String) {
		return v.Text
	}
	return ""
}

// Repeated reports whether the value is an array of tables that headers made.
func (v *Value) Repeated() bool { return v.Is(Array) && v.made == repeated }

func (v *Value) add(key string, start, end int, child *Value) *Entry {
	e := &Entry{Key: key, Start: start, End: end, Value: child}
	in := v.in
	in.entries = append(in.entries, e)
	switch {
	case in.index != nil:
		in.index[key] = e
	case len(in.entries) > manyEntries:
		in.index = make(map[string]*Entry, 2*len(in.entries))
		for _, e := range in.entries {
			in.index[e.Key] = e
		}
	}
	return e
}

// last is the table that a header below an array of tables goes on with.
func (v *Value) last() *Value {
	if v.Repeated() {
		return v.in.items[len(v.in.items)-1]
	}
	return v
}

// Walk calls visit for v and everything below it, with the keys that lead
// there from v; array items have their array's keys. A visit that returns
// false is not followed down.
func (v *Value) Walk(visit func(keys []string, v *Value) bool) { v.walk(nil, visit) }

func (v *Value) walk(keys []string, visit func([]string, *Value) bool) {
	if v == nil || !visit(keys, v) {
		return
	}
	for _, e := range v.Entries() {
		e.Value.walk(append(slices.Clip(keys), e.Key), visit)
	}
	for _, item := range v.Items() {
		item.walk(keys, visit)
	}
}
