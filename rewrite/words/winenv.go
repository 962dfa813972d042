package words

import "strings"

// winRef is a reference to a variable of the environment in a text for a shell
// of Windows: the bytes [from, to), and the variable's name as it is set.
type winRef struct {
	from, to int
	name     string
}

// references finds the variables of the environment in s whose values are known:
// %NAME% for cmd, $env:NAME and ${env:NAME} for PowerShell. Names don't tell
// upper case from lower case.
func (inv *invocation) references(s string) []winRef {
	if len(inv.sh.env) == 0 {
		return nil
	}
	next := psReference
	if inv.name == "cmd" {
		next = cmdReference
	}
	var out []winRef
	for at := 0; at < len(s); {
		from, to, name := next(s, at)
		if from < 0 {
			break
		}
		if name = inv.winVariable(name); name != "" {
			out = append(out, winRef{from, to, name})
		}
		at = to
	}
	return out
}

// cmdReference returns the first %NAME% of s from at on; from is -1 for none.
func cmdReference(s string, at int) (from, to int, name string) {
	i := strings.IndexByte(s[at:], '%')
	if i < 0 {
		return -1, 0, ""
	}
	from = at + i
	n := strings.IndexByte(s[from+1:], '%')
	if n < 0 {
		return -1, 0, ""
	}
	name = s[from+1 : from+1+n]
	if !isName(name) {
		return from, from + 1, ""
	}
	return from, from + n + 2, name
}

// psReference is cmdReference for $env:NAME.
func psReference(s string, at int) (from, to int, name string) {
	for ; at < len(s); at++ {
		if s[at] != '$' {
			continue
		}
		from = at
		start := at + 1
		braced := start < len(s) && s[start] == '{'
		if braced {
			start++
		}
		if len(s) < start+len("env:") || !strings.EqualFold(s[start:start+len("env:")], "env:") {
			continue
		}
		start += len("env:")
		to = start
		for to < len(s) && isName("_"+s[start:to+1]) {
			to++
		}
		name = s[start:to]
		if braced && to < len(s) && s[to] == '}' {
			to++
		}
		return from, to, name
	}
	return -1, 0, ""
}

// winVariable is the name under which a variable of the environment is known, ""
// if it is not.
func (inv *invocation) winVariable(name string) string {
	found := ""
	for v := range inv.sh.env {
		if strings.EqualFold(v, name) && (found == "" || v == name || found != name && v < found) {
			found = v
		}
	}
	return found
}

// winValue is the word of a variable of the environment.
func (inv *invocation) winValue(r winRef) word {
	return literalWord(inv.sh.env[r.name], source{VarArg, r.name})
}

// expand returns w with the variables of the environment replaced by their
// values.
func (inv *invocation) expand(w word) word {
	refs := inv.references(w.s)
	if len(refs) == 0 || len(refs) > maxPieces {
		return w
	}
	out := word{from: w.from}
	at := 0
	for _, r := range refs {
		out = out.append(w.slice(at, r.from)).append(inv.winValue(r))
		at = r.to
	}
	return out.append(w.slice(at, len(w.s)))
}

// urlsIn is urls for a part of w, with what stands before it in mind, and for
// the variables of the environment in it.
func (inv *invocation) urlsIn(w word, t rangeOf, u use) {
	a, text := inv.a(), w.s[t.from:t.to]
	for _, sp := range spans(text) {
		sp.from, sp.to = sp.from+t.from, sp.to+t.from
		a.emit(w, sp, refine(w.s, sp, u))
	}
	for _, r := range inv.references(text) {
		if v := inv.winValue(r); addressed(v) {
			a.urls(v, u)
		}
	}
}

// assigned looks at the value that the variable called name is given.
func (inv *invocation) assigned(w word, name string, t rangeOf) {
	u, ok := variableUse(name, w.s[t.from:t.to])
	if !ok {
		u = wordUse("value of " + name)
	}
	inv.urlsIn(w, t, u)
}
