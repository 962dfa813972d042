package config

import (
	"path"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep503"
)

// floors reads NAME: VERSION, NAME: {version: …} and NAME: [{version: …}, …].
func (r *reader) floors(c *Config, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "floors is no mapping: write lines of the form NAME: {version: 1.2.3}")
		return
	}
	c.Floors = map[string][]Floor{}
	lines := map[string]int{}
	r.pairs(n, func(key, value *yaml.Node) {
		name := r.name(key)
		if name == "" {
			return
		}
		if line := lines[name]; line != 0 {
			r.fail(key, "%s is already in line %d, in another spelling: keep one of them", name, line)
			return
		}
		lines[name] = key.Line
		c.Floors[name] = r.floorList(key, value)
	})
}

// floorList is what stands behind one name.
func (r *reader) floorList(key, n *yaml.Node) []Floor {
	switch n.Kind {
	case yaml.ScalarNode:
		f := Floor{Line: key.Line}
		r.floorVersion(n, &f)
		return []Floor{f}
	case yaml.SequenceNode:
		return r.severalFloors(n)
	}
	return []Floor{r.floor(n, key.Line)}
}

// severalFloors is a list of floors, each for a marker of its own.
func (r *reader) severalFloors(n *yaml.Node) []Floor {
	var all []Floor
	for _, item := range n.Content {
		f := r.floor(item, item.Line)
		if f.Marker == nil && len(n.Content) > 1 && item.Kind == yaml.MappingNode && !has(item, "marker") {
			r.fail(item, "one of several floors has no marker: give each one, so that it is clear which holds where")
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		r.fail(n, "the list is empty: write a floor, or leave the name out")
	}
	return all
}

func has(n *yaml.Node, name string) bool { return keyOf(n, name) != nil }

func (r *reader) floor(n *yaml.Node, line int) Floor {
	f := Floor{Line: line}
	if r.mapping(n, "a floor", []string{"version", "reason", "ids", "marker", "expires"}, map[string]func(*yaml.Node){
		"version": func(n *yaml.Node) { r.floorVersion(n, &f) },
		"reason":  func(n *yaml.Node) { f.Reason = r.text(n) },
		"ids":     func(n *yaml.Node) { f.IDs = r.ids(n) },
		"marker":  func(n *yaml.Node) { f.Marker = r.marker(n) },
		"expires": func(n *yaml.Node) { f.Expires = r.date(n) },
	}) && !has(n, "version") {
		r.fail(n, "the floor has no version: write version: 1.2.3")
	}
	return f
}

// floorVersion reads "1.2.3", ">=1.2.3" or ">1.2.3".
func (r *reader) floorVersion(n *yaml.Node, f *Floor) {
	text := r.text(n)
	if text == "" {
		return
	}
	number, above := text, false
	if rest, ok := strings.CutPrefix(text, ">="); ok {
		number = rest
	} else if rest, ok := strings.CutPrefix(text, ">"); ok {
		number, above = rest, true
	}
	v, err := pep440.Parse(number)
	switch {
	case err != nil:
		r.fail(n, "%s is no version number of PEP 440: write one such as 83.0.0", quoted(text))
	case v.Local() != "":
		r.fail(n, "%s has a local label, which no floor has: write %s", quoted(text), v.Public())
	default:
		f.Version, f.Above = v, above
	}
}

func (r *reader) cap(c *Config, n *yaml.Node) {
	r.mapping(n, "cap", []string{"require", "next_major"}, map[string]func(*yaml.Node){
		"require":    func(n *yaml.Node) { c.Cap.Require = r.bool(n) },
		"next_major": func(n *yaml.Node) { c.Cap.NextMajor = r.bool(n) },
	})
}

func (r *reader) exceptions(c *Config, n *yaml.Node) {
	r.list(n, "exceptions", func(item *yaml.Node) {
		e := Exception{Line: item.Line}
		if !r.mapping(item, "an exception", []string{"id", "name", "file", "marker", "reason", "expires"}, map[string]func(*yaml.Node){
			"id":      func(n *yaml.Node) { e.ID = r.id(n) },
			"name":    func(n *yaml.Node) { e.Name = r.name(n) },
			"file":    func(n *yaml.Node) { e.File = r.filePattern(n) },
			"marker":  func(n *yaml.Node) { e.Marker = r.marker(n) },
			"reason":  func(n *yaml.Node) { e.Reason = r.text(n) },
			"expires": func(n *yaml.Node) { e.Expires = r.date(n) },
		}) {
			return
		}
		if !has(item, "id") && !has(item, "name") {
			r.fail(item, "the exception is for everything: name an advisory (id) or a project (name)")
		}
		r.accountable(item, "the exception")
		c.Exceptions = append(c.Exceptions, e)
	})
}

// accountable asks for a reason and an end.
func (r *reader) accountable(n *yaml.Node, what string) {
	for _, key := range []string{"reason", "expires"} {
		if !has(n, key) {
			r.fail(n, "%s has no %s: it holds for a time and a reason", what, key)
		}
	}
}

// filePattern is a slash path below the root, with what path.Match knows.
func (r *reader) filePattern(n *yaml.Node) string {
	text := r.text(n)
	if _, err := path.Match(text, ""); err != nil || strings.HasPrefix(text, "/") || strings.Contains(text, `\`) {
		r.fail(n, "%s is no pattern of files: write a path from the root with slashes, * and ?, or a folder with a slash at its end", quoted(text))
		return ""
	}
	return strings.TrimPrefix(text, "./")
}

func (r *reader) private(c *Config, n *yaml.Node) {
	r.list(n, "private", func(item *yaml.Node) {
		text := r.text(item)
		switch {
		case text == "":
		case strings.Trim(text, "*") == "":
			r.fail(item, "%s is every project: write the beginning that yours share, such as mycompany-*", quoted(text))
		case !pep503.Valid(strings.ReplaceAll(text, "*", "a")):
			r.fail(item, "%s is no project's name: letters, digits, - _ . and * for any text are allowed", quoted(text))
		default:
			c.Private = append(c.Private, pep503.Normalize(text))
		}
	})
}

func (r *reader) scopes(c *Config, n *yaml.Node) {
	c.Scopes = map[string]bool{}
	readers := map[string]func(*yaml.Node){}
	for _, scope := range scopes() {
		readers[scope] = func(n *yaml.Node) { c.Scopes[scope] = r.bool(n) }
	}
	r.mapping(n, "scopes", scopes(), readers)
}

func (r *reader) advisories(c *Config, n *yaml.Node) {
	r.mapping(n, "advisories", []string{"prefer", "ignore"}, map[string]func(*yaml.Node){
		"prefer": func(n *yaml.Node) {
			r.list(n, "prefer", func(item *yaml.Node) {
				if id := r.id(item); id != "" {
					c.Advisories.Prefer = append(c.Advisories.Prefer, id)
				}
			})
		},
		"ignore": func(n *yaml.Node) { r.list(n, "ignore", func(item *yaml.Node) { r.ignore(c, item) }) },
	})
}

func (r *reader) ignore(c *Config, n *yaml.Node) {
	i := Ignored{Line: n.Line}
	if !r.mapping(n, "an ignored record", []string{"id", "reason", "expires"}, map[string]func(*yaml.Node){
		"id":      func(n *yaml.Node) { i.ID = r.id(n) },
		"reason":  func(n *yaml.Node) { i.Reason = r.text(n) },
		"expires": func(n *yaml.Node) { i.Expires = r.date(n) },
	}) {
		return
	}
	if !has(n, "id") {
		r.fail(n, "the record has no id: write that of the record which is not believed")
	}
	r.accountable(n, "the record that is ignored")
	c.Advisories.Ignore = append(c.Advisories.Ignore, i)
}

// longest is the longest age that is read: more is a slip of the pen.
const longest = 3650 * day

// age reads 7, 7d or 36h. A number alone is days.
func (r *reader) age(n *yaml.Node) time.Duration {
	text := r.text(n)
	if text == "" {
		return 0
	}
	unit, number := day, text
	if rest, ok := strings.CutSuffix(text, "d"); ok {
		number = rest
	} else if rest, ok := strings.CutSuffix(text, "h"); ok {
		unit, number = time.Hour, rest
	}
	count := 0
	for _, c := range number {
		if c < '0' || c > '9' || count > 100_000 {
			number = ""
			break
		}
		count = 10*count + int(c-'0')
	}
	if age := time.Duration(count) * unit; number != "" && age > 0 && age <= longest {
		return age
	}
	r.fail(n, "%s is no age: write a number of days (7d) or hours (36h), of ten years at most", quoted(text))
	return 0
}
