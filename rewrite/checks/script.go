package checks

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// script is one text of a command, read as shell when it is first asked for.
type script struct {
	textmap.Text
	lower string

	read      bool
	ok        bool // it could be read as shell
	commands  []command
	pipelines []pipeline
	docs      []document
}

// command is one simple command of a script. Offsets are bytes of the text.
type command struct {
	args     []arg // the name first; empty for assignments alone
	from, to int
	// goes is true if what it prints goes to a file, a pipe or a variable.
	goes bool
	file string // the file that its output goes to, "" for none
	stmt *syntax.Stmt
}

type arg struct {
	s        string // quotes removed, "${…}" for what is not literal
	from, to int
	word     *syntax.Word
}

// pipeline is the statements between which text is piped, two or more.
type pipeline []*syntax.Stmt

// document is the content of a heredoc, with the index of the command that
// reads it, or -1.
type document struct{ from, to, reader int }

func newScript(t textmap.Text) *script {
	return &script{Text: t, lower: strings.ToLower(t.String())}
}

// parse reads the text; it tells whether it is shell.
func (s *script) parse() bool {
	if s.read {
		return s.ok
	}
	s.read = true
	f, err := syntax.NewParser().Parse(strings.NewReader(s.String()), "")
	if err != nil {
		return false
	}
	s.ok = true
	var stack []syntax.Node
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		s.node(n, stack)
		stack = append(stack, n)
		return true
	})
	s.readers()
	return true
}

// node takes note of one node; above are the nodes around it.
func (s *script) node(n syntax.Node, above []syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		s.add(n, n.Args, above)
	case *syntax.DeclClause:
		s.add(n, nil, above)
	case *syntax.BinaryCmd:
		if isPipe(n) && !insidePipe(above) {
			s.pipelines = append(s.pipelines, stages(n))
		}
	case *syntax.Redirect:
		if n.Hdoc != nil {
			s.docs = append(s.docs, document{int(n.Hdoc.Pos().Offset()), int(n.Hdoc.End().Offset()), int(n.Pos().Offset())})
		}
	}
}

func (s *script) add(n syntax.Node, args []*syntax.Word, above []syntax.Node) {
	c := command{from: int(n.Pos().Offset()), to: int(n.End().Offset())}
	for _, w := range args {
		c.args = append(c.args, arg{s.value(w.Parts), int(w.Pos().Offset()), int(w.End().Offset()), w})
	}
	for i := len(above) - 1; i >= 0; i-- {
		switch p := above[i].(type) {
		case *syntax.Stmt:
			if c.stmt == nil {
				c.stmt = p
			}
			c.output(p, s)
		case *syntax.BinaryCmd:
			c.goes = c.goes || isPipe(p) && int(p.OpPos.Offset()) > c.from
		case *syntax.CmdSubst, *syntax.ProcSubst:
			c.goes = true
		}
	}
	s.commands = append(s.commands, c)
}

// output looks where a statement's redirections send what c prints.
func (c *command) output(st *syntax.Stmt, s *script) {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if r.N == nil || r.N.Value == "1" {
				c.goes = true
				if c.file == "" && r.Word != nil {
					c.file = s.value(r.Word.Parts)
				}
			}
		}
	}
}

// readers finds the command of each heredoc: the last one that starts before
// the redirection on its statement.
func (s *script) readers() {
	for i := range s.docs {
		at := s.docs[i].reader
		s.docs[i].reader = -1
		for k, c := range s.commands {
			if c.stmt != nil && int(c.stmt.Pos().Offset()) <= at && at < int(c.stmt.End().Offset()) && c.from <= at {
				s.docs[i].reader = k
			}
		}
	}
}

func isPipe(b *syntax.BinaryCmd) bool { return b.Op == syntax.Pipe || b.Op == syntax.PipeAll }

// insidePipe reports whether the nodes end in a pipe's own statement.
func insidePipe(above []syntax.Node) bool {
	n := len(above)
	if n < 2 {
		return false
	}
	b, ok := above[n-2].(*syntax.BinaryCmd)
	return ok && isPipe(b)
}

func stages(b *syntax.BinaryCmd) pipeline {
	var out pipeline
	for _, st := range []*syntax.Stmt{b.X, b.Y} {
		if inner, ok := st.Cmd.(*syntax.BinaryCmd); ok && isPipe(inner) {
			out = append(out, stages(inner)...)
		} else {
			out = append(out, st)
		}
	}
	return out
}

// value is what the parts of a word stand for, as far as they are literal.
func (s *script) value(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(s.value(p.Parts))
		case *syntax.ParamExp:
			if p.Param != nil {
				b.WriteString("${" + p.Param.Value + "}")
			}
		default:
			b.WriteString("${}")
		}
	}
	return b.String()
}

// in returns the commands that lie in a statement.
func (s *script) in(st *syntax.Stmt) []command {
	var out []command
	for _, c := range s.commands {
		if int(st.Pos().Offset()) <= c.from && c.to <= int(st.End().Offset()) && len(c.args) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// name is the base name of the command's program.
func (c *command) name() string {
	if len(c.args) == 0 {
		return ""
	}
	return base(c.args[0].s)
}

// base is the last part of a path or of a URL's, without its query.
func base(s string) string {
	if strings.Contains(s, "://") {
		s, _, _ = strings.Cut(s, "?")
	}
	return s[strings.LastIndexByte(s, '/')+1:]
}

// words are the command's arguments with the name.
func (c *command) words() []string {
	out := make([]string, len(c.args))
	for i, a := range c.args {
		out[i] = a.s
	}
	return out
}

// started is the command that wrappers such as sudo start.
func (c *command) started() command {
	out := *c
	for len(out.args) > 1 && wrappers[out.name()] != "" {
		i := 1
		for i < len(out.args)-1 && (strings.HasPrefix(out.args[i].s, "-") || strings.Contains(out.args[i].s, "=")) {
			if strings.Contains(" "+wrappers[out.name()]+" ", " "+out.args[i].s+" ") {
				i++
			}
			i++
		}
		out.args = out.args[i:]
	}
	return out
}

// wrappers start the program that their arguments name. The value lists the
// options that take an argument of their own.
var wrappers = map[string]string{
	"sudo": "-u -g -h -p -C --user --group", "doas": "-u -C", "env": "-u -C --unset --chdir", "time": "-f -o", "nice": "-n",
	"ionice": "-c -n", "nohup": "-", "exec": "-a", "command": "-", "stdbuf": "-i -o -e", "eatmydata": "-",
}
