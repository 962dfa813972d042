package manifest

import (
	"path"
	"regexp"
	"strings"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// wordPlaces are the places of a word's text.
type wordPlaces struct {
	*runReader
	word runline.Word
}

// place is where the bytes stand: in the RUN, or in the ARG or ENV that gives
// them. Bytes from several places stand where the word does.
func (p wordPlaces) place(i, j int) (Span, bool) {
	text := p.word.Text
	if i == j {
		return p.point(i), true
	}
	from, to, ok := text.Range(i, j)
	if ok && from <= to && p.source.text[from:to] == text.String()[i:j] {
		return p.span(from, to), true
	}
	return p.wordSpan(p.word), false
}

// point is the place behind byte i-1.
func (p wordPlaces) point(i int) Span {
	if i > 0 {
		if _, to, ok := p.word.Text.Range(i-1, i); ok {
			return p.span(to, to)
		}
	}
	at := p.wordSpan(p.word)
	return Span{at.Start, at.Start}
}

// word adds one package of a command.
func (r *runReader) word(q Requirement, a runline.Argument, g runline.Grammar) {
	at := wordPlaces{r, a.Word}
	text := a.String()
	q.Quote = ""
	if a.Quote != 0 {
		q.Quote = string(a.Quote)
	}
	if a.Lost.Len() > 0 {
		q.Lost.Text = strings.TrimSpace(a.Lost.String())
		if i, j, ok := a.Lost.Range(0, a.Lost.Len()); ok {
			q.Lost.Span = r.span(i, j)
		}
	}
	q.Fixed = r.fixed(a.Word, at)
	for _, v := range a.Vars {
		if v.Given {
			r.once(r.wordSpan(a.Word), Check, q.Table, "the value of "+shorten(v.Name)+" is its default here: --build-arg can change it")
		}
	}
	switch {
	case a.Kind == runline.Editable || isAddress(text):
		r.address(q, text, at)
	case g == runline.At && r.atVersion(q, text, at), g == runline.Poetry && r.poetryWord(q, text, at):
	default:
		r.specifier(q, text, at, nil)
	}
}

// fixed says why a word can't be edited in place.
func (r *runReader) fixed(w runline.Word, at wordPlaces) string {
	_, exact := at.place(0, w.Text.Len())
	switch {
	case len(w.Unknown) > 0:
		return ""
	case len(w.Vars) > 0 && !exact:
		return "a variable is a part of it: edit the variable's value"
	case !exact:
		return "its text is put together from several parts"
	case w.Nested && w.Quote == 0:
		return "it stands in a text inside of another command"
	}
	return ""
}

// isAddress reports whether pip takes the text for a path or a URL: by its
// scheme, a slash, a dot at the start or the ending of an archive, unless it is
// "name @ …".
func isAddress(text string) bool {
	if hasScheme(text) || isVCS(text) {
		return true
	}
	name, _, _ := strings.Cut(text, "@")
	name, _, _ = strings.Cut(name, ";")
	name, _, _ = strings.Cut(name, "[")
	return strings.Contains(name, "/") || strings.HasPrefix(text, ".") || isArchive(strings.TrimSpace(name))
}

// versioned is name@version, with extras.
var versioned = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)((?:\[[^\]]*\])?)@([^\s/]+)$`)

var (
	// constrained is Poetry's name@constraint.
	constrained = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)((?:\[[^\]]*\])?)@(.+)$`)
	// compared is a name with an operator, of Poetry's too.
	compared = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)((?:\[[^\]]*\])?)\s*([\^~=<>!][^;]*)$`)
)

// poetryWord adds what "poetry add" is given. ok is false if the text names no
// version.
func (r *runReader) poetryWord(q Requirement, text string, at places) (ok bool) {
	m := constrained.FindStringSubmatchIndex(text)
	if m == nil {
		m = compared.FindStringSubmatchIndex(text)
	}
	if m == nil {
		return false
	}
	version := text[m[6]:m[7]]
	admits := []pep440.Specifiers{{}}
	if version != "latest" && !unknown.MatchString(version) {
		var err error
		if admits, err = poetryConstraint(version); err != nil {
			span, _ := at.place(m[6]+errorOffset(err), m[6]+errorOffset(err))
			r.fail(q.File, span.Start, q.what()+"has no constraint that Poetry knows: "+err.Error())
			return true
		}
	}
	q.Syntax = PoetryConstraint
	r.atName(q, text, at, m, admits)
	return true
}

// atVersion adds uv's name@version. ok is false if the text is none.
func (r *runReader) atVersion(q Requirement, text string, at places) (ok bool) {
	m := versioned.FindStringSubmatchIndex(text)
	if m == nil {
		return false
	}
	version := text[m[6]:m[7]]
	admits := []pep440.Specifiers{{}}
	if version != "latest" {
		v, err := pep440.Parse(version)
		if err != nil {
			return false
		}
		s, err := pep440.ParseSpecifiers("==" + v.String())
		if err != nil {
			return false
		}
		admits = []pep440.Specifiers{s}
	}
	q.Syntax = BareVersion
	r.atName(q, text, at, m, admits)
	return true
}

// atName adds a requirement in the form name@version, whose parts m tells.
func (r *runReader) atName(q Requirement, text string, at places, m []int, admits []pep440.Specifiers) {
	q.Text, q.Written = text, text[m[2]:m[3]]
	q.Name = normal(q.Written)
	if extras := strings.Trim(text[m[4]:m[5]], "[]"); extras != "" {
		for e := range strings.SplitSeq(extras, ",") {
			q.Extras = append(q.Extras, strings.TrimSpace(e))
		}
	}
	q.Span, _ = at.place(0, len(text))
	q.Spec, _ = at.place(m[6], m[7])
	q.Admits = admits
	if unknown.MatchString(text) {
		q.unproved("its version is a variable whose value is not known")
	}
	r.add(q)
}

// beside is the path of a file next to another one.
func beside(file, name string) string { return path.Join(path.Dir(file), name) }
