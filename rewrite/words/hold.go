package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// hold is a place whose text must stay, though something else fetches it: the
// same text is compared with an address, or taken apart at its scheme.
type hold struct {
	source
	start, end int
	why        string
}

// hold keeps every edit out of w's text.
func (a *analyser) hold(w word, why string) {
	for _, p := range w.pieces {
		if start, end, ok := p.text.Range(0, p.text.Len()); ok && !p.opaque {
			a.holds = append(a.holds, hold{p.source, start, end, why})
		}
	}
	a.urls(w, matchUse(why))
}

// held takes the edits of the places that must stay. A variable of the
// environment is listed once more, as text that is matched: whoever edits its
// definition for another command has to know.
func (a *analyser) held(all []Fetch) []Fetch {
	if len(a.holds) == 0 {
		return all
	}
	out := make([]Fetch, 0, len(all))
	for _, f := range all {
		why := a.holder(f)
		if why == "" || len(f.Edits) == 0 {
			out = append(out, f)
			continue
		}
		f.Edits, f.Unedited = nil, why
		out = append(out, f)
		if f.Arg == VarArg {
			f.Role, f.Reason, f.Unedited = route.Match, why, ""
			f.Decision = a.decide(f.URL, f.Role)
			out = append(out, f)
		}
	}
	return out
}

func (a *analyser) holder(f Fetch) (why string) {
	for _, h := range a.holds {
		if h.source == (source{f.Arg, f.Var}) && h.start < f.End && f.Start < h.end {
			return h.why
		}
	}
	return ""
}

// compare looks at two words that the text compares: an address of the text
// itself stays, and so does a variable that is compared with one.
func (sh *shellText) compare(a, b word) {
	sh.compared(a, mentionsHTTP(b.s))
	sh.compared(b, mentionsHTTP(a.s))
}

func (sh *shellText) compared(w word, withHTTP bool) {
	switch {
	case w.written():
		sh.a.urls(w, matchUse("compared"))
	case withHTTP:
		sh.a.hold(w, "its value is compared with an address")
	}
}

// mentionsHTTP reports whether text tells http from https.
func mentionsHTTP(s string) bool { return strings.Contains(s, "http:") }
