package osv

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Decode calls each with every record of a JSON text: one record or several one
// behind the other, with or without line breaks (JSON lines), or arrays of
// them. line is the number of the text's first line, for messages.
//
// The error is that of each, or an [*Error] about text that is no JSON, has a
// field of the wrong type or twice, is nested too deep, or holds a record
// without an id. Fields that the schema does not have are skipped. Records are
// not copied: they keep the text alive.
func Decode(text string, line int, each func(Record) error) error {
	c := &cursor{text: strings.TrimPrefix(text, "\ufeff"), line: line}
	if !utf8.ValidString(c.text) {
		c.pos = invalidAt(c.text)
		return c.fail("the text is not UTF-8")
	}
	for c.next() != 0 {
		if err := c.records(each); err != nil {
			return err
		}
	}
	return nil
}

// invalidAt is the offset of the first byte that is not UTF-8.
func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return len(text)
}

// records reads a record, or an array of them.
func (c *cursor) records(each func(Record) error) error {
	if c.next() == '[' {
		return c.array(func() error { return c.records(each) })
	}
	r, err := c.record()
	if err != nil {
		return err
	}
	return each(r)
}

func (c *cursor) record() (Record, error) {
	var r Record
	start := c.pos
	err := c.object(true, func(name string) error {
		switch name {
		case "id":
			return c.text1(name, &r.ID)
		case "aliases":
			return c.texts(name, &r.Aliases)
		case "upstream":
			return c.texts(name, &r.Upstream)
		case "related":
			return c.texts(name, &r.Related)
		case "published":
			return c.time(name, &r.Published, &r.Notes)
		case "modified":
			return c.time(name, &r.Modified, &r.Notes)
		case "withdrawn":
			return c.time(name, &r.Withdrawn, &r.Notes)
		case "summary":
			return c.text1(name, &r.Summary)
		case "details":
			return c.text1(name, &r.Details)
		case "severity":
			return c.pairs("type", "score", func(kind, score string) { r.Severity = append(r.Severity, Severity{kind, score}) })
		case "references":
			return c.pairs("type", "url", func(kind, url string) { r.References = append(r.References, Reference{kind, url}) })
		case "affected":
			return c.each(func() error {
				a, err := c.affected()
				r.Affected = append(r.Affected, a)
				return err
			})
		case "database_specific":
			return c.rating(&r.Rating)
		}
		return c.skip()
	})
	switch {
	case err != nil:
	case r.ID == "":
		c.pos = start
		err = c.fail("a record has no id")
	case r.Modified.IsZero() && len(r.Notes) == 0:
		r.Notes = append(r.Notes, "it does not say when it was modified")
	}
	return r, err
}

func (c *cursor) affected() (Affected, error) {
	var a Affected
	err := c.object(true, func(name string) error {
		switch name {
		case "package":
			return c.fields(func(name string) error {
				switch name {
				case "ecosystem":
					return c.text1(name, &a.Ecosystem)
				case "name":
					return c.text1(name, &a.Name)
				case "purl":
					return c.text1(name, &a.PURL)
				}
				return c.skip()
			})
		case "severity":
			return c.pairs("type", "score", func(kind, score string) { a.Severity = append(a.Severity, Severity{kind, score}) })
		case "ranges":
			return c.each(func() error {
				r, err := c.versionRange()
				a.Ranges = append(a.Ranges, r)
				return err
			})
		case "versions":
			return c.texts(name, &a.Versions)
		case "ecosystem_specific":
			return c.binaries(&a.Binaries)
		}
		return c.skip()
	})
	return a, err
}

// binaries reads the packages that Ubuntu's records name in what the schema
// leaves to an ecosystem. Other shapes are not for us, and no error.
func (c *cursor) binaries(to *[]Binary) error {
	if c.next() != '{' {
		return c.skip()
	}
	return c.object(false, func(name string) error {
		if name != "binaries" || c.next() != '[' {
			return c.skip()
		}
		return c.array(func() error { return c.binary(to) })
	})
}

// binary reads {"binary_name": NAME, "binary_version": VERSION}, or the older
// {NAME: VERSION, …}.
func (c *cursor) binary(to *[]Binary) error {
	if c.next() != '{' {
		return c.skip()
	}
	var one Binary
	err := c.object(false, func(name string) error {
		if c.next() != '"' {
			return c.skip()
		}
		value, err := c.str()
		switch name {
		case "binary_name":
			one.Name = value
		case "binary_version":
			one.Version = value
		default:
			*to = append(*to, Binary{name, value})
		}
		return err
	})
	if one.Name != "" {
		*to = append(*to, one)
	}
	return err
}

func (c *cursor) versionRange() (Range, error) {
	var r Range
	err := c.object(true, func(name string) error {
		switch name {
		case "type":
			return c.text1(name, &r.Type)
		case "repo":
			return c.text1(name, &r.Repo)
		case "events":
			return c.each(func() error {
				e, err := c.event()
				r.Events = append(r.Events, e)
				return err
			})
		}
		return c.skip()
	})
	return r, err
}

func (c *cursor) event() (Event, error) {
	var e Event
	n := 0
	err := c.object(true, func(name string) error {
		for kind := Introduced; kind <= Limit; kind++ {
			if name == kind.String() {
				n++
				e.Kind = kind
				return c.text1(name, &e.Version)
			}
		}
		return c.skip()
	})
	e.Broken = n != 1 || e.Version == ""
	return e, err
}

// rating reads what a database says of its own, as GitHub's does.
func (c *cursor) rating(to *string) error {
	if c.next() != '{' {
		return c.skip()
	}
	return c.object(false, func(name string) error {
		if name == "severity" && c.next() == '"' {
			return c.text1(name, to)
		}
		return c.skip()
	})
}

// text1 reads a string; null is none.
func (c *cursor) text1(name string, to *string) (err error) {
	if c.null() {
		return nil
	}
	if b := c.next(); b != '"' && b != 0 {
		return c.fail("the field %q holds %s and must hold a string", name, kind(b))
	}
	*to, err = c.str()
	return err
}

// texts reads an array of strings; null is an empty one.
func (c *cursor) texts(name string, to *[]string) error {
	if b := c.next(); b != '[' && b != 'n' && b != 0 {
		return c.fail("the field %q holds %s and must hold an array", name, kind(b))
	}
	return c.each(func() error {
		s, err := c.str()
		*to = append(*to, s)
		return err
	})
}

// each reads an array; null is an empty one.
func (c *cursor) each(item func() error) error {
	if c.null() {
		return nil
	}
	return c.array(item)
}

// fields reads an object; null is an empty one.
func (c *cursor) fields(field func(name string) error) error {
	if c.null() {
		return nil
	}
	return c.object(true, field)
}

// pairs reads an array of objects that have two strings.
func (c *cursor) pairs(first, second string, add func(a, b string)) error {
	return c.each(func() error {
		var a, b string
		err := c.object(true, func(name string) error {
			switch name {
			case first:
				return c.text1(name, &a)
			case second:
				return c.text1(name, &b)
			}
			return c.skip()
		})
		add(a, b)
		return err
	})
}

// time reads a timestamp of RFC 3339. One that is none is noted and left out: a
// record that says that it was withdrawn, and not when, counts.
func (c *cursor) time(name string, to *time.Time, notes *[]string) error {
	var s string
	if err := c.text1(name, &s); err != nil || s == "" {
		return err
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		*notes = append(*notes, fmt.Sprintf("the field %q holds %.40q, which is no time", name, s))
		return nil
	}
	*to = t.UTC()
	return nil
}
