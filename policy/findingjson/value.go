package findingjson

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
)

// count is a line or a column; 0 means unknown.
type count int

// UnmarshalJSON takes numbers from 0 up.
func (c *count) UnmarshalJSON(raw []byte) error {
	var n int32
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || string(raw) == "null" {
		return errors.New("it must be a whole number, counted from 1")
	}
	*c = count(n)
	return nil
}

// words is a list of strings; one string counts as a list of words between
// commas.
type words []string

// UnmarshalJSON takes a string or an array of strings.
func (w *words) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		for word := range strings.SplitSeq(one, ",") {
			*w = append(*w, strings.TrimSpace(word))
		}
		return nil
	}
	if err := json.Unmarshal(raw, (*[]string)(w)); err != nil {
		return errors.New("it must be an array of strings")
	}
	return nil
}

// tool is a name, or an object with name and version.
type tool policy.Tool

// UnmarshalJSON takes a string or an object.
func (t *tool) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &t.Name) == nil {
		return nil
	}
	var object struct{ Name, Version string }
	if err := json.Unmarshal(raw, &object); err != nil {
		return errors.New(`it must be a string, or an object with "name" and "version"`)
	}
	*t = tool(object)
	return nil
}
