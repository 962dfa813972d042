package rewrite

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// fetch records a URL that stands in text, with what is to be said about it.
// raw is the text before variables were replaced in it, if they were. The
// result is f as it holds for the file.
func (p *planner) fetch(st *stage, in *instruction, f words.Fetch, text, raw textmap.Text) words.Fetch {
	f = p.settled(f, text)
	span := p.place(in, f, text, raw)
	p.fetches = append(p.fetches, located{Fetch{Fetch: f, Range: span, Instruction: in.name, Stage: st.name}, in})
	switch f.Decision.Action {
	case route.Refuse:
		p.report(clearTextRefused(span, f))
	case route.Upgrade, route.Mirror:
		switch {
		case len(f.Edits) > 0:
			p.candidates = append(p.candidates, candidate{clearTextFetch(span, f), &f})
		case f.Unedited != "":
			p.report(notEdited(span, f, f.Unedited))
		}
	}
	return f
}

// settled is f for the file, where the analyser saw a command and its
// environment: a variable's value may come from elsewhere, or have other uses.
func (p *planner) settled(f words.Fetch, text textmap.Text) words.Fetch {
	_, _, scheme := text.Range(0, min(1, text.Len()))
	_, given := p.cfg.BuildArgs[f.Var]
	switch {
	case len(f.Edits) > 0 && f.Arg == words.VarArg && !strings.Contains(text.String(), "://"):
		f.Edits = nil
		f.Unedited = "a part of it is the value of " + f.Var + ", which may have other uses"
	case f.Unedited == "":
	case f.Arg == words.VarArg && given:
		f.Unedited = "the value of " + f.Var + " is given on the command line"
	case !scheme && (f.Arg == words.VarArg || f.Tool == "ADD"):
		f.Unedited = "its scheme is the value of a variable that isn't edited"
	}
	return f
}

// place returns where a URL stands: its bytes, as far as they follow each
// other in the file, or the text that it is made from if the first of them is
// another variable's, or the instruction if it has none of its own.
func (p *planner) place(in *instruction, f words.Fetch, text, raw textmap.Text) Range {
	src := p.file.src.text
	if _, _, ok := text.Range(0, min(1, text.Len())); !ok && raw.Len() > 0 {
		text = raw
		f.Start, f.End, _ = raw.Range(0, raw.Len())
	}
	if f.Start < f.End && f.End <= len(src) && !strings.Contains(src[f.Start:f.End], "\n") {
		return p.file.src.span(f.Start, f.End)
	}
	end := -1
	for k := range text.Len() {
		i, j, ok := text.Range(k, k+1)
		switch {
		case !ok || i < f.Start || i >= f.End:
		case end < 0:
			end = j
		case i >= end && (!strings.Contains(src[end:i], "\n") || src[end] == p.file.escape):
			end = j
		case i >= end:
			return p.file.src.span(f.Start, end)
		}
	}
	if end < 0 {
		return in.span
	}
	return p.file.src.span(f.Start, end)
}

// moved reports whether the decision holds by an edit of the text.
func moved(f words.Fetch) bool {
	return len(f.Edits) > 0 && (f.Decision.Action == route.Upgrade || f.Decision.Action == route.Mirror)
}
