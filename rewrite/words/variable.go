package words

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// set gives a variable one more value.
func (sh *shellText) set(name string, value word) {
	as := &assign{name: name, value: value}
	sh.vars[name] = append(sh.vars[name], as)
	sh.a.assigns = append(sh.a.assigns, as)
	if u, ok := variableUse(name, value.s); ok {
		as.used = true
		sh.a.urls(value, u)
	}
}

// assign records one assignment. Earlier values stay as alternatives: the text
// is not run, so which branch an assignment is in is not known.
func (sh *shellText) assign(as *syntax.Assign) {
	switch {
	case as.Array != nil:
		for _, el := range as.Array.Elems {
			if as.Name != nil && el.Value != nil {
				sh.set(as.Name.Value, sh.word(el.Value))
			}
		}
	case as.Name == nil || as.Naked:
		sh.setting(sh.word(as.Value), "a declaration")
	default:
		sh.set(as.Name.Value, sh.word(as.Value))
	}
}

// setting looks at an argument that may be NAME=VALUE.
func (sh *shellText) setting(w word, of string) {
	if name, _, ok := strings.Cut(w.s, "="); ok && isName(name) {
		sh.set(name, w.slice(len(name)+1, len(w.s)))
		return
	}
	sh.a.urls(w, wordUse("argument of "+of))
}

// declare looks at the arguments of a declaration builtin that was not parsed
// as one (after "command", in exec form).
func (inv *invocation) declare() {
	for _, w := range inv.args {
		inv.sh.setting(w, inv.name)
	}
}

// set looks at the positional parameters that "set -- …" gives.
func (inv *invocation) set() {
	for i, w := range inv.args {
		if w.s != "--" {
			continue
		}
		inv.sh.args = nil
		for _, w := range inv.args[i+1:] {
			as := &assign{name: "a positional parameter", value: w}
			inv.sh.args = append(inv.sh.args, as)
			inv.a().assigns = append(inv.a().assigns, as)
		}
		return
	}
}

// shift drops positional parameters.
func (sh *shellText) shift(args []word) {
	n := 1
	if len(args) > 0 {
		n, _ = strconv.Atoi(args[0].s)
	}
	sh.args = sh.args[min(max(n, 0), len(sh.args)):]
}

// loop gives the loop's variable each of its values.
func (sh *shellText) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	name := iter.Name.Value
	if !iter.InPos.IsValid() {
		sh.vars[name] = slices.Clone(sh.args)
		return
	}
	var values []word
	for _, item := range iter.Items {
		values = append(values, sh.items(item)...)
	}
	delete(sh.vars, name)
	for _, v := range values {
		sh.set(name, v)
	}
}

// items are the words that a loop makes of one word: those of every value that
// the variable in it may have, or the ones that a command only lists, as in
// $(shuf -e …).
func (sh *shellText) items(w *syntax.Word) []word {
	var out []word
	for _, arg := range listing(w) {
		out = append(out, sh.items(arg)...)
	}
	if out != nil {
		return out
	}
	for _, f := range sh.fields(nil, w) {
		for _, v := range append([]word{f}, f.alts...) {
			out = append(out, v.split()...)
		}
	}
	return out
}

// listing returns what the command substitution w prints, if it is a command
// that prints its arguments.
func listing(w *syntax.Word) []*syntax.Word {
	c, ok := w.Parts[0].(*syntax.CmdSubst)
	if !ok || len(w.Parts) != 1 || len(c.Stmts) != 1 {
		return nil
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil
	}
	switch call.Args[0].Lit() {
	case "shuf", "echo":
		return slices.DeleteFunc(slices.Clone(call.Args[1:]), func(w *syntax.Word) bool { return strings.HasPrefix(w.Lit(), "-") })
	}
	return nil
}
