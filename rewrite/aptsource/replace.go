package aptsource

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// attempt is a way to change a URI in the text so that apt reads to.
type attempt func(uri textmap.Text, f Format, to string) ([]textmap.Edit, bool)

// replaceURI returns the edits of the source of uri that make apt read to: the
// first attempt that works, the smallest change first.
func replaceURI(uri textmap.Text, f Format, to string) ([]textmap.Edit, bool) {
	for _, try := range []attempt{replaceScheme, replaceDecoded, replaceWhole} {
		if !works(try, uri.String(), f, to) {
			continue
		}
		edits, ok := try(uri, f, to)
		if ok && disjoint(edits) {
			return edits, true
		}
	}
	return nil, false
}

// replaceScheme works where the rest is the same, even if it is spelled in a
// way of its own.
func replaceScheme(uri textmap.Text, f Format, to string) ([]textmap.Edit, bool) {
	decoded := decodeURI(uri, f)
	from, want := splitAddress(decoded.String()), splitAddress(to)
	n := len(from.scheme)
	from.scheme = want.scheme
	if from != want {
		return nil, false
	}
	return decoded.Replace(0, n, want.scheme)
}

// replaceDecoded changes the bytes that differ once quotes and escapes are
// removed. It gives up where that would write new percent escapes.
func replaceDecoded(uri textmap.Text, f Format, to string) ([]textmap.Edit, bool) {
	decoded := decodeURI(uri, f)
	edits, ok := decoded.Replace(0, decoded.Len(), to)
	for _, e := range edits {
		ok = ok && strings.Count(e.New, "%") <= strings.Count(to, "%")
	}
	return edits, ok
}

// replaceWhole replaces quotes and escapes too.
func replaceWhole(uri textmap.Text, _ Format, to string) ([]textmap.Edit, bool) {
	return uri.Replace(0, uri.Len(), to)
}

func decodeURI(uri textmap.Text, f Format) textmap.Text {
	if f == OneLine {
		return decodeWord(uri)
	}
	return uri
}

// works makes the attempt on a copy of the URI and reads the result.
func works(try attempt, uri string, f Format, to string) bool {
	edits, ok := try(textmap.Identity(uri), f, to)
	if !ok {
		return false
	}
	for _, e := range edits {
		if !harmless(e.New) {
			return false
		}
	}
	edited, ok := textmap.Apply(uri, edits)
	return ok && readsAs(edited, f, to)
}

// harmless reports whether s means itself to shells, sed, JSON and apt. A
// slash can be sed's delimiter: where it is, the text's source spells it with
// an escape, and so will the edit.
func harmless(s string) bool {
	for _, c := range []byte(s) {
		if !isAlnum(c) && strings.IndexByte("-._~:/@%+,=[]", c) < 0 {
			return false
		}
	}
	return true
}

// readsAs reports whether the text is one word that apt reads as uri.
func readsAs(text string, f Format, uri string) bool {
	switch f {
	case OneLine:
		r := wordReader{s: text}
		if _, ok := r.next(); !ok || r.at != len(text) || strings.Contains(text, "#") {
			return false
		}
	case MirrorList:
		if strings.Contains(text, "\t") {
			return false
		}
	default:
		if strings.ContainsFunc(text, isSpaceRune) {
			return false
		}
	}
	decoded := decodeURI(textmap.Identity(text), f).String()
	return canonical(decoded) == canonical(uri)
}

// disjoint reports whether the edits are in order and do not overlap.
func disjoint(edits []textmap.Edit) bool {
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start {
			return false
		}
		at = e.End
	}
	return true
}
