// Package aptconf holds apt's configuration as a method is told of it: the
// items of a "601 Configuration" message.
package aptconf

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Conf is a configuration: full item names ("Acquire::http::Timeout"), which
// are compared without regard to case, and their values. The zero Conf is
// empty. A Conf may be used by several goroutines.
type Conf struct {
	mu     sync.RWMutex
	values map[string]string
	lists  map[string][]string
}

// Add adds one item. A name that ends in "::" is an element of a list; of two
// items with the same name the later wins, as in apt.
func (c *Conf) Add(name, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values, c.lists = map[string]string{}, map[string][]string{}
	}
	key := strings.ToLower(name)
	if list, ok := strings.CutSuffix(key, "::"); ok {
		c.lists[list] = append(c.lists[list], value)
		return
	}
	c.values[key] = value
}

// Find returns the value of an item; ok is false if it is not set. A value may
// be set and empty.
func (c *Conf) Find(name string) (value string, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[strings.ToLower(name)]
	return value, ok
}

// Names returns the names, in lower case and sorted, of the items that are set
// below prefix ("Acquire::https"), elements of lists left out.
func (c *Conf) Names(prefix string) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var names []string
	for name := range c.values {
		if strings.HasPrefix(name, strings.ToLower(prefix)+sep) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Move sets each item "prefix::name" as "name", as apt's methods do with what
// is set for one program only ("Binary::http").
func (c *Conf) Move(prefix string) {
	for _, name := range c.Names(prefix) {
		value, _ := c.Find(name)
		c.Add(name[len(prefix)+len(sep):], value)
	}
}

// sep is between the parts of an item's name.
const sep = "::"

// First returns the value of the first of the items that is set, "" if none is.
func (c *Conf) First(names ...string) string {
	for _, n := range names {
		if v, ok := c.Find(n); ok {
			return v
		}
	}
	return ""
}

// List returns the elements of a list, in their order.
func (c *Conf) List(name string) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.lists[strings.ToLower(name)])
}

// Bool returns an item as apt reads one: "no", "false", "without", "off" and
// "disable" are false, "yes", "true", "with", "on" and "enable" are true, and a
// number is true unless it is 0; anything else, and an item that is not set, is
// fallback. Source: StringToBool in apt-pkg/contrib/strutl.cc.
func (c *Conf) Bool(name string, fallback bool) bool {
	v, ok := c.Find(name)
	if !ok {
		return fallback
	}
	if n, err := strconv.Atoi(v); err == nil {
		return n != 0
	}
	switch strings.ToLower(v) {
	case "no", "false", "without", "off", "disable":
		return false
	case "yes", "true", "with", "on", "enable":
		return true
	}
	return fallback
}

// Int returns an item as a number, fallback if it is not set or no number.
func (c *Conf) Int(name string, fallback int) int {
	if v, ok := c.Find(name); ok {
		if n, err := strconv.Atoi(v); err == nil {
			return n
		}
	}
	return fallback
}

// Seconds returns an item as a duration in seconds, as Int does.
func (c *Conf) Seconds(name string, fallback time.Duration) time.Duration {
	n := c.Int(name, -1)
	if n < 0 {
		return fallback
	}
	return time.Duration(n) * time.Second
}
