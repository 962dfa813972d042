package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// jsonValue is a value of a JSON document that knows where it stands.
type jsonValue struct {
	text       string // of a string; "" for others
	isString   bool
	isObject   bool
	start, end int
	entries    []jsonEntry
}

type jsonEntry struct {
	key   string
	value *jsonValue
}

// Bounds on a document.
const (
	maxJSONDepth  = 100     // values inside of each other
	maxJSONValues = 1 << 20 // in all, about
)

// manyJSON returns where there are too many commas, or -1.
func manyJSON(text string) int {
	for at, n := 0, 0; ; n++ {
		i := strings.IndexByte(text[at:], ',')
		if i < 0 {
			return -1
		}
		if at += i + 1; n >= maxJSONValues {
			return at - 1
		}
	}
}

// jsonError says what is wrong with a document.
type jsonError struct {
	offset  int
	message string
}

func (e *jsonError) Error() string { return e.message }

// parseJSON reads a document. Its error is a *jsonError.
func parseJSON(text string) (*jsonValue, error) {
	if !utf8.ValidString(text) {
		return nil, &jsonError{0, "the text is not UTF-8: save it as UTF-8"}
	}
	if at := manyJSON(text); at >= 0 {
		return nil, &jsonError{at, fmt.Sprintf("it has more than %d values", maxJSONValues)}
	}
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		at := len(text)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = max(int(syntax.Offset)-1, 0)
		}
		return nil, &jsonError{at, err.Error()}
	}
	p := jsonParser{text: text, decoder: json.NewDecoder(bytes.NewReader(whole))}
	p.base = strings.Index(text, string(whole))
	p.decoder.UseNumber()
	return p.value(0)
}

type jsonParser struct {
	text    string
	base    int // where the document starts in the text
	decoder *json.Decoder
}

// next returns the next token and its place.
func (p *jsonParser) next() (token json.Token, start, end int) {
	start = p.base + int(p.decoder.InputOffset())
	token, _ = p.decoder.Token() // the whole is known to be valid
	for start < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[start]) >= 0 {
		start++
	}
	return token, start, p.base + int(p.decoder.InputOffset())
}

func (p *jsonParser) value(depth int) (*jsonValue, error) {
	token, start, end := p.next()
	v := &jsonValue{start: start, end: end}
	if depth > maxJSONDepth {
		return nil, &jsonError{start, "values lie too deep inside of each other"}
	}
	switch t := token.(type) {
	case string:
		v.text, v.isString = t, true
	case json.Delim:
		v.isObject = t == '{'
		for p.decoder.More() {
			key := ""
			if v.isObject {
				token, _, _ := p.next()
				key, _ = token.(string)
			}
			child, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if v.isObject {
				v.entries = append(v.entries, jsonEntry{key, child})
			}
		}
		_, _, v.end = p.next()
	}
	return v, nil
}

// get returns the value under a key, the last one as Python takes it; nil if
// there is none.
func (v *jsonValue) get(key string) *jsonValue {
	if v == nil {
		return nil
	}
	for i := len(v.entries) - 1; i >= 0; i-- {
		if v.entries[i].key == key {
			return v.entries[i].value
		}
	}
	return nil
}

// str is a string's content, "" for anything else.
func (v *jsonValue) str() string {
	if v == nil {
		return ""
	}
	return v.text
}
