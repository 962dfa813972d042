package words

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// shellText is a text that a shell runs. Texts nested in it share the
// variables.
type shellText struct {
	a    *analyser
	text textmap.Text
	arg  int // the source of text
	env  map[string]textmap.Text
	vars map[string][]*assign
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash":
		return true
	}
	return false
}

// parse reads t, which the shell called name runs, and looks at every
// statement of it.
func (sh *shellText) parse(t textmap.Text, arg int, name string) {
	if sh.a.depth >= maxDepth || sh.a.texts >= maxTexts {
		return
	}
	sh.a.texts++
	sh.a.depth++
	defer func() { sh.a.depth-- }()
	f, t, err := parseShell(t, name)
	inner := &shellText{a: sh.a, text: t, arg: arg, env: sh.env, vars: sh.vars}
	if err != nil {
		sh.a.out.Unparsed = err.Error()
		sh.a.scanLines(literalWord(t, arg))
		return
	}
	inner.stmts(f.Stmts, sink{})
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

// substitution looks at the statements of $(…), once however often the word
// around it is decoded.
func (sh *shellText) substitution(list []*syntax.Stmt) {
	if len(list) == 0 || sh.a.seen[list[0]] {
		return
	}
	sh.a.seen[list[0]] = true
	sh.stmts(list, sink{kind: captured})
}

func (sh *shellText) stmt(st *syntax.Stmt, out sink) {
	if st == nil {
		return
	}
	out = sh.redirected(st, out)
	stdin := sh.stdin(st)
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		sh.call(call, stdin, out)
		return
	}
	if stdin != nil {
		sh.a.written(*stdin, sh.blockSink(st.Cmd, out))
	}
	sh.compound(st.Cmd, out)
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
		sh.stmts(c.Stmts, out)
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
		sh.matched(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				sh.matched(p)
			}
			sh.stmts(item.Stmts, out)
		}
	case *syntax.FuncDecl:
		sh.stmt(c.Body, out)
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

// loop gives the loop's variable each of its values.
func (sh *shellText) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	delete(sh.vars, iter.Name.Value)
	for _, item := range iter.Items {
		sh.set(iter.Name.Value, sh.word(item))
	}
}

func (sh *shellText) matched(w *syntax.Word) {
	sh.a.urls(sh.word(w), matchUse("compared in a case"))
}

func (sh *shellText) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		sh.a.urls(sh.word(x), matchUse("compared in a test"))
	case *syntax.BinaryTest:
		sh.test(x.X)
		sh.test(x.Y)
	case *syntax.UnaryTest:
		sh.test(x.X)
	case *syntax.ParenTest:
		sh.test(x.X)
	}
}

// set gives a variable one more value.
func (sh *shellText) set(name string, value word) {
	as := &assign{name: name, value: value}
	sh.vars[name] = append(sh.vars[name], as)
	sh.a.assigns = append(sh.a.assigns, as)
	if u, ok := variableUse(name); ok {
		as.used = true
		sh.a.urls(value, u)
	}
}

// assign records one assignment. Earlier values stay as alternatives: the text
// is not run, so which branch an assignment is in is not known.
func (sh *shellText) assign(as *syntax.Assign) {
	if as.Array != nil {
		for _, el := range as.Array.Elems {
			if as.Name != nil && el.Value != nil {
				sh.set(as.Name.Value, sh.word(el.Value))
			}
		}
		return
	}
	value := sh.word(as.Value)
	if as.Name == nil || as.Naked {
		sh.a.urls(value, wordUse("argument of a declaration"))
		return
	}
	sh.set(as.Name.Value, value)
}

func (sh *shellText) partlyUsed(name string) {
	for _, as := range sh.vars[name] {
		as.partly = true
	}
}

// call looks at one simple command, once for each value of a variable in it.
func (sh *shellText) call(c *syntax.CallExpr, stdin *word, out sink) {
	args := make([]word, 0, len(c.Args))
	for _, w := range c.Args {
		args = append(args, sh.word(w))
	}
	for _, as := range c.Assigns {
		sh.assign(as)
	}
	if len(args) == 0 {
		return
	}
	sh.command(args, stdin, out)
	for i, w := range args {
		for _, alt := range w.alts {
			args[i] = alt
			sh.command(args, stdin, out)
		}
		args[i] = w
	}
}

// stdin returns the text that a here-document or here-string feeds to st.
func (sh *shellText) stdin(st *syntax.Stmt) *word {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w := sh.heredoc(r)
			return &w
		case syntax.WordHdoc:
			w := sh.word(r.Word)
			return &w
		}
	}
	return nil
}
