package words

import "mvdan.cc/sh/v3/syntax"

// function is a function that the text declares.
type function struct {
	in   shellText // the text that body stands in
	body *syntax.Stmt
	seen bool // a call of it was
}

// declared remembers a function: its body is looked at where it is called.
func (sh *shellText) declared(c *syntax.FuncDecl) {
	f := &function{in: *sh, body: c.Body}
	f.in.args = nil
	a := sh.a
	a.declared = append(a.declared, f)
	if c.Name == nil {
		return
	}
	if a.funcs == nil {
		a.funcs = map[string]*function{}
	}
	a.funcs[c.Name.Value] = f
}

// uncalled looks at the functions that no call was seen of: a trap, or a script
// that is sourced, may call them.
func (a *analyser) uncalled() {
	for i := 0; i < len(a.declared); i++ { // a body may declare more
		if f := a.declared[i]; !f.seen {
			f.in.stmt(f.body, sink{})
		}
	}
}

// callFunction looks at a function's body with the arguments of one call: what
// they are used for is seen there. A command among arguments that the body hides
// is found as for a program of the author's.
func (inv *invocation) callFunction(f *function) {
	inner := *inv.sh
	inner.text, inner.source = f.in.text, f.in.source
	given := make([]*assign, len(inv.args))
	for i, w := range inv.args {
		given[i] = &assign{name: inv.name, value: w}
	}
	inner.args = given
	inv.a().deeper(func() {
		seen := inv.a().seen
		f.seen, inv.a().seen = true, nil // this call's substitutions are its own
		inner.stmt(f.body, inv.out)
		inv.a().seen = seen
	})
	hidden := false
	for _, as := range given {
		if !as.used {
			inv.a().urls(as.value, wordUse("argument of "+inv.name))
			hidden = true
		}
	}
	if rest, ok := homeMade(append([]word{inv.word}, inv.args...)); ok && hidden {
		inv.sh.command(rest, inv.out)
	}
}
