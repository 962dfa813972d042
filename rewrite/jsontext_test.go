package rewrite

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// TestDecodeArray checks strings and the places of an escape's bytes.
func TestDecodeArray(t *testing.T) {
	for _, row := range []struct{ src, find, place string }{
		{`["wget", "http://h/a"]`, "http://h/a", "http://h/a"},
		{`[ "a" , "http:\/\/h\/a" ]`, "://h", `:\/\/h`},
		{`["http\u003a\u002F/h"]`, ":/", `\u003a\u002F`},
		{`["\"http://h\""]`, "http://h", "http://h"},
		{`["\ud83d\ude00http://h"]`, "http", "http"},
		{`["\ud83d\ude00x"]`, "😀", `\ud83d\ude00`},
		{`["\\", "]", "[\"", "http"]`, "http", "http"},
	} {
		var want []string
		if err := json.Unmarshal([]byte(row.src), &want); err != nil {
			t.Fatal(err)
		}
		texts := decodeArray(textmap.Identity(row.src), want)
		checkTexts(t, want, texts)
		last := texts[len(texts)-1]
		at := strings.Index(last.String(), row.find)
		i, j, ok := last.Range(at, at+len(row.find))
		if !ok || row.src[i:j] != row.place {
			t.Errorf("%s: %q stands at %q, want %q", row.src, row.find, row.src[i:j], row.place)
		}
	}
}

// FuzzDecodeArray checks that each string is encoding/json's.
func FuzzDecodeArray(f *testing.F) {
	for _, src := range []string{`["a","\u002f\ud83d\ude00","\ude00\ud83d"]`, `[ "\"" , "]" ]`, "[\"\xff\"]"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var want []string
		if json.Unmarshal([]byte(src), &want) != nil || strings.Contains(src, "null") {
			return
		}
		checkTexts(t, want, decodeArray(textmap.Identity(src), want))
	})
}
