package rewrite

import (
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/dfgitutil"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// operand is a source of ADD or COPY, as it stands and expanded.
type operand struct {
	raw, text textmap.Text
	doc       *parser.Heredoc // not nil for <<NAME
}

// operands returns the sources and the destination of ADD or COPY. A word that
// BuildKit can't expand is left as it stands.
func (p *planner) operands(st *stage, in *instruction) (sources []operand, dest string) {
	line, args := p.body(in).line, values(in.node)
	texts := tailWords(line, args, p.file.escape)
	if in.node.Attributes["json"] {
		texts = jsonArgs(line, args)
	}
	x := expansion{env: &st.env, escape: p.file.escape}
	for _, t := range texts {
		o := operand{raw: t, text: t, doc: parser.MustParseHeredoc(t.String())}
		if e, ok := x.expand(t); ok && o.doc == nil {
			o.text = e
		}
		sources = append(sources, o)
	}
	last := len(sources) - 1
	return sources[:last], sources[last].text.String()
}

// add is ADD: BuildKit itself fetches its http, https and git sources. The
// rest of it is as COPY.
func (p *planner) add(st *stage, in *instruction, c *instructions.AddCommand) {
	sources, dest := p.operands(st, in)
	for _, o := range sources {
		if !strings.Contains(o.text.String(), "://") || o.doc != nil {
			continue
		}
		f := p.fetch(st, in, p.source(o.text), o.text, o.raw)
		if moved(f) && c.Checksum == "" && !isGit(f.URL) {
			p.report(addWithoutChecksum(in.span, f))
		}
		p.checkSource(in, c, o)
	}
	p.files(st, in, sources, dest)
}

// copy is COPY.
func (p *planner) copy(st *stage, in *instruction) {
	sources, dest := p.operands(st, in)
	p.files(st, in, sources, dest)
}

// source decides a URL that BuildKit fetches.
func (p *planner) source(t textmap.Text) words.Fetch {
	f := words.Fetch{URL: t.String(), Role: route.Fetch, Reason: "source of ADD", Tool: "ADD"}
	f.Start, f.End, _ = t.Range(0, t.Len())
	f.Decision = p.table.Route(f.URL, route.Context{Role: f.Role})
	if to := f.Decision.To; to != "" && to != f.URL {
		edits, ok := t.Replace(0, t.Len(), to)
		if f.Edits = edits; !ok {
			f.Unedited = "its text can't be edited in place"
		}
	}
	return f
}

// isGit reports whether BuildKit clones the source.
func isGit(src string) bool {
	_, git, _ := dfgitutil.ParseGitRef(src)
	return git
}
