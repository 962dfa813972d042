package rewrite

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/loopx/loopx-frontend/rewrite/aptsource"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// files is the heredocs of COPY and ADD. Other sources are files that the text
// doesn't show.
func (p *planner) files(st *stage, in *instruction, sources []operand, dest string) {
	for _, o := range sources {
		if o.doc == nil {
			if dest := st.path(dest, true); strings.HasPrefix(dest, "/etc/apt") {
				st.persisted = false // sources that the text does not show, after the block
			}
			st.apt.copied(st.path(dest, true))
			continue
		}
		name := dest
		if len(sources) > 1 || strings.HasSuffix(dest, "/") {
			name = path.Join(dest, o.doc.Name)
		}
		if content, ok := p.content(st, in, o.doc.Name); ok {
			p.write(st, in, name, content)
		}
	}
}

// content returns the text of a heredoc as it stands in the image. Of several
// with one name BuildKit takes the last.
func (p *planner) content(st *stage, in *instruction, name string) (textmap.Text, bool) {
	b := p.body(in)
	for i := len(b.docs) - 1; i >= 0; i-- {
		doc := in.node.Heredocs[i]
		if doc.Name != name {
			continue
		}
		text := b.docs[i]
		if doc.Chomp {
			text = chomp(text)
		}
		if !doc.Expand {
			return text, true
		}
		// Source: dispatch in BuildKit's dockerfile2llb/convert.go, which
		// takes a backslash here whatever the file's escape token is.
		return expansion{env: &st.env, escape: '\\', raw: true}.expand(text)
	}
	return textmap.Text{}, false
}

// write looks at a file that a heredoc makes, by what it is in the image: an
// apt source, a script, or anything else, which is kept.
func (p *planner) write(st *stage, in *instruction, name string, content textmap.Text) {
	abs := st.path(name, true)
	format := aptFormat(abs)
	switch {
	case format != aptsource.NotRead:
		st.apt.wrote(abs)
		p.sources(st, in, content, format)
		p.checkFile(in, name, content)
	case strings.HasPrefix(content.String(), "#!"):
		p.script(st, in, content, words.Input{Args: synthetic([]string{name}), Script: content})
	case strings.HasSuffix(name, ".sh") || p.runs(in, abs):
		args := append(synthetic([]string{"/bin/sh", "-c"}), content)
		p.script(st, in, content, words.Input{Args: args})
	default:
		p.keep(st, in, content, route.Print, "text of a file")
		p.checkFile(in, name, content)
	}
}

// aptFormat says how apt reads the file of this absolute path.
func aptFormat(name string) aptsource.Format {
	if name != aptMain && path.Dir(name) != aptParts {
		return aptsource.NotRead
	}
	return aptsource.Detect(name)
}

// sources routes each URI of an apt source file.
func (p *planner) sources(st *stage, in *instruction, content textmap.Text, format aptsource.Format) {
	entries, _ := aptsource.Parse(content, format)
	for _, r := range aptsource.Route(entries, p.table) {
		f := words.Fetch{
			URL: r.Decoded, Role: route.AptSource, Reason: "apt source", Tool: "apt",
			Decision: r.Decision, Edits: r.Edits, Unedited: r.Problem,
		}
		f.Start, f.End, _ = r.URI.Range(0, r.URI.Len())
		p.fetch(st, in, f, r.URI, textmap.Text{})
	}
}

func (p *planner) script(st *stage, in *instruction, content textmap.Text, cmd words.Input) {
	cmd.Env = st.env.vars
	res := p.analyse(cmd, p.table)
	p.checkCommand(in, cmd, res)
	for _, f := range res.Fetches {
		p.fetch(st, in, f, origin(cmd, f), textmap.Text{})
	}
}

// runs reports whether a later RUN names the file of this absolute path.
func (p *planner) runs(in *instruction, name string) bool {
	if name == "" || name == "/" {
		return false
	}
	for _, later := range p.file.list {
		if later.node.StartLine > in.node.StartLine && later.is(command.Run) && names(later.node, name) {
			return true
		}
	}
	return false
}

// names reports whether the text of a RUN holds the name.
func names(node *parser.Node, name string) bool {
	return strings.Contains(node.Original, name) ||
		slices.ContainsFunc(node.Heredocs, func(h parser.Heredoc) bool { return strings.Contains(h.Content, name) })
}
