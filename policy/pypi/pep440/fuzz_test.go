package pep440

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// grammar is PEP 440's syntax of version numbers written as one expression, in
// small letters and without white space around it.
const grammar = `^v?(\d+!)?\d+(\.\d+)*` +
	`([-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?\d*)?` +
	`(-\d+|[-_.]?(post|rev|r)[-_.]?\d*)?` +
	`([-_.]?dev[-_.]?\d*)?` +
	`(\+[a-z\d]+([-_.][a-z\d]+)*)?$`

func FuzzParse(f *testing.F) {
	for _, row := range loadVectors(f).Versions {
		f.Add(row.In)
	}
	valid := regexp.MustCompile(grammar)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		if err != nil {
			checkOffset(t, err, text)
		}
		start, end := trimSpace(text)
		if want := valid.MatchString(smallASCII(text[start:end])); (err == nil) != want {
			t.Fatalf("%q: error %v, but the grammar says %v", text, err, want)
		}
		if err != nil {
			return
		}
		if v.Original() != text {
			t.Fatalf("%q has the original %q", text, v.Original())
		}
		again := mustParse(t, v.String())
		if again.key != v.key || again.String() != v.String() || again.shape != v.shape {
			t.Fatalf("%q prints as %q, which prints as %q", text, v, again)
		}
		if public := v.Public(); public.Compare(v) > 0 || public.Local() != "" || mustParse(t, public.String()).key != public.key {
			t.Fatalf("%q has the public version %q", text, public)
		}
	})
}

// smallASCII lowers ASCII letters alone.
func smallASCII(text string) string {
	return string([]byte(strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r | 0x20
		}
		return r
	}, text)))
}

func checkOffset(t *testing.T, err error, text string) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
		t.Fatalf("%q: error %#v", text, err)
	}
	if message := err.Error(); !utf8.ValidString(message) || strings.ContainsFunc(message, func(r rune) bool { return r < ' ' }) {
		t.Fatalf("%q: the message %q has raw text in it", text, message)
	}
}

func FuzzSpecifiers(f *testing.F) {
	rows := loadVectors(f).Contains
	for i, row := range rows {
		f.Add(row.Spec, rows[(i+1)%len(rows)].Spec, row.V[0])
	}
	f.Fuzz(func(t *testing.T, textA, textB, textV string) {
		a, err := ParseSpecifiers(textA)
		if err != nil {
			checkOffset(t, err, textA)
			return
		}
		again := mustSpecifiers(t, a.String())
		if again.String() != a.String() || !again.Set().Equal(a.Set()) || again.NamesPre() != a.NamesPre() {
			t.Fatalf("%q prints as %q, which is something else", textA, a)
		}
		readsBack(t, a.Set())
		b, errB := ParseSpecifiers(textB)
		v, errV := Parse(textV)
		if errB != nil || errV != nil {
			return
		}
		if got, want := a.And(b).Contains(v, PreYes), a.Contains(v, PreYes) && b.Contains(v, PreYes); got != want {
			t.Fatalf("%q and %q contain %v: %v, want %v", a, b, v, got, want)
		}
		if strings.Contains(textA, "===") || strings.Contains(textB, "===") {
			return
		}
		setsAgree(t, a, b, v)
	})
}

func readsBack(t *testing.T, s Set) {
	t.Helper()
	if text, ok := s.Specifiers(); ok && !mustSpecifiers(t, text).Set().Equal(s) {
		t.Fatalf("%v became %q", s, text)
	}
	for _, v := range s.Examples(4) {
		if !s.Contains(v) {
			t.Fatalf("%v is no member of %v", v, s)
		}
	}
}

func setsAgree(t *testing.T, a, b Specifiers, v Version) {
	t.Helper()
	setA, setB := a.Set(), b.Set()
	inA, inB := a.Contains(v, PreYes), b.Contains(v, PreYes)
	if setA.Contains(v) != inA || setB.Contains(v) != inB {
		t.Fatalf("%v: in %v %v and in %v %v, but not so in their sets %v, %v", v, a, inA, b, inB, setA, setB)
	}
	if setA.Union(setB).Contains(v) != (inA || inB) || setA.Intersect(setB).Contains(v) != (inA && inB) {
		t.Fatalf("%v and the operations on %v, %v disagree", v, setA, setB)
	}
	readsBack(t, setA.Union(setB))
	readsBack(t, setA.Minus(setB))
}
