package pep508

import (
	"testing"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

func FuzzParse(f *testing.F) {
	for i, a := range readAnswers(f).Requirements {
		if i%10 == 0 || a.URL != "" {
			f.Add(a.In)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			checkSyntaxError(t, err, text)
			return
		}
		checkSpans(t, r, text)
		if len(r.String()) <= MaxLength {
			checkRoundTrip(t, r)
		}
	})
}

func FuzzParseMarker(f *testing.F) {
	answers := readAnswers(f)
	for _, a := range answers.Markers {
		f.Add(a.In)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMarker(text)
		if err != nil {
			checkSyntaxError(t, err, text)
			return
		}
		normal := m.String()
		if len(normal) > MaxLength {
			return
		}
		again, err := ParseMarker(normal)
		if err != nil || again.String() != normal {
			t.Fatalf("%q reads as %q, and that as %q, %v", text, normal, again, err)
		}
		before, after := evaluate(m, answers.Envs), evaluate(again, answers.Envs)
		if before != after {
			t.Errorf("%q evaluates to %s, and as %q to %s", text, before, normal, after)
		}
		if m.Never(pep440.All()) && before != "00000" && before != "EEEEE" {
			t.Errorf("%q is said to be never true, and evaluates to %s", text, before)
		}
	})
}

func checkSyntaxError(t *testing.T, err error, text string) {
	t.Helper()
	syntax, ok := err.(*SyntaxError)
	if !ok || syntax.Offset < 0 || syntax.Offset > len(text) || syntax.Msg == "" {
		t.Errorf("%q gives %#v", text, err)
	}
}

// checkSpans holds that the spans are in the order of the grammar, and hold
// what the fields say.
func checkSpans(t *testing.T, r Requirement, text string) {
	t.Helper()
	last := 0
	for _, s := range []Span{r.NameSpan, r.ExtrasSpan, {r.SpecSpan.Start, r.SpecInner.Start}, r.SpecInner, {r.SpecInner.End, r.SpecSpan.End}, r.URLSpan, r.MarkerSpan} {
		if s == (Span{}) {
			continue
		}
		if s.Start < last || s.End < s.Start || s.End > len(text) {
			t.Fatalf("the spans of %q: %+v", text, r)
		}
		last = s.End
	}
	cut := func(s Span) string { return text[s.Start:s.End] }
	if cut(r.NameSpan) != r.Name || cut(r.URLSpan) != r.URL || r.ExtrasSpan.Empty() && r.Extras != nil {
		t.Errorf("the spans of %q: %+v", text, r)
	}
	if s, err := pep440.ParseSpecifiers(cut(r.SpecInner)); err != nil || s.String() != r.Specifiers.String() {
		t.Errorf("the specifier of %q is %q: %v", text, cut(r.SpecInner), err)
	}
	if r.Marker != nil {
		if m, err := ParseMarker(cut(r.MarkerSpan)); err != nil || m.String() != r.Marker.String() {
			t.Errorf("the marker of %q is %q: %v", text, cut(r.MarkerSpan), err)
		}
	}
}
