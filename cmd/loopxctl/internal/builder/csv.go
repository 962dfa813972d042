package builder

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tonistiigi/go-csvvalue"
)

// attributes are the fields of a flag's value, "key=value,key=value".
type attributes map[string]string

// parseFields reads fields. A flag is named in the error; the value isn't: it may
// be a secret.
func parseFields(flag, value string) (attributes, error) {
	fields, err := csvvalue.Fields(value, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: the value is not KEY=VALUE,KEY=VALUE,…: %w", flag, err)
	}
	attrs := attributes{}
	for i, field := range fields {
		key, text, ok := strings.Cut(field, "=")
		if !ok {
			return nil, fmt.Errorf("%s: field %d is not KEY=VALUE", flag, i+1)
		}
		attrs[strings.ToLower(strings.TrimSpace(key))] = text
	}
	return attrs, nil
}

// take removes a field, under the first of its names that is there.
func (a attributes) take(names ...string) string {
	for _, name := range names {
		if value, ok := a[name]; ok {
			delete(a, name)
			return value
		}
	}
	return ""
}

// none is an error if fields are left.
func (a attributes) none(flag, known string) error {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		return fmt.Errorf("%s: there is no key %q; known are %s", flag, key, known)
	}
	return nil
}

// String writes the fields back, in the order of their names.
func (a attributes) String() string {
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(a)) {
		field := key + "=" + a[key]
		if strings.ContainsAny(field, `,"`) {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		fields = append(fields, field)
	}
	return strings.Join(fields, ",")
}

// pairs reads NAME=VALUE flags.
func pairs(flag string, list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, text := range list {
		name, value, _ := strings.Cut(text, "=")
		if name == "" {
			return nil, fmt.Errorf("%s %q has no name: write NAME=VALUE", flag, text)
		}
		all[name] = value
	}
	return all, nil
}
