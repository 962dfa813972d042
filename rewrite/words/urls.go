package words

import (
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// span is the half-open range of a URL's bytes.
type span struct{ from, to int }

// schemes that a URL can be recognised by; prefixes such as "git+" are part
// of what pip, and some apt methods, write before them.
var schemes = setOf(`http https ftp git hkp rsync svn
	git+http git+git svn+http svn+svn hg+http bzr+http mirror mirror+http tor+http`)

// spans finds the URLs in s: a known scheme that nothing of a longer scheme
// precedes, "://", and all that can belong to the address.
func spans(s string) []span {
	var out []span
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return out
		}
		i += at
		from := schemeStart(s, at, i)
		at = i + len("://")
		if from < 0 {
			continue
		}
		to := urlEnd(s, at)
		out = append(out, span{from, to})
		at = to
	}
}

// schemeStart returns where the scheme that ends at i begins, not before
// floor, or -1 if it is none that we know.
func schemeStart(s string, floor, i int) int {
	from := i
	for from > floor && isSchemeByte(s[from-1]) {
		from--
	}
	if schemes[strings.ToLower(s[from:i])] {
		return from
	}
	if from > floor && s[from-1] == '\\' && strings.IndexByte("nrt", s[from]) >= 0 && schemes[strings.ToLower(s[from+1:i])] {
		return from + 1 // a newline that the text spells as \n
	}
	for k := from + 1; k < i; k++ {
		if !schemes[strings.ToLower(s[k:i])] {
			continue
		}
		// "-ihttp://…" is a short option with its value glued to it.
		glued := k == from+2 && s[from] == '-'
		if glued || !isLetter(s[k-1]) {
			return k
		}
	}
	return -1
}

func isSchemeByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// urlEnd returns where the address that starts at i ends: before a blank, a
// quote, a bracket that it did not open, another URL of a list, or a
// backslash. "${NAME}" belongs to it.
func urlEnd(s string, i int) int {
	depth, square := 0, 0
	start := i
	for i < len(s) {
		switch c := s[i]; c {
		case '"', '\'', '`', '<', '>', '|', '^', '\\', ' ':
			return trimEnd(s, start, i)
		case '$':
			if i+1 < len(s) && s[i+1] == '{' {
				if n := strings.IndexByte(s[i:], '}'); n > 0 {
					i += n
				}
			}
		case '{', '}':
			return trimEnd(s, start, i)
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return trimEnd(s, start, i)
			}
		case '[':
			square++
		case ']':
			if square--; square < 0 {
				return trimEnd(s, start, i)
			}
		case ',', ';':
			inHost := !strings.Contains(s[start:i], "/")
			if rest := s[i+1:]; inHost || strings.HasPrefix(rest, "http") || rest == "" || rest[0] == ' ' || rest[0] == '"' {
				return trimEnd(s, start, i)
			}
		default:
			if c <= ' ' || c == 0x7f {
				return trimEnd(s, start, i)
			}
		}
		i++
	}
	return trimEnd(s, start, i)
}

// trimEnd drops the punctuation of the sentence that a URL stands in.
func trimEnd(s string, start, end int) int {
	for end > start && strings.IndexByte(".,:;!", s[end-1]) >= 0 {
		end--
	}
	return end
}

// urls emits every URL of w with the given use, unless what stands before the
// URL says better what it is.
func (a *analyser) urls(w word, u use) {
	if u.properties {
		w = w.unescape(func(c byte) (string, bool) { return ":", c == ':' })
	}
	for _, sp := range spans(w.s) {
		a.emit(w, sp, refine(w.s, sp, u))
	}
	w.use()
}

// emit decides the URL w.s[sp] and records it with the edits that it needs.
func (a *analyser) emit(w word, sp span, u use) { a.emitAs(w, sp, "", u) }

// emitAs is emit for an address to which the program adds the scheme assumed
// ("http://") itself.
func (a *analyser) emitAs(w word, sp span, assumed string, u use) {
	url := assumed + w.s[sp.from:sp.to]
	p, k, ok := w.at(sp.from)
	if !ok {
		return
	}
	f := Fetch{URL: url, Role: u.role, Reason: u.reason, Tool: u.tool, Arg: p.arg, Var: p.name}
	f.Start, f.End, _ = p.text.Range(k, min(k+sp.to-sp.from, p.text.Len()))
	if u.prefix && url == "http://" {
		f.Decision = schemePrefix
	} else {
		f.Decision = a.decide(url, u.role)
	}
	if f.Decision.To != "" && f.Decision.To != url {
		a.edit(&f, w, sp, assumed, u)
	}
	a.out.Fetches = append(a.out.Fetches, f)
}

func (a *analyser) decide(url string, role route.Role) route.Decision {
	return a.table.Route(url, route.Context{Role: role})
}

// schemePrefix is the decision for a prefix of addresses that is all scheme: it
// has no host to ask about.
var schemePrefix = route.Decision{
	Action: route.Upgrade, To: "https://", Mirrors: []string{"https://"}, Rule: "scheme-prefix",
	Why: "a prefix that sends addresses to clear text; the same hosts are asked over TLS",
}

// edit works out f's edits. Where the text can't be changed to what was
// decided (the host stands in a variable of its own, which other words use),
// the scheme alone may still do.
func (a *analyser) edit(f *Fetch, w word, sp span, assumed string, u use) {
	if u.uneditable != "" {
		f.Unedited = u.uneditable
		return
	}
	why := f.change(w, sp, assumed)
	if why == "" {
		return
	}
	f.Unedited = why
	if u.role >= route.PackageConfig {
		return
	}
	plain := *f
	plain.Decision = a.decide(f.URL, route.Word)
	if plain.Decision.Action == route.Upgrade && plain.change(w, sp, assumed) == "" {
		plain.Unedited = ""
		*f = plain
	}
}

// change sets the edits for f.Decision.To: first the scheme, then the rest, which
// must stand in the same place: a host in a variable of its own has other uses.
// It returns why that can't be done, and then sets nothing.
func (f *Fetch) change(w word, sp span, assumed string) (why string) {
	var edits []textmap.Edit
	home, _, _ := w.at(sp.from)
	for _, h := range hunks(w.s[sp.from:sp.to], assumed, f.Decision.To) {
		e, in, why := w.replace(sp.from+h.from, sp.from+h.to, h.repl)
		switch {
		case why != "":
			return why
		case len(e) > 0 && !home.same(in):
			return "it is put together from several variables"
		}
		edits = append(edits, e...)
	}
	if len(edits) == 0 {
		return "its text can't be edited in place"
	}
	f.Edits = edits
	return ""
}

type hunk struct {
	from, to int
	repl     string
}

// hunks splits the change of an address into its scheme and the rest.
func hunks(old, assumed, to string) []hunk {
	i := strings.Index(old, "://")
	j := strings.Index(to, "://")
	if assumed != "" || i < 0 || j < 0 {
		return []hunk{{0, len(old), to}}
	}
	out := []hunk{{0, i, to[:j]}}
	if old[i:] != to[j:] {
		out = append(out, hunk{i, len(old), to[j:]})
	}
	return out
}
