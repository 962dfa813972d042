package words

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// shellText is a text that a shell runs. Texts nested in it share the
// variables.
type shellText struct {
	source
	a    *analyser
	text textmap.Text
	env  map[string]textmap.Text
	vars map[string][]*assign
	args []*assign // the positional parameters, nil if not known
	dir  string    // where a literal cd went
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash":
		return true
	}
	return false
}

// nested reads w as a script of the shell called name.
func (sh *shellText) nested(w word, name string) {
	t, from := w.text()
	inner := *sh
	inner.text, inner.source, inner.args = t, from, nil
	sh.a.deeper(func() { inner.parse(name) })
	w.use()
}

// parse reads the text, which the shell called name runs, and looks at every
// statement of it.
func (sh *shellText) parse(name string) {
	f, text, err := parseShell(sh.text, name)
	if err != nil {
		sh.a.out.Unparsed = err.Error()
		sh.a.scanLines(literalWord(sh.text, sh.source))
		return
	}
	sh.text = text
	sh.stmts(f.Stmts, sink{})
}

// parseShell parses t; the text that the positions of the result refer to
// comes back with it. Bash's grammar is nearly a superset of what other shells
// accept, so it is tried first.
func parseShell(t textmap.Text, name string) (*syntax.File, textmap.Text, error) {
	first := syntax.LangBash
	switch name {
	case "zsh":
		first = syntax.LangZsh
	case "mksh":
		first = syntax.LangMirBSDKorn
	}
	f, err := parseAs(t, first)
	if err == nil {
		return f, t, nil
	}
	if f, e := parseAs(t, syntax.LangPOSIX); e == nil {
		return f, t, nil
	}
	if apart := splitParens(t); apart.Len() != t.Len() {
		if f, e := parseAs(apart, first); e == nil {
			return f, apart, nil
		}
	}
	return nil, t, err
}

func parseAs(t textmap.Text, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(t.String()), "")
}

// splitParens puts a blank into each "((" that no "$" precedes: a subshell
// that starts with a subshell, which the parser reads as arithmetic.
func splitParens(t textmap.Text) textmap.Text {
	s := t.String()
	var b textmap.Builder
	b.Init("")
	at := 0
	for k := 1; k < len(s); k++ {
		if s[k] == '(' && s[k-1] == '(' && (k < 2 || s[k-2] != '$') {
			b.Append(t.Slice(at, k))
			b.Insert(" ")
			at = k
		}
	}
	b.Append(t.Slice(at, len(s)))
	return b.Text()
}

func (sh *shellText) stmts(list []*syntax.Stmt, out sink) {
	for _, st := range list {
		sh.stmt(st, out)
	}
}

// subshell is stmts in a shell whose working directory is its own.
func (sh *shellText) subshell(list []*syntax.Stmt, out sink) {
	dir := sh.dir
	sh.stmts(list, out)
	sh.dir = dir
}

// substitution looks at the statements of $(…), once however often the word
// around it is decoded.
func (sh *shellText) substitution(list []*syntax.Stmt) {
	if len(list) == 0 || sh.a.seen[list[0]] {
		return
	}
	if sh.a.seen == nil {
		sh.a.seen = map[*syntax.Stmt]bool{}
	}
	sh.a.seen[list[0]] = true
	sh.subshell(list, sink{kind: captured})
}

func (sh *shellText) stmt(st *syntax.Stmt, out sink) {
	if st == nil {
		return
	}
	to := sh.redirected(st, out)
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		sh.call(call, to)
	} else {
		sh.compound(st.Cmd, to)
	}
	for _, r := range st.Redirs {
		sh.input(r, func() sink { return sh.pipeSink(st, out) })
	}
}

func (sh *shellText) compound(c syntax.Command, out sink) {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			sh.stmt(c.X, sh.pipeSink(c.Y, out))
		} else {
			sh.stmt(c.X, out)
		}
		sh.stmt(c.Y, out)
	case *syntax.Block:
		sh.stmts(c.Stmts, out)
	case *syntax.Subshell:
		sh.subshell(c.Stmts, out)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			sh.stmts(c.Cond, out)
			sh.stmts(c.Then, out)
		}
	case *syntax.WhileClause:
		sh.stmts(c.Cond, out)
		sh.stmts(c.Do, out)
	case *syntax.ForClause:
		sh.loop(c)
		sh.stmts(c.Do, out)
	case *syntax.CaseClause:
		sh.choice(c)
		for _, item := range c.Items {
			sh.stmts(item.Stmts, out)
		}
	case *syntax.FuncDecl:
		sh.declared(c)
	case *syntax.TestClause:
		sh.test(c.X)
	case *syntax.DeclClause:
		for _, as := range c.Args {
			sh.assign(as)
		}
	case *syntax.TimeClause:
		sh.stmt(c.Stmt, out)
	case *syntax.CoprocClause:
		sh.stmt(c.Stmt, out)
	}
}

// choice looks at what a case compares.
func (sh *shellText) choice(c *syntax.CaseClause) {
	http, https := false, false
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w := sh.word(p)
			sh.a.urls(w, matchUse("compared in a case"))
			http = http || mentionsHTTP(w.s)
			https = https || strings.Contains(w.s, "https:")
		}
	}
	sh.compared(sh.word(c.Word), http && !https)
}

func (sh *shellText) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		sh.compared(sh.word(x), false)
	case *syntax.BinaryTest:
		a, isWord := x.X.(*syntax.Word)
		b, areWords := x.Y.(*syntax.Word)
		if isWord && areWords {
			sh.compare(sh.word(a), sh.word(b))
			return
		}
		sh.test(x.X)
		sh.test(x.Y)
	case *syntax.UnaryTest:
		sh.test(x.X)
	case *syntax.ParenTest:
		sh.test(x.X)
	}
}

// call looks at one simple command, once for each value of a variable in it.
func (sh *shellText) call(c *syntax.CallExpr, out sink) {
	args := make([]word, 0, len(c.Args))
	for _, w := range c.Args {
		args = sh.fields(args, w)
	}
	for _, as := range c.Assigns {
		sh.assign(as)
	}
	if len(args) == 0 {
		return
	}
	sh.command(args, out)
	for i, w := range args {
		for _, alt := range w.alts {
			args[i] = alt
			sh.command(args, out)
		}
		args[i] = w
	}
}
