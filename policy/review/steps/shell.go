package steps

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one command of a shell's text. Words that depend on variables are as
// they are written; there are none of what is no simple command.
type call struct {
	words []string
	line  int
	// source is the command as it is written, with the pipe that it stands in and
	// with what its heredocs hold.
	source   string
	heredocs []heredoc
}

// heredoc is a text that a command is given.
type heredoc struct {
	text string
	line int // where its first line is
	// variable says that the shell fills something in.
	variable bool
}

// parseShell returns the simple commands of a text and what else is given a
// heredoc, in its order.
func parseShell(text string) ([]call, bool) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	p := commands{text: text}
	syntax.Walk(f, p.visit)
	return p.calls, true
}

// commands gathers those of a text.
type commands struct {
	text  string
	calls []call
	pipe  *syntax.Stmt // the last one that was seen
}

func (p *commands) visit(n syntax.Node) bool {
	s, ok := n.(*syntax.Stmt)
	if !ok {
		return true
	}
	if p.pipe != nil && p.pipe.End().Offset() <= s.Pos().Offset() {
		p.pipe = nil
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && p.pipe == nil && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
		p.pipe = s
	}
	one := call{line: int(s.Pos().Line()), heredocs: heredocs(p.text, s.Redirs)}
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		one.line = int(c.Pos().Line())
		for _, w := range c.Args {
			one.words = append(one.words, written(p.text, w))
		}
	}
	if one.words == nil && one.heredocs == nil {
		return true
	}
	whole := s
	if p.pipe != nil {
		whole = p.pipe
	}
	one.source = p.text[whole.Pos().Offset():whole.End().Offset()]
	for _, h := range one.heredocs {
		one.source += "\n" + h.text
	}
	p.calls = append(p.calls, one)
	return true
}

// heredocs are the texts of redirects, without the backslashes that the shell takes
// away: none where the word behind "<<" is quoted.
func heredocs(text string, redirects []*syntax.Redirect) []heredoc {
	var all []heredoc
	for _, r := range redirects {
		if r.Hdoc == nil {
			continue
		}
		h := heredoc{line: int(r.Hdoc.Pos().Line())}
		for _, part := range r.Hdoc.Parts {
			if lit, ok := part.(*syntax.Lit); ok { // its end is behind the last word
				h.text += lit.Value
			} else {
				h.text += text[part.Pos().Offset():part.End().Offset()]
			}
		}
		if word := text[r.Word.Pos().Offset():r.Word.End().Offset()]; !strings.ContainsAny(word, `"'\`) {
			_, plain := literal(r.Hdoc.Parts)
			h.text, h.variable = unquoted.Replace(h.text), !plain
		}
		if r.Op == syntax.DashHdoc {
			h.text = tabs.ReplaceAllString(h.text, "")
		}
		all = append(all, h)
	}
	return all
}

var (
	// unquoted takes the backslashes from a heredoc whose word is not quoted (POSIX
	// shell, 2.7.4).
	unquoted = strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`", "\\\n", "")
	// tabs are those that "<<-" takes away.
	tabs = regexp.MustCompile(`(?m)^\t+`)
)

// written is a word without its quotes; if it is no literal, as it is written.
func written(text string, w *syntax.Word) string {
	if plain, ok := literal(w.Parts); ok {
		return plain
	}
	return strings.ReplaceAll(text[w.Pos().Offset():w.End().Offset()], `"`, "")
}

func literal(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := literal(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape takes the backslashes away that quote one character.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
