package runline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// text reads a shell text, as bash if it can be and as a POSIX shell or zsh if
// not.
func (r *reader) text(t textmap.Text) {
	if r.depth >= maxDepth {
		r.unread("its texts lie too deep inside of each other")
		return
	}
	var first error
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX, syntax.LangZsh} {
		f, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(t.String()), "")
		if err == nil {
			r.depth++
			sh := script{reader: r, text: t}
			sh.list(f.Stmts)
			r.depth--
			return
		}
		if first == nil {
			first = err
		}
	}
	r.unread("it can't be read as shell: " + first.Error())
}

// script is one shell text.
type script struct {
	*reader
	text textmap.Text
}

func (s *script) list(all []*syntax.Stmt) {
	for _, st := range all {
		s.stmt(st)
	}
}

// either reads statements that may not run.
func (s *script) either(lists ...[]*syntax.Stmt) {
	s.branch++
	for _, l := range lists {
		s.list(l)
	}
	s.branch--
}

func (s *script) stmt(st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.command(c, st.Redirs)
	case *syntax.DeclClause:
		for _, as := range c.Args {
			s.assign(as)
		}
	case *syntax.BinaryCmd:
		s.stmt(c.X)
		s.stmt(c.Y)
	case *syntax.Block:
		s.list(c.Stmts)
	case *syntax.Subshell:
		dir := s.dir
		s.list(c.Stmts)
		s.dir = dir
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			s.list(c.Cond)
			s.either(c.Then)
		}
	case *syntax.WhileClause:
		s.list(c.Cond)
		s.either(c.Do)
	case *syntax.ForClause:
		s.loop(c)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			s.either(item.Stmts)
		}
	case *syntax.FuncDecl:
		s.either([]*syntax.Stmt{c.Body})
	case *syntax.TimeClause:
		if c.Stmt != nil {
			s.stmt(c.Stmt)
		}
	}
	s.heredocs(st)
}

// heredocs reads what a shell without a script of its own gets as its input.
func (s *script) heredocs(st *syntax.Stmt) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || !isShell(call.Args[0].Lit()) {
		return
	}
	for _, r := range st.Redirs {
		if r.Hdoc != nil {
			s.reader.text(s.slice(r.Hdoc))
		}
	}
}

// slice is the text of a node.
func (s *script) slice(n syntax.Node) textmap.Text {
	return s.text.Slice(min(int(n.Pos().Offset()), s.text.Len()), min(int(n.End().Offset()), s.text.Len()))
}

// loop reads the body of a loop once for each of the values, if they are known.
func (s *script) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || iter.Name == nil || !iter.InPos.IsValid() {
		s.either(c.Do)
		return
	}
	for _, item := range iter.Items {
		for _, w := range s.fields(item) {
			if s.rounds++; s.rounds > maxRounds {
				s.unread("its loops have too many rounds")
				return
			}
			s.vars[iter.Name.Value] = []value{{w.Text, w.Vars, w.Unknown}}
			s.list(c.Do)
		}
	}
}

// assign gives a variable a value: one more where it may not be set.
func (s *script) assign(as *syntax.Assign) {
	if as.Name == nil || as.Naked && as.Value == nil {
		return
	}
	name := as.Name.Value
	if as.Array != nil || as.Append || as.Index != nil {
		s.vars[name] = nil
		return
	}
	v := s.value(as)
	if s.branch > 0 && len(s.vars[name]) < maxAlternatives {
		s.vars[name] = append(s.vars[name][:len(s.vars[name]):len(s.vars[name])], v)
		return
	}
	s.vars[name] = []value{v}
}

// maxAlternatives is how many values of one variable are kept.
const maxAlternatives = 16

func (s *script) value(as *syntax.Assign) value {
	if as.Value == nil {
		return value{}
	}
	w := s.word(as.Value)
	return value{w.Text, w.Vars, w.Unknown}
}

// command lists a simple command, once for each value of a variable in it.
func (s *script) command(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	s.substitutions(c)
	if len(c.Args) == 0 {
		for _, as := range c.Assigns {
			s.assign(as)
		}
		return
	}
	assigned := map[string]value{}
	for _, as := range c.Assigns {
		if as.Name != nil && as.Array == nil {
			assigned[as.Name.Value] = s.value(as)
		}
	}
	s.call(s.words(c, redirs), assigned)
	for _, name := range used(c) {
		all := s.vars[name]
		for i := 0; i+1 < len(all); i++ {
			s.vars[name] = all[i : i+1]
			s.call(s.words(c, redirs), assigned)
		}
		s.vars[name] = all
	}
}

// used lists the variables in the words of a command.
func used(c *syntax.CallExpr) []string {
	var out []string
	for _, w := range c.Args {
		syntax.Walk(w, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				out = append(out, p.Param.Value)
			}
			return true
		})
	}
	return out
}

// substitutions reads the commands in $(…).
func (s *script) substitutions(c *syntax.CallExpr) {
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			s.list(n.Stmts)
			return false
		case *syntax.ProcSubst:
			s.list(n.Stmts)
			return false
		}
		return true
	})
}

// words are the words of a command with what redirections took from them.
func (s *script) words(c *syntax.CallExpr, redirs []*syntax.Redirect) []Word {
	var out []Word
	for _, arg := range c.Args {
		at := len(out)
		out = append(out, s.fields(arg)...)
		if at < len(out) {
			out[len(out)-1].Lost = s.lost(int(arg.End().Offset()), redirs)
		}
	}
	return out
}

// lost returns the redirections that stand right behind offset at, if they
// spell a version: name>=1.0 or name<2. Blanks may stand before one whose file
// starts with "=".
func (s *script) lost(at int, redirs []*syntax.Redirect) textmap.Text {
	from, to := at, at
	for _, r := range redirs {
		op, word := int(r.OpPos.Offset()), r.Word
		if r.N != nil || word == nil || r.Op != syntax.RdrOut && r.Op != syntax.RdrIn {
			continue
		}
		file := s.slice(word).String()
		glued := op == to && startsVersion(file)
		apart := op > to && strings.HasPrefix(file, "=") && strings.Trim(s.text.Slice(to, op).String(), " \t") == ""
		if glued || apart {
			to = int(word.End().Offset())
		}
	}
	return s.text.Slice(from, min(to, s.text.Len()))
}

// startsVersion reports whether the file of a redirection looks like the rest
// of a specifier.
func startsVersion(file string) bool {
	file = strings.TrimLeft(strings.TrimPrefix(file, "="), `"'vV`)
	return file != "" && (file[0] >= '0' && file[0] <= '9' || file[0] == '$')
}
